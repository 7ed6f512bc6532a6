import assert from 'node:assert/strict';
import { it } from 'node:test';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { run } from '../run.ts';

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
    await watch('--replica', 'lease', '--store', 'postgres://oakum@db/oakum', '--replica-id', 'a'),
    /--replica lease needs a cluster for its Leases/,
  );
});
