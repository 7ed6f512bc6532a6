/** A dialog with all keyboard shortcuts of the page; `?` opens it. */
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { keyLayers } from './state/keys.ts';

const isOpen = signal(false);

export function openKeyHelp(): void {
  isOpen.value = true;
}

const KEY_NAMES: Readonly<Record<string, string>> = { Escape: 'Esc', ArrowUp: '↑', ArrowDown: '↓' };

export function KeyHelp() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = isOpen.value;
  useLayoutEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog
      ref={dialog}
      class="key-help"
      aria-labelledby="keys-title"
      // The browser's own Escape tells of it late, when `?` may have opened the dialog again, and not always by
      // a cancel event. So Escape is taken as a key, and a close of any other kind brings the state up to date.
      onKeyDown={event => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        isOpen.value = false;
      }}
      onClose={event => void (isOpen.value = event.currentTarget.open)}
      onClick={event => {
        if (event.target === event.currentTarget) isOpen.value = false;
      }}
    >
      {open && (
        <div class="key-help-body">
          <h2 id="keys-title">Keyboard shortcuts</h2>
          {keyLayers.value.map((layer, i) => (
            <section key={i}>
              <h3>{layer.title}</h3>
              <dl>
                {Object.entries(layer.bindings()).map(([key, [action]]) => (
                  <div key={key}>
                    <dt>
                      {key.split(' ').map(part => (
                        <kbd key={part}>{KEY_NAMES[part] ?? part}</kbd>
                      ))}
                    </dt>
                    <dd>{action}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
          <button type="button" onClick={() => void (isOpen.value = false)}>
            Close
          </button>
        </div>
      )}
    </dialog>
  );
}
