/** The keys that work here, by `?`. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { layers } from '../state/keys.ts';

const isOpen = signal(false);

export function openHelp(): void {
  isOpen.value = true;
}

const NAMES: Readonly<Record<string, string>> = { Escape: 'Esc', ArrowUp: '↑', ArrowDown: '↓' };

export function KeyHelp() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = isOpen.value;
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog
      ref={dialog}
      class="keys"
      aria-labelledby="keys-title"
      onClose={() => void (isOpen.value = false)}
      onClick={event => {
        if (event.target === event.currentTarget) isOpen.value = false;
      }}
    >
      {open && (
        <div class="keys-body">
          <h2 id="keys-title">Keys</h2>
          {layers.value.map((layer, i) => (
            <section key={i}>
              <h3>{layer.title}</h3>
              <dl>
                {Object.entries(layer.bindings()).map(([key, [does]]) => (
                  <div key={key}>
                    <dt>
                      {key.split(' ').map(part => (
                        <kbd key={part}>{NAMES[part] ?? part}</kbd>
                      ))}
                    </dt>
                    <dd>{does}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
          <form method="dialog">
            <button type="submit">Close</button>
          </form>
        </div>
      )}
    </dialog>
  );
}
