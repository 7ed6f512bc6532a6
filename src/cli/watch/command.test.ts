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
      [['--allow-actions'], /--allow-actions needs --actions-token-file/],
      [['--actions-token-file', 'people'], /--actions-token-file needs --allow-actions/],
      [['--demo', '--node-condition'], /--demo and --node-condition exclude each other/],
      [['--demo', '--allow-actions', '--actions-token-file', 'x'], /--demo and --allow-actions exclude each other/],
      [['--prometheus', 'http://p', '--node-condition'], /--node-condition and --prometheus exclude each other/],
      [['--restart-command', 'ssh {node} x'], /--restart-command is for --restart-via command/],
      [['--restart-via', 'command', '--restart-command', 'reboot'], /--restart-command: it names no node/],
      [['--restart-image', 'x'], /--restart-image is for --restart-via pod/],
      [['--lock-namespace', 'a b'], /--lock-namespace: a b is not a namespace/],
      [['http://localhost:1', '--node-condition'], /are about nodes; add --nodes/],
      [['--evidence', 'gs://x'], /--evidence takes s3:\/\/BUCKET\/PREFIX, not gs:/],
      [['--evidence', 's3://bucket?regoin=x'], /unknown option regoin; write s3:\/\/BUCKET\/PREFIX/],
      [['--evidence-endpoint', 'http://minio:9000'], /--evidence-endpoint needs --evidence/],
      [['--evidence', 's3://bucket', '--evidence-endpoint', 'minio'], /--evidence-endpoint takes a URL/],
      [['--demo', '--evidence', 's3://bucket'], /--demo and --evidence exclude each other/],
      [
        ['--clusters', 'a', '--context', 'b'],
        /--clusters and --context exclude each other|--context and --clusters exclude/,
      ],
      [['--clusters', 'a,'], /--clusters takes a folder of kubeconfigs or names of contexts/],
      [['--clusters', 'a', '--prometheus', 'http://p'], /exclude each other/],
      [['cluster/a/http://x'], /an address is in no cluster/],
      [['--retention', 'long'], /--retention takes a time such as .*, not long/],
    ] as const) {
      const io = memoryIo();
      assert.equal(await run(['watch', ...argv], io), 2, argv.join(' '));
      assert.match(io.err(), problem);
    }
  });
});
