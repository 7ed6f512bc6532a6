/** A rollout as the API answers it: v1.36.0 leaks on 19 of 20 nodes, and on none of 60 elsewhere. */
import type { CohortIncidentView, CohortMember, RolloutView } from '../../src/watch/watch-model.ts';
import type { ListedCohort } from '../../src/watch/watch-model.ts';
import type { CohortsView, IncidentSummary } from '../../src/watch/watch-model.ts';
import { NOW } from './made-fleet.ts';

const HOUR = 3600;
const MIB = 1024 * 1024;
const BINS = 48;
const ROLLOUT_BIN = 24;

const nodes = Array.from({ length: 20 }, (_, i) => `node/worker-${String(i + 1).padStart(2, '0')}`);
export const GROWING: readonly string[] = nodes.slice(0, 19);
const AGAINST = 'node/worker-20';

export const COHORT_ID = 'c-20260804-1200';

const LEAKING: ListedCohort = {
  attribute: 'version',
  value: 'v1.36.0',
  resource: 'live heap',
  unit: 'bytes',
  verdict: 'leak',
  ratePerHour: [2.1 * MIB, 2.3 * MIB, 2.5 * MIB],
  perPod: null,
  spreadPerHour: 0.1 * MIB,
  targets: 20,
  observed: 20,
  leaking: GROWING,
  leakingCount: GROWING.length,
  against: [{ target: AGAINST, ratePerHour: 0, differs: ['runtime cri-o://1.31.2, not containerd://2.0.1'] }],
  controls: 60,
  controlsLeaking: 0,
  equalAges: false,
  since: new Date((NOW - 24 * HOUR) * 1000).toISOString(),
  windowHours: 12,
  chance: 1e-9,
  leastChance: 1e-12,
  vetoes: [],
  alternatives: [],
  onset: [],
  hoursForOne: 8,
  sentence:
    'version v1.36.0: live heap grows 2.3 MiB/h (2.1 MiB to 2.5 MiB) on 19 of 20 targets with it, and on 0 of 60 without it',
};

const HEALTHY: ListedCohort = {
  ...LEAKING,
  value: 'v1.35.4',
  verdict: 'healthy',
  ratePerHour: [-0.1 * MIB, 0, 0.1 * MIB],
  targets: 60,
  observed: 60,
  leaking: [],
  leakingCount: 0,
  against: [],
  controls: 20,
  since: null,
  sentence: 'version v1.35.4: live heap on 60 targets grows as elsewhere over 12h (at most 102 KiB/h more)',
};

const SUMMARY: IncidentSummary = {
  id: COHORT_ID,
  target: 'version v1.36.0',
  resource: 'live heap',
  verdict: 'leak',
  openedAt: NOW - 12 * HOUR,
  closedAt: null,
  sentence: 'v1.36.0 leaks on 19 of 20 nodes, 0 of 60 elsewhere: stop the rollout.',
  acknowledged: null,
  cohort: { attribute: 'version', value: 'v1.36.0', folded: 19, open: 19 },
  partOf: null,
};

export function madeCohorts(): CohortsView {
  return {
    schema: 'oakum.cohorts/v1',
    at: NOW,
    sentence: `${LEAKING.sentence}.`,
    cohorts: [LEAKING, HEALTHY, { ...HEALTHY, attribute: 'pool', value: 'batch' }],
    changes: nodes.map((target, i) => ({
      at: NOW - 24 * HOUR + i * 60,
      target,
      attribute: 'version',
      from: 'v1.35.4',
      to: 'v1.36.0',
    })),
    incidents: [SUMMARY],
  };
}

export function madeRollout(): RolloutView {
  const bins = Array.from({ length: BINS }, (_, bin) => bin);
  const since = (bin: number): number => Math.max(0, bin - ROLLOUT_BIN);
  return {
    schema: 'oakum.rollout/v1',
    at: NOW,
    attribute: 'version',
    resource: 'live heap',
    unit: 'bytes',
    bins: { from: NOW - BINS * HOUR, stepSeconds: HOUR, count: BINS },
    values: [
      {
        value: 'v1.36.0',
        targets: bins.map(bin => Math.min(20, 5 * since(bin))),
        growth: bins.map(bin => (bin <= ROLLOUT_BIN ? null : 2.3 * MIB * since(bin))),
      },
      {
        value: 'v1.35.4',
        targets: bins.map(bin => 80 - Math.min(20, 5 * since(bin))),
        growth: bins.map(bin => 0.4 * MIB * Math.sin(bin / 4)),
      },
    ],
    moreValues: 0,
  };
}

export function madeCohortIncident(changes: Partial<CohortIncidentView> = {}): CohortIncidentView {
  return {
    ...SUMMARY,
    schema: 'oakum.cohort-incident/v1',
    cohort: { attribute: 'version', value: 'v1.36.0', folded: 19, open: 19 },
    verdicts: [LEAKING],
    members: [...GROWING.map(growing), against()],
    moreMembers: 0,
    causes: [],
    known: [
      {
        id: 'kubelet-startpodsync-context',
        ref: 'kubernetes#139823',
        title: 'A context stays behind after every pod sync',
        fixedIn: ['1.36.3', '1.37.0'],
      },
    ],
    timeline: [
      { at: NOW - 24 * HOUR, kind: 'note', text: 'the first target got version v1.36.0', captureId: null },
      { at: NOW - 12 * HOUR, kind: 'leak', text: `proved: ${LEAKING.sentence}`, captureId: null },
    ],
    notes: [],
    todo: ['stop the rollout of v1.36.0: it is on 25 % of the targets', 'move to a version that has the fix: 1.36.3'],
    ...changes,
  };
}

function growing(target: string, index: number): CohortMember {
  return {
    target,
    role: 'grows',
    verdict: 'leak',
    resource: 'live heap',
    unit: 'bytes',
    slopePerHour: (2.6 - index / 40) * MIB,
    timeToLimitHours: [30 + index, 44 + index],
    since: NOW - 24 * HOUR + index * 60,
    differs: [],
    incidentId: `i-20260805-0${index}`,
  };
}

function against(): CohortMember {
  return {
    ...growing(AGAINST, 19),
    role: 'against',
    verdict: 'healthy',
    slopePerHour: 0,
    timeToLimitHours: null,
    differs: ['runtime cri-o://1.31.2, not containerd://2.0.1'],
    incidentId: null,
  };
}
