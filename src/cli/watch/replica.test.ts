import assert from 'node:assert/strict';
import { it } from 'node:test';
import { memoryIo } from '../../../test/double/memory-io.ts';
import type { KubeCluster } from '../../live/io/kube/kube-cluster.ts';
import { run } from '../run.ts';
import { addressOf, whereLeasesAre } from './replica.ts';

const watch = async (...args: string[]): Promise<string> => {
  const io = memoryIo();
  assert.equal(await run(['watch', 'http://localhost:1', ...args], io), 2);
  return io.err();
};

it('says what replicas need', async () => {
  assert.match(
    await watch('--replica', 'auto'),
    /--replica needs a store that all replicas share: add --store postgres:\/\/\.\.\./,
  );
  assert.match(await watch('--replica-id', 'a'), /--replica-id.*--replica/);
  assert.match(await watch('--replica', 'postgres', '--replica-id', 'a b'), /--replica-id takes a name of at most 63/);
  assert.match(await watch('--replica', 'raft'), /auto.*postgres.*lease/);
  assert.match(
    await watch('--replica', 'lease', '--replica-namespace', 'A b'),
    /--replica-namespace: A b is not a namesp/,
  );
  assert.match(
    await watch('--replica', 'lease', '--store', 'postgres://oakum@db/oakum', '--replica-id', 'a'),
    /--replica lease needs a cluster for its Leases/,
  );
});

it('takes Leases by itself only in the cluster that it watches and runs in', () => {
  const own = { podNamespace: 'oakum' } as KubeCluster;
  const other = { podNamespace: undefined } as KubeCluster;
  assert.equal(whereLeasesAre('auto', own), own);
  for (const [asked, cluster] of [
    ['auto', other],
    ['auto', undefined],
    ['postgres', own],
  ] as const)
    assert.equal(whereLeasesAre(asked, cluster), undefined);
  assert.equal(whereLeasesAre('lease', other), other);
});

it('tells the others where it serves', () => {
  const at = (host: string, port: number, ip = '10.0.0.7'): string | null =>
    addressOf({ listen: { host, port } }, { env: { POD_IP: ip } });
  assert.equal(at('0.0.0.0', 7777), 'http://10.0.0.7:7777');
  assert.equal(at('::', 7777, 'fd00::7'), 'http://[fd00::7]:7777');
  assert.equal(at('192.0.2.1', 80), 'http://192.0.2.1:80');
  assert.equal(at('localhost', 0), null);
});
