/** The body of a note: `{ "by": "kim", "text": "drained it", "acknowledges": false }`. */
import type { NewNote } from '../watch-model.ts';
import { Refusal } from './refusal.ts';

const MAX_NAME = 80;
const MAX_TEXT = 2000;
const KEYS = ['by', 'text', 'acknowledges'];

export function readNote(body: string): NewNote {
  const fields = readFields(body);
  const { by, text = '', acknowledges = false } = fields;
  const unknown = Object.keys(fields).find(key => !KEYS.includes(key));
  if (unknown !== undefined) throw wrong(`A note has no field ${JSON.stringify(unknown.slice(0, 40))}.`);
  if (typeof by !== 'string' || by.trim() === '' || by.length > MAX_NAME)
    throw wrong(`A note needs the name of its author, up to ${MAX_NAME} characters.`);
  if (typeof text !== 'string' || text.length > MAX_TEXT)
    throw wrong(`The text of a note has up to ${MAX_TEXT} characters.`);
  if (typeof acknowledges !== 'boolean') throw wrong('`acknowledges` is true or false.');
  if (text.trim() === '' && !acknowledges) throw wrong('A note needs a text, unless it acknowledges the incident.');
  return { by: by.trim(), text: text.trim(), acknowledges };
}

function readFields(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw wrong('The note is not a JSON object.');
}

function wrong(what: string): Refusal {
  return new Refusal(400, what, 'Send {"by": "NAME", "text": "...", "acknowledges": false}.');
}
