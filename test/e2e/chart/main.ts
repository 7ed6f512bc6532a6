/**
 * npm run e2e:chart
 *
 * The chart against a real API server (lab/), with helm from the PATH or OAKUM_HELM:
 *
 *     every switch, rendered    -> kubectl apply --dry-run=server        and the pod in a restricted namespace
 *     the chart, as a release   -> helm install, upgrade, uninstall      the notes, the token
 *     the roles, applied        -> kubectl auth can-i --list             compared with a golden
 *     the service account       -> oakum watch --direct                  samples every node, writes an Event, and
 *                                                                        may do nothing that the role does not say
 *
 * Five minutes. OAKUM_UPDATE_GOLDENS=1 writes the golden. Exits 1 if anything failed.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stringify } from 'yaml';
import { startLab, stopLab } from '../../../lab/control.ts';
import { environmentOf, type Environment } from '../../../lab/environment.ts';
import { credentialFiles } from '../../../src/live/io/credential-files.ts';
import { httpSender } from '../../../src/live/io/send-request.ts';
import { eventDestination } from '../../../src/watch/io/event-destination.ts';
import { openKubeCluster } from '../../../src/live/io/kube/kube-cluster.ts';
import type { KubeOptions } from '../../../src/live/io/kube/kube-credentials.ts';
import type { WatchStatus } from '../../../src/watch/watch-model.ts';
import { SWITCHES } from '../../deploy/chart-switches.ts';
import { exampleNotice } from '../../double/notices.ts';
import { ROOT } from '../../places.ts';
import {
  apply,
  findHelm,
  helmTemplate,
  kubeconfigWith,
  kubectl,
  type Manifest,
  type Outcome,
  type Render,
  renderWith,
  rightsIn,
  say,
  until,
} from './chart-in-lab.ts';
import { CUSTOM_RESOURCES } from './custom-resources.ts';
import { ownCluster } from './own-cluster.ts';
import { helmTestScript, releases } from './release.ts';

const GOLDEN = join(import.meta.dirname, 'can-i.txt');
const ACCOUNT = 'system:serviceaccount:oakum:oakum';

const helm = findHelm();
if (helm === undefined) console.log('skipped: there is no helm; set OAKUM_HELM');
else process.exitCode = await main(helm);

async function main(helmPath: string): Promise<number> {
  assert.equal(spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: ROOT, stdio: 'inherit' }).status, 0);
  const folder = mkdtempSync(join(tmpdir(), 'oakum-e2e-chart-'));
  const labFolder = join(folder, 'lab');
  try {
    const lab = await startLab({
      folder: labFolder,
      nodesFile: join(import.meta.dirname, 'nodes.json'),
      lifetimeMinutes: 20,
      say: line => say(`lab: ${line}`),
    });
    const environment = environmentOf(lab);
    const render = renderWith(helmPath);
    dryRuns(environment, render);
    await releases(environment, helmPath);
    rights(environment, render);
    await watchAsAccount(environment, render, folder);
    await ownCluster(environment, render, folder);
    say('all passed');
    return 0;
  } catch (error) {
    say(`FAILED: ${(error as Error).stack}`);
    return 1;
  } finally {
    await stopLab(labFolder);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every object of every switch. */
function dryRuns(environment: Environment, render: Render): void {
  const restricted = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  const namespaces = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'oakum', labels: restricted } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'oakum-act' } },
  ];
  const prepared = apply(environment, [...namespaces, ...CUSTOM_RESOURCES]);
  assert.equal(prepared.status, 0, prepared.out);
  kubectl(environment, ['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
  let count = 0;
  for (const [name, args] of Object.entries(SWITCHES)) {
    const objects = render(args);
    const { status, out } = apply(environment, objects, '--dry-run=server');
    assert.equal(status, 0, `${name}: ${out}`);
    assert.doesNotMatch(out, /^Warning/m, `${name}: ${out}`);
    count += objects.length;
    const workload = objects.find(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')?.['spec'];
    const { spec } = workload.template;
    const claimed = (workload.volumeClaimTemplates ?? []).map((claim: Manifest) => ({
      name: claim.metadata.name,
      emptyDir: {},
    }));
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'like-the-workload', namespace: 'oakum' } };
    const volumes = [...spec.volumes, ...claimed];
    const own = { ...pod, spec: { ...spec, volumes, serviceAccountName: 'default', priorityClassName: undefined } };
    const admitted = apply(environment, [own], '--dry-run=server');
    assert.equal(admitted.status, 0, `${name}, the pod: ${admitted.out}`);
  }
  say(
    `${count} objects of ${Object.keys(SWITCHES).length} switches were admitted, and each pod by restricted Pod Security`,
  );
}

/** What the service account may do, as the API server says. */
function rights(environment: Environment, render: Render): void {
  const lines: string[] = [];
  const list = (title: string, args: readonly string[]): void => {
    const objects = rightsIn(render(args));
    const { status, out } = apply(environment, objects);
    assert.equal(status, 0, out);
    const inNamespace = (namespace: string): string[] => {
      const listed = kubectl(environment, ['auth', 'can-i', '--list', `--as=${ACCOUNT}`, '-n', namespace]);
      assert.equal(listed.status, 0, listed.out);
      return rowsOf(listed.out);
    };
    const everywhere = inNamespace('default');
    const own = inNamespace('oakum').filter(line => !everywhere.includes(line));
    lines.push(`# ${title}`, ...everywhere, ...own.map(line => `in the namespace oakum: ${line}`), '');
    const removed = kubectl(
      environment,
      ['delete', '--ignore-not-found', '-f', '-'],
      objects
        .filter(({ kind }) => kind !== 'Namespace')
        .map(object => stringify(object))
        .join('---\n'),
    );
    assert.equal(removed.status, 0, removed.out);
  };
  list('watch: the default', []);
  list('watch, with Kubernetes Events', ['--set', 'notify.kubernetesEvents=true']);
  list('watch, with the condition of nodes', ['--set', 'nodeCondition.enabled=true']);
  list('watch, with the API server', ['--set', 'watch.targets={apiserver}']);
  list('watch and capture', ['--set', 'capture.enabled=true']);
  list('replicas', SWITCHES['replicas'] ?? []);
  list('replicas of several clusters, none of them its own', SWITCHES['replicas of several clusters'] ?? []);
  list('several clusters and its own', SWITCHES['clusters and its own'] ?? []);
  list('act, which the service account never has', SWITCHES['act'] ?? []);
  const text = `${lines.join('\n')}`;
  if (process.env['OAKUM_UPDATE_GOLDENS'] === '1') writeFileSync(GOLDEN, text);
  assert.equal(text, readFileSync(GOLDEN, 'utf8'));
  say('kubectl auth can-i --list is as in can-i.txt');
}

/** Without what every account may do. */
function rowsOf(text: string): string[] {
  const common = /selfsubject|\/(?:api|apis|healthz|livez|readyz|openapi|openid|version|\.well-known)\b/;
  return text
    .split('\n')
    .slice(1)
    .filter(line => line.trim() !== '' && !common.test(line))
    .map(line => line.replace(/\s{2,}/g, '  ').trim())
    .sort();
}

/** With the token of the service account, as in the pod. */
async function watchAsAccount(environment: Environment, render: Render, folder: string): Promise<void> {
  const { status, out } = kubectl(environment, ['apply', '-f', join(ROOT, 'deploy/kubernetes.yaml')]);
  // The pod itself cannot start: the nodes of the lab run no containers.
  assert.equal(status, 0, out);
  say('kubectl apply -f deploy/kubernetes.yaml');
  const withEvents = helmTemplate(helm ?? '', [
    '--set',
    'notify.kubernetesEvents=true',
    '--show-only',
    'templates/role-watch.yaml',
  ]);
  assert.equal(kubectl(environment, ['apply', '-f', '-'], withEvents.stdout).status, 0);
  const token = kubectl(environment, ['-n', 'oakum', 'create', 'token', 'oakum']).out.trim();
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigWith(token, environment));
  const asAccount = (...args: string[]): Outcome => {
    const {
      status: code,
      stdout,
      stderr,
    } = spawnSync(environment.kubectl, ['--kubeconfig', kubeconfig, ...args], { encoding: 'utf8' });
    return { status: code ?? -1, out: stdout + stderr };
  };
  for (const args of [
    ['get', 'secrets', '-A'],
    ['get', '--raw', '/api/v1/nodes/fix-a/proxy/metrics'],
    ['cordon', 'fix-a'],
    ['-n', 'oakum', 'delete', 'deployment', 'oakum'],
    ['-n', 'oakum', 'create', 'configmap', 'x'],
  ])
    assert.match(asAccount(...args).out, /Forbidden|forbidden/, args.join(' '));
  assert.equal(asAccount('get', 'nodes').status, 0);
  say('the service account may read nodes, and neither secrets, nodes/proxy nor change anything');

  writeFileSync(join(folder, 'oakum.yaml'), 'notify: { kubernetes-events: true, verdict: watch }\n');
  writeFileSync(join(folder, 'token'), 'a-token-of-the-server-of-e2e\n');
  const args = ['watch', '--direct', '--listen', '127.0.0.1:17787', '--listen-token-file', 'token', '--data', 'data'];
  const more = ['--config', 'oakum.yaml', '--interval', '5s', '--kubeconfig', kubeconfig, '--time-scale', '340'];
  const watch = spawn(process.execPath, [join(ROOT, 'bin/oakum.js'), ...args, ...more], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  watch.stderr.on('data', (text: Buffer) => say(`watch: ${text.toString().trim()}`));
  try {
    const headers = { authorization: 'Bearer a-token-of-the-server-of-e2e' };
    const readStatus = async (): Promise<WatchStatus> =>
      (await (await fetch('http://127.0.0.1:17787/api/v1/status', { headers })).json()) as WatchStatus;
    await until('both nodes are sampled with the rights of the role', 60, async () => {
      const { targetCount, silent, lastRoundSeconds } = await readStatus();
      return targetCount === 2 && silent.length === 0 && lastRoundSeconds !== null;
    });
    say('both nodes are sampled with the rights of the role');
    const [testPod] = render(['--show-only', 'templates/tests/answers.yaml']);
    const [, , script = ''] = testPod?.['spec'].containers[0].command as string[];
    const passes = helmTestScript(script, 'http://127.0.0.1:17787', join(folder, 'token'));
    assert.equal(passes.status, 0, passes.out);
    writeFileSync(join(folder, 'wrong-token'), 'not-the-token-of-the-server\n');
    const fails = helmTestScript(script, 'http://127.0.0.1:17787', join(folder, 'wrong-token'));
    assert.equal(fails.status, 1, fails.out);
    say('the script of helm test passes with the token, and fails with another');
    const { missingRights } = await readStatus();
    assert.deepEqual(
      missingRights.map(({ why }) => why),
      ['off'],
      JSON.stringify(missingRights),
    );
    await oneEvent(environment, folder, kubeconfig);
  } finally {
    watch.kill('SIGTERM');
    await delay(2000);
  }
}

/** A notice that is sent twice is one Event of the node. */
async function oneEvent(environment: Environment, folder: string, kubeconfig: string): Promise<void> {
  const none = { context: '', namespace: '', as: '', asGroups: [], tokenFile: '', certificateAuthority: '' };
  const options: KubeOptions = { ...none, kubeconfig, insecure: false, cwd: folder, env: process.env };
  const kube = await openKubeCluster(options, httpSender({}), credentialFiles(folder));
  const notice = exampleNotice({}, { target: 'node/leak-a' });
  for (let i = 0; i < 2; i++) {
    const delivery = await eventDestination(kube.cluster).deliver(notice, new AbortController().signal);
    assert.deepEqual(delivery, { kind: 'delivered' }, 'twice is as good as once');
  }
  const described = kubectl(environment, ['describe', 'node', 'leak-a']).out.split('\n');
  const events = described.filter(text => text.includes('oakum.dev/watch'));
  assert.equal(events.length, 1);
  say(`kubectl describe node: ${events[0]?.trim()}`);
}
