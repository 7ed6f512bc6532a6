/** The plans of the example watch: one that was made and one that is applied, as docs/api.md shows them. */
import type { PlansView, WatchPlan, WatchPlans } from '../../src/act/watch/watch-plan.ts';

const NOW = 1_794_772_000;

const PLAN: WatchPlan = {
  id: 'plan-20261115t194640-1a2b3c4d',
  hash: `sha256:${'5e'.repeat(32)}`,
  action: 'restart',
  via: 'print',
  node: 'worker-1',
  sentence: 'Restart the kubelet of worker-1.',
  expected: 'memory back to about 110 MiB; if the leak is intrinsic it is at the limit again in 9 days',
  first: [
    'Upgrade first (worker-1): kubernetes#139823 is fixed in 1.36.3: an upgrade cures it, a restart only buys time',
  ],
  warnings: [],
  forcedBecause: null,
  madeBy: 'kim',
  madeAt: NOW,
  expiresAt: NOW + 1800,
  state: 'ready',
  stateText: 'Nothing has been done. It is good for 30m more.',
  appliedBy: null,
  appliedAt: null,
  steps: [
    {
      id: 'worker-1/restart',
      kind: 'restart',
      sentence: 'waits until someone restarts the kubelet of worker-1 with one of these commands',
      calls: ['print ssh worker-1 sudo systemctl restart kubelet'],
      isFinal: true,
      state: 'waiting',
      at: null,
      detail: '',
    },
  ],
  verified: null,
  canApply: true,
  canAbort: false,
};

const VIEW: PlansView = {
  schema: 'oakum.plans/v1',
  incidentId: 'i-1',
  node: 'worker-1',
  cannotPlan: null,
  cannotAct: null,
  plans: [PLAN],
  elsewhere: [],
};

export const EXAMPLE_APPROVAL: string = JSON.stringify({ hash: PLAN.hash, confirm: PLAN.node });

export function examplePlans(): WatchPlans {
  const only = <T>(wanted: string, value: T): ((given: string) => Promise<T | undefined>) => {
    return async given => (given === wanted ? value : undefined);
  };
  return {
    cannotAct: null,
    view: only('i-1', VIEW),
    make: only('i-1', PLAN),
    file: only(PLAN.id, '# Written by oakum plan.\n'),
    log: only(PLAN.id, ''),
    apply: only(PLAN.id, { ...PLAN, state: 'applying', stateText: 'It is being applied.', canApply: false }),
    abort: only(PLAN.id, {
      ...PLAN,
      state: 'aborting',
      stateText: 'It is being aborted: what can be undone is undone.',
    }),
    story: async () => '',
    follow: async () => {},
    stop: async () => {},
  };
}
