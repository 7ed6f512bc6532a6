/** New captures of a target become part of its incident, and of what its verdict rests on. */
import { fixedInText } from '../../knowledge/known-leak-match.ts';
import { isSameLife } from '../../evidence/process-life.ts';
import { addStep, idSuffix } from '../state/incidents.ts';
import type { WatchedTarget } from '../state/watched-target.ts';
import type { WatchState } from '../state/watch-state.ts';
import { updateIncident } from './life-cycle.ts';
import { followVerdict } from './follow-verdicts.ts';
import { analyzeCaptures, incidentCaptures } from './incident-analysis.ts';
import type { StoredCapture } from '../../store/records.ts';
import { logEvent } from '../state/story.ts';

/** `step` is for the timeline; nothing happens without an incident. */
export async function addToIncident(
  state: WatchState,
  target: WatchedTarget,
  captures: readonly StoredCapture[],
  step: { readonly at: number; readonly text: string },
): Promise<void> {
  const incident = state.incidents.ofTarget(target.incidentId);
  const last = captures.at(-1);
  if (incident === undefined || last === undefined) return;
  const { subject } = incident;
  subject.captureIds.push(...captures.map(({ id }) => id));
  addStep(incident, { ...step, kind: 'capture', captureId: last.id });
  const analysis = await analyzeCaptures(state, incident.id, incidentCaptures(state, incident));
  const now = state.ports.clock.now();
  for (const { matches } of analysis?.findings ?? []) {
    for (const match of matches) {
      if (match.affected === 'fixed' || match.grade === 'possible') continue;
      const known = `${match.ref} (${match.grade})`;
      // It is on the timeline already, maybe as confirmed from other captures.
      if (subject.matches.includes(known) || subject.matches.includes(`${match.ref} (confirmed)`)) continue;
      subject.matches.push(known);
      const text = `${match.grade} as ${match.ref}: ${match.title}; ${fixedInText(match)}`;
      addStep(incident, { at: now, kind: 'note', text });
      logEvent(state, now, target.name, text);
    }
  }
  // What the capture shows of this life is evidence like what the metrics show.
  if (isSameLife(last.processStartSeconds, target.startSeconds)) target.captures.ledgers = analysis?.ledgers ?? [];
  if (target.detected === undefined) return updateIncident(state, incident, now);
  const before = target.verdict?.verdict;
  await followVerdict(state, target, target.detected, now);
  if (target.verdict?.verdict !== before) state.emit({ kind: 'fleet', at: now });
}

/** `c-20261115-195720`, with a number if there are several. */
export function newCaptureId({ captures, newCaptureIds, share }: WatchState, at: number): string {
  const base = `c-${new Date(at * 1000).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}${idSuffix(share.id)}`;
  for (let n = 1; ; n++) {
    const id = n === 1 ? base : `${base}-${n}`;
    if (captures.has(id) || newCaptureIds.has(id)) continue;
    newCaptureIds.add(id);
    return id;
  }
}

/** A capture of an earlier run, or of another replica. */
export function recallCapture(state: Pick<WatchState, 'captures' | 'targets'>, capture: StoredCapture): void {
  if (state.captures.has(capture.id)) return;
  state.captures.set(capture.id, capture);
  const target = state.targets.get(capture.target);
  if (target !== undefined) recallCaptureOf(state, capture, target);
}

/** One that is known becomes one of the target's, if it is of this life. */
export function recallCaptureOf(
  { captures }: Pick<WatchState, 'captures'>,
  capture: StoredCapture,
  target: WatchedTarget,
): void {
  if (!isSameLife(capture.processStartSeconds, target.startSeconds)) return;
  for (const dropped of target.captures.recall(capture)) captures.delete(dropped);
}
