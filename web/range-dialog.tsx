/** A dialog for an absolute time range, from one minute to another, in local time. */
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { serverNow } from './state/live.ts';
import { fixedRange, rangeHours, setFixedRange } from './state/time-range.ts';
import { fromLocalInput, toLocalInput } from './widgets/time-text.ts';

const isOpen = signal(false);

export function openRangeDialog(): void {
  isOpen.value = true;
}

export function RangeDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = isOpen.value;
  useLayoutEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  return (
    <dialog
      ref={dialog}
      class="key-help range-dialog"
      aria-labelledby="range-dialog-title"
      // As in the dialog of the keys: the browser tells of its own Escape late.
      onKeyDown={event => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        isOpen.value = false;
      }}
      onClose={event => void (isOpen.value = event.currentTarget.open)}
    >
      {open && <RangeForm />}
    </dialog>
  );
}

function RangeForm() {
  const now = serverNow.peek();
  const shown = fixedRange.peek() ?? { from: now - rangeHours.peek() * 3600, to: now };
  const [from, setFrom] = useState(toLocalInput(shown.from));
  const [to, setTo] = useState(toLocalInput(shown.to));
  const [start, end] = [fromLocalInput(from), fromLocalInput(to)];
  const isValid = start !== undefined && end !== undefined && start < end;
  return (
    <form
      class="key-help-body"
      onSubmit={event => {
        event.preventDefault();
        if (!isValid) return;
        setFixedRange({ from: start, to: end });
        isOpen.value = false;
      }}
    >
      <h2 id="range-dialog-title">Time range</h2>
      <label>
        From <input type="datetime-local" value={from} onInput={event => setFrom(event.currentTarget.value)} />
      </label>
      <label>
        To <input type="datetime-local" value={to} onInput={event => setTo(event.currentTarget.value)} />
      </label>
      {!isValid && <p role="status">The end must be after the start.</p>}
      <div class="tools">
        <button type="submit" disabled={!isValid}>
          Show
        </button>
        <button type="button" onClick={() => void (isOpen.value = false)}>
          Cancel
        </button>
      </div>
    </form>
  );
}
