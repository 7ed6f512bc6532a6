import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { IncidentRecord } from '../state/incident-records.ts';
import { mergeIncident } from './apply-news.ts';

const record = (more: Partial<IncidentRecord>): IncidentRecord => ({
  id: 'i-1',
  target: 'node/a',
  openedAt: 1,
  resource: 'live heap',
  unit: 'bytes',
  metric: 'm',
  verdict: 'watch',
  worst: 'watch',
  closedAt: null,
  sentence: '',
  timeline: [],
  captureIds: [],
  restart: null,
  afterRestart: null,
  quietSince: null,
  matches: [],
  ...more,
});
const step = (at: number, text: string) => ({ at, kind: 'note' as const, text, captureId: null });
const note = (at: number, by: string) => ({ at, by, text: 'x', acknowledges: false });

it('keeps what both replicas know of an incident; who samples the target decides the rest', () => {
  const mine = record({
    verdict: 'leak',
    timeline: [step(1, 'opened'), step(5, 'proved')],
    captureIds: ['c-1'],
    notes: [note(2, 'kim')],
  });
  const theirs = record({
    verdict: 'watch',
    closedAt: 9,
    timeline: [step(1, 'opened'), step(3, 'a note')],
    captureIds: ['c-2'],
    notes: [note(1, 'lee')],
    partOf: 'c-9',
  });
  const merged = mergeIncident(mine, theirs);
  assert.deepEqual(
    merged.timeline.map(({ text }) => text),
    ['opened', 'a note', 'proved'],
  );
  assert.deepEqual(
    merged.notes?.map(({ by }) => by),
    ['lee', 'kim'],
  );
  assert.deepEqual([merged.verdict, merged.closedAt, merged.partOf], ['leak', null, 'c-9']);
  assert.deepEqual(merged.captureIds, ['c-1', 'c-2']);
  assert.deepEqual(mergeIncident(merged, theirs), merged, 'once more changes nothing');
  assert.deepEqual(mergeIncident(merged, mine), merged);
});
