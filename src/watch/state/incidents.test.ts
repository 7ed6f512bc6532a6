import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { StoredIncident } from '../../store/records.ts';
import { addStep, Incidents } from './incidents.ts';

const TARGET = {
  id: 'i-20261115-1957',
  target: 'node/a',
  openedAt: 1,
  resource: 'live heap',
  unit: 'bytes',
  metric: 'm',
  verdict: 'watch',
  worst: 'leak',
  closedAt: null,
  sentence: 'It grows.',
  timeline: [],
  captureIds: ['c-1'],
  restart: null,
  afterRestart: null,
  quietSince: null,
  matches: [],
};
const COHORT = {
  id: 'c-20261115-1957',
  cohort: { attribute: 'version', value: 'v2' },
  openedAt: 2,
  closedAt: 3,
  sentence: 'v2 leaks.',
  verdicts: [],
  toldGrowing: 4,
  quietSince: 2,
  timeline: [],
  notes: [],
};

it('reads and writes the documents of both kinds of subject', () => {
  const saved: StoredIncident[] = [];
  const incidents = new Incidents({ save: one => saved.push(one), saveAsLeader: one => saved.push(one) });
  const stored = [
    { id: TARGET.id, target: 'node/a', openedAt: 1, closedAt: null, version: 1, document: TARGET },
    { id: COHORT.id, target: 'version v2', openedAt: 2, closedAt: 3, version: 1001, document: COHORT },
    { id: 'i-later', target: 'node/a', openedAt: 1, closedAt: null, version: 2, document: {} },
  ];
  incidents.load(stored);
  const [target, cohort] = [incidents.ofTarget(TARGET.id), incidents.ofCohort(COHORT.id)];
  assert.ok(target !== undefined && cohort !== undefined);
  assert.equal(incidents.get('i-later'), undefined, 'of a version that it does not know');
  incidents.save(target);
  incidents.save(cohort);
  assert.deepEqual(saved, [{ ...stored[0], document: { ...TARGET, cause: null } }, stored[1]]);
  addStep(target, { at: 5, kind: 'note', text: 'later' });
  assert.deepEqual((saved[0]?.document as typeof TARGET).timeline, [], 'what is saved does not change any more');
});
