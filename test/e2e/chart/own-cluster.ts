/** The kubeconfig that the chart makes of the cluster it runs in, among others in one folder. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../../lab/environment.ts';
import type { WatchStatus } from '../../../src/watch/watch-model.ts';
import { SWITCHES } from '../../deploy/chart-switches.ts';
import { ROOT } from '../../places.ts';
import { kubeconfigWith, kubectl, type Render, say, until } from './chart-in-lab.ts';

const IN_POD = '/var/run/secrets/kubernetes.io/serviceaccount';
const SERVER = 'https://kubernetes.default.svc';
const URL = 'http://127.0.0.1:17788';

/** The service account has the rights of the chart; the other kubeconfig has none. */
export async function ownCluster(environment: Environment, render: Render, folder: string): Promise<void> {
  const config = render(SWITCHES['clusters and its own'] ?? []).find(({ kind }) => kind === 'ConfigMap');
  const text: string = config?.['data']['own-cluster.yaml'];
  const [clusters, account] = [join(folder, 'clusters'), join(folder, 'account')];
  for (const made of [clusters, account]) mkdirSync(made);
  copyFileSync(environment.apiserver.authority, join(account, 'ca.crt'));
  const token = kubectl(environment, ['-n', 'oakum', 'create', 'token', 'oakum']).out.trim();
  writeFileSync(join(account, 'token'), `${token}\n`);
  assert.ok(text.includes(IN_POD) && text.includes(SERVER), text);
  const { hostname, port } = new globalThis.URL(environment.apiserver.url);
  writeFileSync(
    join(clusters, 'hub.yaml'),
    text.replaceAll(IN_POD, account).replace(SERVER, environment.apiserver.url),
  );
  // The same server by another path would be another cluster; one that is gone must not keep the first from working.
  const gone = kubeconfigWith('no-token', environment).replace(`${hostname}:${port}`, '127.0.0.1:1');
  writeFileSync(join(clusters, 'gone.yaml'), gone);
  const args = [
    'watch',
    `--clusters=${clusters}`,
    '--direct',
    '--data',
    join(folder, 'clusters-data'),
    '--interval=5s',
  ];
  const watch = spawn(process.execPath, [join(ROOT, 'bin/oakum.js'), ...args, '--listen', '127.0.0.1:17788'], {
    stdio: 'ignore',
  });
  try {
    let status: WatchStatus | undefined;
    await until('the nodes of the own cluster are sampled', 60, async () => {
      status = (await (await fetch(`${URL}/api/v1/status`)).json()) as WatchStatus;
      const hub = status.clusters?.find(({ name }) => name === 'hub');
      return hub?.state === 'reached' && hub.targetCount === 2 && hub.silentCount === 0;
    });
    const states = status?.clusters?.map(({ name, state, targetCount }) => `${name} ${state}, ${targetCount} nodes`);
    say(`with the chart's kubeconfig of its own cluster in a folder: ${states?.join('; ')}`);
  } finally {
    const ended = new Promise(resolve => watch.once('exit', resolve));
    watch.kill('SIGTERM');
    await ended;
  }
}
