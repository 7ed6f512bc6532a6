import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoryIo } from '../../../test/double/memory-io.ts';
import { run } from '../run.ts';

describe('oakum watch, the command line', () => {
  it('shows examples first', async () => {
    const io = memoryIo();
    assert.equal(await run(['watch', '--help'], io), 0);
    assert.match(io.out(), /^Usage: oakum watch .*\n\n {2}oakum watch --demo/);
  });

  it('explains wrong arguments', async () => {
    for (const [argv, problem] of [
      [['worker-1'], /did you mean node\/worker-1/],
      [['--interval', '1s'], /--interval takes a time from 5s to 10m/],
      [['--listen', '7777'], /--listen: expected HOST:PORT/],
      [['--pace', '5'], /--pace needs --demo/],
      [['--demo', '--pace', '0'], /--pace takes a number from 1 to 120/],
      [['--demo', 'apiserver'], /takes no targets/],
      [['--demo', '--memory-limit', '1Gi'], /--demo and --memory-limit exclude each other/],
      [['--time-scale', '0.5'], /--time-scale takes a number from 1 on/],
      [['--prometheus', 'prom'], /--prometheus takes a URL/],
      [['--selector', 'a="b"'], /--selector needs --prometheus/],
      [['--retention', 'long'], /--retention takes a time such as .*, not long/],
    ] as const) {
      const io = memoryIo();
      assert.equal(await run(['watch', ...argv], io), 2, argv.join(' '));
      assert.match(io.err(), problem);
    }
  });
});
