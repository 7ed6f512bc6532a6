import assert from 'node:assert/strict';
import { it } from 'node:test';
import { answered } from './profiler-access.ts';

it('a profiler that nobody runs is told in words, not by a code of the system', () => {
  const reply = { kind: 'refused', message: 'connect ECONNREFUSED', tls: undefined, tookSeconds: 0 } as const;
  assert.throws(() => answered(reply, 'http://pyroscope:4040'), {
    message: 'http://pyroscope:4040 refuses the connection: nothing listens there; check its address',
  });
});
