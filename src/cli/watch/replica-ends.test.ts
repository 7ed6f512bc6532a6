/** A replica that cannot join says why and ends, although its store and detector have started. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type ClusterDouble, startCluster } from '../../../test/double/cluster-double.ts';
import { OAKUM } from '../../../test/places.ts';
import { type Postgres, postgresAbsent, sharedPostgres } from '../../../test/postgres/postgres-server.ts';

describe('a replica that cannot join', { skip: postgresAbsent }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'oakum-replica-'));
  let server: Postgres;
  let cluster: ClusterDouble;
  before(async () => {
    [server, cluster] = await Promise.all([sharedPostgres(), startCluster({ clock: 'ours' })]);
  });
  after(async () => {
    await Promise.all([server.remove(), cluster.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  const watch = (...args: string[]): Promise<{ code: number | null; err: string }> =>
    new Promise(resolve => {
      const own = ['--store', server.newStore(), '--data', mkdtempSync(join(folder, 'data-')), '--replica-id', 'a'];
      const all = [...own, '--kubeconfig', cluster.kubeconfig('admin'), '--listen', 'localhost:0', ...args];
      const child = spawn(process.execPath, [OAKUM, 'watch', ...all]);
      let err = '';
      child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString('utf8')));
      child.on('exit', code => resolve({ code, err }));
    });

  it('ends if it may not use Leases', async () => {
    cluster.fault('/apis/coordination.k8s.io', (_, __, response) => {
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ kind: 'Status', code: 403, message: 'leases.coordination.k8s.io is forbidden' }));
    });
    const { code, err } = await watch('--replica', 'lease', '--replica-namespace', 'monitoring');
    assert.match(
      err,
      /oakum: replica a may not list leases \(coordination\.k8s\.io\) in the namespace monitoring: bind/,
    );
    assert.equal(code, 3);
  });

  it('ends if its store cannot be opened', async () => {
    const { code, err } = await watch(
      '--replica',
      'postgres',
      '--evidence',
      's3://bucket',
      '--evidence-endpoint',
      'http://127.0.0.1:1',
    );
    assert.match(err, /^oakum: .*127\.0\.0\.1:1/m);
    assert.equal(code, 4);
  });
});
