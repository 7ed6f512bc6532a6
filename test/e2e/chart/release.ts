/**
 * The chart as a release of Helm on a real API server: installed, upgraded, removed. The pod itself cannot run: the
 * nodes of the lab have no containers, so `helm test` is tried by running its script against a watch of ours.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Environment } from '../../../lab/environment.ts';
import { ROOT } from '../../places.ts';
import { say, until } from './chart-in-lab.ts';

/** Pods and volumes of three replicas. */
const EACH = 'oakum-0,oakum-1,oakum-2,data-oakum-0,data-oakum-1,data-oakum-2';
const CHART = join(ROOT, 'deploy/helm/oakum');

/** What NOTES say for some switches, in the words that matter. */
const NOTES: readonly (readonly [set: string, says: RegExp, saysNot?: RegExp])[] = [
  [
    '',
    /Not granted to it:\n {2}capture .*\n.*\n {2}act {6}It restarts, cordons and drains nothing, and writes nothing\./,
  ],
  [
    'nodeCondition.enabled=true',
    /patch nodes\/status[\s\S]*create events[\s\S]*what it writes is above/,
    /writes nothing/,
  ],
  ['capture.enabled=true', /capture {2}get nodes\/proxy\. This allows commands in every container/, /No profiles/],
  ['rbac.create=false', /Granted by this chart: nothing/, /Granted to its service account/],
  ['watch.direct=false', /every node will be silent/],
  [
    'watch.targets={apiserver},capture.enabled=true',
    /get \/metrics of the API server[\s\S]*\/debug\/pprof of the API server/,
  ],
  [
    'rbac.act.create=true,rbac.act.restartPod=true,rbac.act.namespace=for-act',
    /Granted to people:\n {2}act .*\n.*root on every node/,
  ],
  ['networkPolicy.enabled=true,watch.prometheus=http://p:9090', /networkPolicy\.extraEgress is empty/],
  ['persistence.enabled=false', /lost with the pod/],
  [
    'replicaCount=3,store.existingSecret=db',
    /3 replicas of Oakum watch the nodes[\s\S]*in the database of the secret db[\s\S]*get leases -l oakum\.dev\/replicas[\s\S]*replicas get, list, create, update, delete leases in the namespace oakum[\s\S]*writes nothing but its Leases/,
  ],
  [
    'replicaCount=2,store.existingSecret=db,clusters.existingSecret=them,evidence.url=s3://b/p',
    /clusters of the secret them\.[\s\S]*profiles are in s3:\/\/b\/p[\s\S]*rows of the database[\s\S]*nothing, since this cluster is not watched[\s\S]*reach the kubelets of every cluster/,
    /Leases|Granted to its service account:\n/,
  ],
  ['clusters.existingSecret=them,clusters.own=hub', /secret them and this one as hub\.[\s\S]*get, list, watch nodes/],
  ['evidence.url=s3://b/p,persistence.enabled=false', /lost with the pod/],
];

export async function releases(environment: Environment, helmPath: string): Promise<void> {
  const admin = environment.kubeconfigs.admin;
  const run = (program: string, args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync(program, ['--kubeconfig', admin, ...args], { encoding: 'utf8' });
    assert.equal(status, 0, `${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const helm = (...args: string[]): string => run(helmPath, [...args, '--namespace', 'oakum']);
  const kubectl = (...args: string[]): string => run(environment.kubectl, args);
  const token = (): string => kubectl('-n', 'oakum', 'get', 'secret', 'oakum-token', '-o', 'jsonpath={.data.token}');

  for (const [set, says, saysNot] of NOTES) {
    const settings = set === '' ? [] : ['--set', set];
    const text = helm('install', 'oakum', CHART, '--dry-run=server', ...settings);
    const notes = text.slice(text.indexOf('\nNOTES:'));
    assert.match(notes, says, set);
    if (saysNot !== undefined) assert.doesNotMatch(notes, saysNot, set);
  }
  say(`the notes of ${NOTES.length} settings say what is granted`);

  helm('install', 'oakum', CHART);
  const first = token();
  assert.ok(Buffer.from(first, 'base64').length >= 40, 'a token was made');
  helm('upgrade', 'oakum', CHART, '--set', 'notify.kubernetesEvents=true');
  assert.equal(token(), first, 'an upgrade keeps the token');
  helm('rollback', 'oakum', '1');
  await upgrades(helm, kinds => kubectl('-n', 'oakum', 'get', kinds, '-o', 'name').trim().split('\n'));
  helm('uninstall', 'oakum', '--wait');
  const kinds =
    'deployment,statefulset,pdb,service,configmap,secret,serviceaccount,clusterrole,clusterrolebinding,role,rolebinding';
  const left = kubectl('get', kinds, '--all-namespaces', '-l', 'app.kubernetes.io/instance=oakum', '-o', 'name');
  assert.equal(left, '', 'nothing is left');
  say('helm install, upgrade (which keeps the token), rollback and uninstall, which leaves nothing but volumes');
}

/** To replicas, to others, and back. */
async function upgrades(helm: (...args: string[]) => string, names: (kinds: string) => string[]): Promise<void> {
  const upgrade = (set: string): string => helm('upgrade', 'oakum', CHART, '--set', set);
  const ofReplica = /\/data-oakum-\d$/;
  const workloads = (): string[] => names('deployment,statefulset,pdb,pvc').filter(name => !ofReplica.test(name));
  upgrade('replicaCount=3,store.existingSecret=db');
  const replicas = ['statefulset.apps/oakum', 'poddisruptionbudget.policy/oakum', 'persistentvolumeclaim/oakum'];
  assert.deepEqual(workloads(), replicas);
  await until('each replica has a pod and a volume of its own', 60, async () => {
    const pods = names('pod').filter(name => /\/oakum-\d$/.test(name));
    const claims = names('pvc').filter(name => ofReplica.test(name));
    return [...pods, ...claims].map(name => name.replace(/.*\//, '')).join() === EACH;
  });
  upgrade('replicaCount=2,store.existingSecret=db,capture.enabled=true,evidence.url=s3://b');
  assert.deepEqual(workloads(), replicas);
  helm('upgrade', 'oakum', CHART, '--reset-values');
  assert.deepEqual(workloads(), ['deployment.apps/oakum', 'persistentvolumeclaim/oakum']);
  say(`an upgrade to replicas (${EACH}), to fewer of them with a bucket, and back; the volume of the single pod stays`);
}

/** The script of the pod of `helm test`, run against `url` with the token in `tokenFile`. */
export function helmTestScript(
  script: string,
  url: string,
  tokenFile: string,
): { readonly status: number | null; readonly out: string } {
  const here = script.replace(/http:\/\/oakum:\d+/, url).replace('/token/token', tokenFile);
  assert.ok(here.includes(url) && here.includes(tokenFile), script);
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', here], { encoding: 'utf8' });
  return { status, out: stdout + stderr };
}
