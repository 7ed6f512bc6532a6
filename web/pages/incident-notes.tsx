/** Who takes care of an incident, and what people wrote about it. */
import { useState } from 'preact/hooks';
import { visible } from '../../src/base/visible-text.ts';
import type { IncidentNote, IncidentView, NewNote } from '../../src/watch/watch-model.ts';
import { api, ApiError } from '../state/api.ts';
import { Timestamp } from '../widgets/timestamp.tsx';

const NAME_KEY = 'oakum.name';

interface IncidentNotesProps {
  readonly view: Pick<IncidentView, 'id' | 'notes' | 'acknowledged' | 'closedAt'>;
  readonly refresh: () => void;
}

export function IncidentNotes({ view, refresh }: IncidentNotesProps) {
  const [by, setBy] = useState(() => localStorage.getItem(NAME_KEY) ?? '');
  const [text, setText] = useState('');
  const [message, setMessage] = useState('');
  const send = async (acknowledges: boolean): Promise<void> => {
    const note: NewNote = { by, text, acknowledges };
    try {
      await api<IncidentNote>(`/incidents/${encodeURIComponent(view.id)}/notes`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(note),
      });
      localStorage.setItem(NAME_KEY, by);
      setText('');
      setMessage(acknowledges ? 'acknowledged' : 'note added');
      refresh();
    } catch (error) {
      setMessage(error instanceof ApiError ? error.message : String(error));
    }
  };
  return (
    <section aria-labelledby="notes-title">
      <h2 id="notes-title">Notes</h2>
      {view.notes.length > 0 && (
        <ul class="notes">
          {view.notes.map((note, i) => (
            <Note key={i} note={note} />
          ))}
        </ul>
      )}
      <form
        class="notes-form"
        onSubmit={event => {
          event.preventDefault();
          void send(false);
        }}
      >
        <label>
          Your name{' '}
          <input type="text" value={by} maxLength={80} required onInput={event => setBy(event.currentTarget.value)} />
        </label>
        <label>
          Note <textarea rows={2} value={text} maxLength={2000} onInput={event => setText(event.currentTarget.value)} />
        </label>
        <div class="tools">
          <button type="submit" disabled={by.trim() === '' || text.trim() === ''}>
            Add note
          </button>
          {view.acknowledged === null && view.closedAt === null && (
            <button type="button" disabled={by.trim() === ''} onClick={() => void send(true)}>
              Acknowledge: I take care of it
            </button>
          )}
          <span role="status">{visible(message)}</span>
        </div>
      </form>
    </section>
  );
}

function Note({ note: { at, by, text, acknowledges } }: { readonly note: IncidentNote }) {
  return (
    <li>
      <strong>{visible(by)}</strong> <Timestamp at={at} />
      {acknowledges && <span class="muted"> takes care of it</span>}
      {text !== '' && <div class="notes-text">{visible(text)}</div>}
    </li>
  );
}
