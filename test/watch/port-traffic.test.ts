import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PortTraffic } from './port-traffic.ts';

const slowly = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 30));

it('is quiet only after a call has been answered', async () => {
  const traffic = new PortTraffic();
  let isAnswered = false;
  const port = traffic.follow({ get: () => slowly().then(() => void (isAnswered = true)) });
  void port.get();
  await traffic.quiet();
  assert.ok(isAnswered);
});

it('is quiet only after the steps of an iteration have been answered', async () => {
  const traffic = new PortTraffic();
  const port = traffic.follow({
    async *rows() {
      for (const row of [1, 2]) {
        await slowly();
        yield row;
      }
    },
  });
  const seen: number[] = [];
  void (async () => {
    for await (const row of port.rows()) seen.push(row);
  })();
  await traffic.quiet();
  assert.deepEqual(seen, [1, 2]);
});
