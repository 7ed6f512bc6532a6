/** Rights that are missing, at the start and later; and which membership `auto` takes. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../../../lab/api-client.ts';
import type { Environment } from '../../../lab/environment.ts';
import { ROOT } from '../../places.ts';
import type { PostgresServer } from '../../postgres/postgres-server.ts';
import { ReplicaProcess } from '../../soak/replicas/replica-process.ts';
import { apply, kubectl, type Manifest, say, until } from '../chart/chart-in-lab.ts';
import type { Stage } from './kills.ts';
import { NAMESPACE, type PodMaker } from './pod-like-replica.ts';
import { leasesOf } from './running-replicas.ts';

const ACCOUNT = 'system:serviceaccount:oakum:oakum';
const VERBS = ['get', 'list', 'create', 'update'] as const;
const CODE_COULD_NOT_OBSERVE = 3;

export interface RightsParts {
  readonly environment: Environment;
  readonly pods: PodMaker;
  /** Role and RoleBinding of the Leases, as the chart has them. */
  readonly role: Manifest;
  readonly binding: Manifest;
}

export function rightsOfLeases(objects: readonly Manifest[]): Pick<RightsParts, 'role' | 'binding'> {
  const find = (wanted: string): Manifest | undefined =>
    objects.find(({ kind, metadata }) => kind === wanted && metadata.name === 'oakum-replicas');
  const [role, binding] = [find('Role'), find('RoleBinding')];
  assert.ok(role !== undefined && binding !== undefined, 'the chart has a role for Leases');
  return { role, binding };
}

/** Each right in turn is missing: one line that names it and says how to grant it. */
export async function missingRights({ environment, pods, role }: RightsParts): Promise<void> {
  const [rule] = role['rules'] as [{ verbs: string[] }];
  for (const missing of VERBS) {
    const verbs = rule.verbs.filter(verb => verb !== missing);
    setRole(environment, { ...role, rules: [{ ...rule, verbs }] });
    await untilMay(environment, missing, false);
    const run = await start(pods, `without-${missing}`);
    const said = new RegExp(
      `^oakum: replica without-${missing} may not ${missing} leases \\(coordination\\.k8s\\.io\\) in the namespace oakum: ` +
        'bind the role that "oakum access --for replicas --replica-namespace oakum" prints to its account, ' +
        'or use --replica postgres\n$',
    );
    assert.match(run.err, said);
    assert.equal(run.code, CODE_COULD_NOT_OBSERVE);
    if (missing === 'list') say(`without the right to list leases, exit code ${run.code}: ${run.err.trim()}`);
  }
  setRole(environment, role);
  for (const verb of VERBS) await untilMay(environment, verb, true);
  say(`the same for ${VERBS.filter(verb => verb !== 'list').join(', ')}`);

  const args = ['--kubeconfig', environment.kubeconfigs.admin, '--replica-namespace=nowhere'];
  const { code, err } = await start(pods, 'in-nowhere', ['--replica-namespace'], args);
  assert.match(
    err,
    /^oakum: there is no namespace nowhere for the Leases of replicas: create it, or name another with --/,
  );
  assert.equal(code, CODE_COULD_NOT_OBSERVE);
  say(`in a namespace that does not exist: ${err.trim()}`);
}

/** In which a leader would send. */
const QUIET_SECONDS = 20;

/** Replicas that run lose their right: they sample on, say so, and go on when they have it again. */
export async function revokedRights({ replicas, alerts }: Stage, { environment, binding }: RightsParts): Promise<void> {
  const { status, out } = kubectl(environment, ['-n', NAMESPACE, 'delete', 'rolebinding', binding.metadata.name]);
  assert.equal(status, 0, out);
  await until('each says what it may not', 30, async () => {
    const views = await replicas.views();
    return views.every(({ trouble, isLeader }) => !isLeader && /may not list leases/.test(trouble ?? ''));
  });
  const [{ trouble }] = await replicas.views();
  const posts = alerts.posts.length;
  await delay(1000 * QUIET_SECONDS);
  assert.equal(alerts.posts.length, posts, 'nobody may send');
  // As soon as somebody leads again, it may.
  apply(environment, [binding]);
  const back = await replicas.untilAgreed(replicas.all, 30);
  say(`the right taken away from running replicas: ${trouble} Given back, they agree after ${back.toFixed(1)} s`);
}

/** `auto`: Leases only in the cluster that it watches and runs in. */
export async function autoChoice(
  pods: PodMaker,
  kubeconfig: string,
  client: ApiClient,
  { server, schema }: { readonly server: PostgresServer; readonly schema: string },
): Promise<void> {
  const rows = async (): Promise<string[]> =>
    (await server.run('SELECT id FROM replicas', schema)).map(({ id }) => String(id));
  const holds = async (id: string): Promise<boolean> =>
    (await leasesOf(client)).some(({ holder }) => holder.startsWith(`${id}_`));
  const without = ['--replica='];
  const auto = ['--replica=auto'];
  const other = [...auto, '--kubeconfig', kubeconfig];
  const outside = await pods.command('outside', { without, args: other });
  const { PATH = '', HOME = '' } = pods.environment;
  for (const [id, byLease, replica] of [
    ['in-pod', true, await pods.replica('in-pod', { without, args: auto })],
    ['other-cluster', false, await pods.replica('other-cluster', { without, args: other })],
    ['outside', false, new ReplicaProcess({ id: 'outside', args: outside, env: { PATH, HOME }, logs: HOME })],
  ] as const) {
    try {
      await replica.start();
      assert.deepEqual([await holds(id), (await rows()).includes(id)], [byLease, !byLease], id);
    } finally {
      await replica.signal('SIGTERM');
    }
    assert.deepEqual([await holds(id), (await rows()).includes(id)], [false, false], `${id} left`);
  }
  say('--replica auto: Leases in a pod of the watched cluster; rows in a pod with a kubeconfig, and outside of a pod');
}

function setRole(environment: Environment, role: Manifest): void {
  const { status, out } = apply(environment, [role]);
  assert.equal(status, 0, out);
}

async function untilMay(environment: Environment, verb: string, may: boolean): Promise<void> {
  const args = ['auth', 'can-i', verb, 'leases.coordination.k8s.io', '-n', NAMESPACE, `--as=${ACCOUNT}`];
  await until(
    `the right to ${verb} leases is ${may}`,
    20,
    async () => (kubectl(environment, args).status === 0) === may,
  );
}

interface Started {
  readonly code: number | null;
  readonly err: string;
}

/** Runs until it ends by itself. */
async function start(
  pods: PodMaker,
  id: string,
  without: readonly string[] = [],
  args: readonly string[] = [],
): Promise<Started> {
  const command = await pods.command(id, { without, args });
  const [program = '', ...rest] = [...pods.within, process.execPath, join(ROOT, 'bin/oakum.js'), 'watch', ...command];
  const { status, stderr } = spawnSync(program, rest, { encoding: 'utf8', env: pods.environment, timeout: 60_000 });
  return { code: status, err: stderr };
}
