/**
 * A watch that runs during all other checks, allowed to act and to set conditions: it sees what `oakum apply` does to leak-a, makes
 * plans of its own, and does what a person with a token approves.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { listOf, recordOf, textOf, type JsonRecord } from '../../../src/base/json.ts';
import type { TargetView } from '../../../src/watch/watch-model.ts';
import type { PlansView, WatchPlan } from '../../../src/act/watch/watch-plan.ts';
import { saw } from '../check.ts';
import { type RunningPrometheus, startPrometheus } from '../prometheus.ts';
import { type RunningWatch, startWatch } from '../watch/running-watch.ts';
import type { ActCheck, Acting } from './acting.ts';

export interface LabWatch {
  readonly watch: RunningWatch;
  readonly prometheus: RunningPrometheus | undefined;
  /** `True kubelet-startpodsync-context`, in the order in which leak-a had it. */
  readonly conditions: string[];
  readonly said: string[];
  stop(): Promise<void>;
}

export const WATCH_CHECKS: readonly string[] = [
  'watch: the condition, and what apply did elsewhere',
  'plans from a live watch, and from a triage as JSON',
  'watch: nothing without a token, the hash and the name',
  'watch: a plan applied by a person, live',
  'verify --prometheus: one look at both lives',
];

const NODE = 'leak-a';
const TOKEN = 'token-of-kim-0123456789abcdef';
const READ_TOKEN = 'token-to-read-0123456789abcdef';
const LOOK_MS = 3000;

export async function startLabWatch(lab: Acting): Promise<LabWatch> {
  const { folder, environment } = lab;
  writeFileSync(join(folder, 'people'), `kim ${TOKEN}\n`, { mode: 0o600 });
  const command = `${process.execPath} ${join(folder, 'restart.mjs')} {node}`;
  const args = [
    ...['--time-scale', '340', '--interval', '5s', '--memory-limit', '4Gi', '--capture', '--data', 'watch-data'],
    ...['--allow-actions', '--actions-token-file', 'people', '--restart-via', 'command', '--restart-command', command],
    ...['--lock-namespace', 'oakum', '--node-condition'],
  ];
  const said: string[] = [];
  const prometheus = await startPrometheus(join(folder, '..', 'prometheus'), environment);
  const watch = await startWatch(
    join(folder, '..'),
    args,
    environment.kubeconfigs['admin'],
    line => void said.push(line),
  );
  const conditions: string[] = [];
  const end = new AbortController();
  const looking = (async () => {
    while (!end.signal.aborted) {
      const now = await conditionOf(lab).catch(() => undefined);
      if (now !== undefined && now !== conditions.at(-1)) conditions.push(now);
      await delay(LOOK_MS, undefined, { signal: end.signal }).catch(() => undefined);
    }
  })();
  return {
    watch,
    prometheus,
    conditions,
    said,
    stop: async () => {
      end.abort();
      await looking;
      await watch.stop();
      prometheus?.stop();
    },
  };
}

async function conditionOf(lab: Acting): Promise<string | undefined> {
  const found = conditionsIn(await lab.get('node', NODE)).find(({ type }) => type === 'KubeletLeaking');
  return found === undefined ? undefined : `${textOf(found['status'])} ${textOf(found['reason'])}`;
}

function conditionsIn(node: JsonRecord): JsonRecord[] {
  return listOf(recordOf(node['status'])['conditions']).map(recordOf);
}

async function until<T>(what: string, minutes: number, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + minutes * 60_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`not within ${minutes} min: ${what}`);
    await delay(LOOK_MS);
  }
}

/** After the leak came back: the process that runs now is proved to leak, with evidence of its own. */
async function leakingIncident({ watch }: LabWatch): Promise<string> {
  return until(`${NODE} leaks again, by the watch`, 12, async () => {
    const row = (await watch.fleet()).rows.find(({ target }) => target === `node/${NODE}`);
    if (row?.verdict !== 'leak' || row.incidentId === null) return undefined;
    const { captures } = await watch.incident(row.incidentId);
    const found = await watch.get(`/api/v1/targets/${encodeURIComponent(`node/${NODE}`)}`);
    const { epochs } = JSON.parse(new TextDecoder().decode(found)) as TargetView;
    const began = epochs.at(-1)?.from ?? Infinity;
    return captures.some(({ at }) => at > began) ? row.incidentId : undefined;
  });
}

async function post(url: string, body: unknown, token?: string): Promise<{ status: number; body: JsonRecord }> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: recordOf(await answer.json()) };
}

async function plansOf({ watch }: LabWatch, id: string): Promise<PlansView> {
  return JSON.parse(new TextDecoder().decode(await watch.get(`/api/v1/incidents/${id}/plans`))) as PlansView;
}

export function watchChecks(labWatch: LabWatch): readonly ActCheck[] {
  return [conditionAndApplies, plansFromWatchAndTriage, refusedRequests, appliedByPerson].map(check => check(labWatch));
}

function conditionAndApplies(labWatch: LabWatch): ActCheck {
  return {
    name: 'watch: the condition, and what apply did elsewhere',
    run: async lab => {
      const id = await leakingIncident(labWatch);
      await until('the condition is True again', 3, async () =>
        labWatch.conditions.at(-1)?.startsWith('True') === true ? true : undefined,
      );
      // Whether the first life was proved before it ended depends on the machine; a restart always clears it.
      for (const one of labWatch.conditions)
        assert.match(one, /^(?:True (?:LeakProved|kubelet-\S+)|False Restarted)$/, labWatch.conditions.join(', '));
      const types = conditionsIn(await lab.get('node', NODE)).map(({ type }) => textOf(type));
      for (const type of ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']) assert.ok(types.includes(type));
      const { items } = await lab.get('nodes');
      const marked = listOf(items)
        .map(recordOf)
        .filter(node => conditionsIn(node).some(({ type }) => type === 'KubeletLeaking'));
      assert.deepEqual(
        marked.map(node => textOf(recordOf(node['metadata'])['name'])),
        [NODE],
      );
      const events = await lab.kubectl('get', 'events.events.k8s.io', '-n', 'default');
      assert.ok(events.includes('KubeletLeaking'));
      const seen = (await plansOf(labWatch, id)).elsewhere.flatMap(({ steps }) => steps.map(({ reason }) => reason));
      for (const reason of ['KubeletRestartSucceeded'])
        assert.ok(seen.includes(reason), `not seen: ${reason} in ${seen.join(' ')}`);
      return `${labWatch.conditions.join(', ')}; ${seen.length} Events of the apply`;
    },
  };
}

function plansFromWatchAndTriage(labWatch: LabWatch): ActCheck {
  const { watch } = labWatch;
  return {
    name: 'plans from a live watch, and from a triage as JSON',
    run: async lab => {
      const kubeconfig = lab.environment.kubeconfigs['admin'];
      // The cool-down of the first restart is not what this is about.
      await lab.kubectl('annotate', 'node', NODE, 'oakum.dev/last-restart-');
      const id = await leakingIncident(labWatch);
      const file = await lab.plan('from-watch', 'restart', `node/${NODE}`, '--from', watch.url);
      const dry = await lab.oakum(['apply', '-f', file, '--dry-run', '--command', lab.command], { kubeconfig });
      saw(dry, 0, /restarts the kubelet of leak-a \(final\)/);
      const json = ['triage', `node/${NODE}`, '--sets', '2', '--gap', '20s', '--evidence', 'as-json', '-o', 'json'];
      const triage = await lab.oakum(json, { kubeconfig });
      assert.equal(triage.code, 0, triage.err);
      writeFileSync(join(lab.folder, 'triage.json'), triage.out);
      const source = (JSON.parse(triage.out) as { verdict: string }).verdict;
      const forced = source === 'leak' ? [] : ['--force', `triage says ${source} after 20 s`];
      await lab.plan('from-triage', 'restart', `node/${NODE}`, '--from', 'triage.json', ...forced);
      return `incident ${id}: ${file}; a triage that says ${source}: from-triage.yaml`;
    },
  };
}

function refusedRequests(labWatch: LabWatch): ActCheck {
  const { watch } = labWatch;
  return {
    name: 'watch: nothing without a token, the hash and the name',
    run: async lab => {
      const id = await leakingIncident(labWatch);
      const made = await post(`${watch.url}/api/v1/incidents/${id}/plans`, { by: 'kim', action: 'restart' });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const plan = made.body as unknown as WatchPlan;
      const before = lab.restarts(NODE);
      const apply = `${watch.url}/api/v1/plans/${plan.id}/apply`;
      const right = { hash: plan.hash, confirm: NODE };
      const answers = [
        await post(apply, right),
        await post(apply, right, READ_TOKEN),
        await post(apply, { ...right, confirm: 'fix-a' }, TOKEN),
        await post(apply, { ...right, hash: `sha256:${'0'.repeat(64)}` }, TOKEN),
        await post(apply, { ...right, argv: ['sh'] }, TOKEN),
      ].map(({ status }) => status);
      assert.deepEqual(answers, [401, 401, 409, 409, 400]);
      assert.equal(lab.restarts(NODE), before);
      assert.deepEqual(await lab.marks(NODE), []);
      return `${plan.id}: ${answers.join(' ')}`;
    },
  };
}

function appliedByPerson(labWatch: LabWatch): ActCheck {
  const { watch } = labWatch;
  return {
    name: 'watch: a plan applied by a person, live',
    run: async lab => {
      const id = await leakingIncident(labWatch);
      const { plans } = await plansOf(labWatch, id);
      const [plan] = plans;
      const before = lab.restarts(NODE);
      const begun = await post(`${watch.url}/api/v1/plans/${plan.id}/apply`, { hash: plan.hash, confirm: NODE }, TOKEN);
      assert.equal(begun.status, 202, JSON.stringify(begun.body));
      const states = new Set<string>();
      const done = await until('it is applied', 6, async () => {
        const [now] = (await plansOf(labWatch, id)).plans;
        for (const { id: step, state } of now.steps) if (state === 'running') states.add(step);
        if (now.state === 'stopped') throw new Error(now.stateText);
        return now.state === 'applied' ? now : undefined;
      });
      assert.equal(lab.restarts(NODE) - before, 1);
      assert.deepEqual(await lab.marks(NODE), []);
      assert.match(done.appliedBy ?? '', /^kim, through oakum watch as /);
      assert.ok(done.steps.every(({ state }) => state === 'done'));
      assert.ok(states.size > 0, 'no step was seen while it ran');
      await until('the condition is False again', 3, async () =>
        labWatch.conditions.at(-1)?.startsWith('False') === true ? true : undefined,
      );
      assert.equal(labWatch.conditions.at(-1), 'False Restarted');
      assert.match(await lab.kubectl('get', 'events.events.k8s.io', '-n', 'default'), /KubeletLeakCleared/);
      const log = new TextDecoder().decode(await watch.get(`/api/v1/plans/${plan.id}/log`));
      assert.match(log, /"kind":"apply-ended","outcome":"done"/);
      const replayed = await post(
        `${watch.url}/api/v1/plans/${plan.id}/apply`,
        { hash: plan.hash, confirm: NODE },
        TOKEN,
      );
      assert.equal(replayed.status, 409);
      return `${done.appliedBy}; seen running: ${[...states].join(' ')}; verify: ${done.verified?.outcome}`;
    },
  };
}

/** Both lives of leak-a as a Prometheus has them, without a scrape of our own. */
export function prometheusCheck({ prometheus }: LabWatch): ActCheck {
  return {
    name: 'verify --prometheus: one look at both lives',
    run: async lab => {
      if (prometheus === undefined) return 'skipped: there is no Prometheus';
      const kubeconfig = lab.environment.kubeconfigs['admin'];
      // It also has made-up series of a node of that name.
      const match = ['--prometheus-match', 'job="kubelet",node="leak-a"'];
      const args = ['verify', '-f', 'leak.yaml', '--prometheus', prometheus.url, ...match, '--warm-up', '90s'];
      return saw(
        await lab.oakum(args, { kubeconfig }),
        1,
        /CAME BACK, INTRINSIC leak-a .* slope came back, intrinsic: .*/,
      );
    },
  };
}
