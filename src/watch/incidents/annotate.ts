/** Notes of people about an incident: on its timeline, on that of its target, in the store and in the team's report. */
import type { IncidentNote, NewNote } from '../watch-model.ts';
import type { CohortIncidentRecord } from '../state/cohort-incident-records.ts';
import { addStepTo, type IncidentRecord } from '../state/incident-records.ts';
import { tell, type WatchState } from '../state/watch-state.ts';
import { timeText } from '../../base/say.ts';
import { prose } from '../../report/markdown.ts';

/** Older ones are dropped. */
const MAX_NOTES = 200;

export function annotate(state: WatchState, record: IncidentRecord, given: NewNote): IncidentNote {
  const note: IncidentNote = { ...given, at: state.ports.clock.now() };
  const { at, by, text, acknowledges } = note;
  record.notes = [...(record.notes ?? []), note].slice(-MAX_NOTES);
  const said = text === '' ? '' : `: ${text}`;
  const kind = acknowledges ? 'acknowledged' : 'annotation';
  state.incidents.addStep(record, { at, kind, text: `by ${by}${said}` });
  state.ports.store.put({
    kind: 'event',
    record: { target: record.target, at, kind: 'note', text: `${kind} by ${by}${said}` },
  });
  tell(state, at, record.target, `incident ${record.id} ${acknowledges ? 'acknowledged' : 'annotated'} by ${by}`);
  state.incidents.save(record);
  state.emit({ kind: 'incident', id: record.id, at });
  return note;
}

export function annotateCohort(state: WatchState, record: CohortIncidentRecord, given: NewNote): IncidentNote {
  const note: IncidentNote = { ...given, at: state.ports.clock.now() };
  const { at, by, text, acknowledges } = note;
  record.notes = [...record.notes, note].slice(-MAX_NOTES);
  const kind = acknowledges ? 'acknowledged' : 'annotation';
  addStepTo(record.timeline, { at, kind, text: text === '' ? `by ${by}` : `by ${by}: ${text}` });
  state.cohortIncidents.save(record);
  state.emit({ kind: 'incident', id: record.id, at });
  return note;
}

/** The last one who acknowledged it. */
export function acknowledgedIn({ notes = [] }: Pick<IncidentRecord, 'notes'>): Pick<IncidentNote, 'at' | 'by'> | null {
  const note = notes.findLast(({ acknowledges }) => acknowledges);
  return note === undefined ? null : { at: note.at, by: note.by };
}

/** A section for the report of the team; the reports that leave have no notes, which may name anything. */
export function notesSection({ notes = [] }: Pick<IncidentRecord, 'notes'>): string {
  if (notes.length === 0) return '';
  const lines = notes.map(({ at, by, text, acknowledges }) => {
    const what = [acknowledges ? 'acknowledged' : '', text].filter(part => part !== '').join(': ');
    return `- ${timeText(at)} ${prose(by)}: ${prose(what.replaceAll(/\s+/g, ' '))}`;
  });
  return `\n## Notes\n\n${lines.join('\n')}\n`;
}
