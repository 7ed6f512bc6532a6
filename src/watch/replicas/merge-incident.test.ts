import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { TargetIncident, TargetSubject } from '../state/incidents.ts';
import { mergeIncident } from './apply-update.ts';

const incident = (
  { closedAt = null, timeline = [], notes = [] }: Partial<TargetIncident>,
  subject: Partial<TargetSubject>,
): TargetIncident => ({
  id: 'i-1',
  openedAt: 1,
  closedAt,
  sentence: '',
  timeline,
  quietSince: null,
  notes,
  subject: {
    kind: 'target',
    target: 'node/a',
    resource: 'live heap',
    unit: 'bytes',
    metric: 'm',
    verdict: 'watch',
    worst: 'watch',
    captureIds: [],
    restart: null,
    afterRestart: null,
    matches: [],
    cause: null,
    ...subject,
  },
});
const step = (at: number, text: string) => ({ at, kind: 'note' as const, text, captureId: null });
const note = (at: number, by: string) => ({ at, by, text: 'x', acknowledges: false });

it('keeps what both replicas know of an incident; who samples the target decides the rest', () => {
  const mine = incident(
    { timeline: [step(1, 'opened'), step(5, 'proved')], notes: [note(2, 'kim')] },
    { verdict: 'leak', captureIds: ['c-1'] },
  );
  const theirs = incident(
    { closedAt: 9, timeline: [step(1, 'opened'), step(3, 'a note')], notes: [note(1, 'lee')] },
    { verdict: 'watch', captureIds: ['c-2'], partOf: 'c-9' },
  );
  const merged = mergeIncident(mine, theirs);
  assert.deepEqual(
    merged.timeline.map(({ text }) => text),
    ['opened', 'a note', 'proved'],
  );
  assert.deepEqual(
    merged.notes.map(({ by }) => by),
    ['lee', 'kim'],
  );
  assert.deepEqual([merged.subject.verdict, merged.closedAt, merged.subject.partOf], ['leak', null, 'c-9']);
  assert.deepEqual(merged.subject.captureIds, ['c-1', 'c-2']);
  assert.deepEqual(mergeIncident(merged, theirs), merged, 'once more changes nothing');
  assert.deepEqual(mergeIncident(merged, mine), merged);
});
