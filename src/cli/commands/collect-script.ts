/** `oakum collect-script`: a shell script that takes evidence where Oakum cannot be installed. */
import { collectScript } from '../../live/capture/collect-script.ts';
import type { TargetRef } from '../../evidence/target.ts';
import type { Io } from '../io.ts';
import { EXIT, Failure } from '../../base/errors.ts';
import { defineCommand, type Command, commandLine } from '../options/command.ts';
import { TARGET_OPERANDS, targetsOf } from '../options/connection.ts';

const line = commandLine({
  name: 'collect-script',
  usage: ['[TARGET]'],
  examples: [
    ['oakum collect-script > collect.sh', 'for any node: sh collect.sh NODE'],
    ['oakum collect-script node/worker-17 > collect.sh'],
    ['oakum collect-script pod/kcp/kcp-0:6443 > collect.sh'],
    ['oakum collect-script apiserver > collect.sh'],
  ],
  about:
    'Prints a POSIX shell script of less than 80 lines, short enough to read before you run it, for places where oakum cannot be installed. It needs only kubectl. It takes metrics, goroutines and heap twice, five minutes apart, and leaves a folder and a .tar.gz that oakum analyze and oakum bundle read. It never requests command lines, environments or secrets.',
  operands: TARGET_OPERANDS,
  options: {},
  request: (_, operands) => {
    if (operands.length > 1) throw new Failure('usage', 'collect-script takes one TARGET');
    return targetsOf(operands, { namespace: '' })[0];
  },
});

export const command: Command = defineCommand(line, printCollectScript);

async function printCollectScript(target: TargetRef | undefined, io: Io): Promise<number> {
  const result = collectScript(target);
  if ('problem' in result) throw new Failure('usage', result.problem);
  io.stdout.write(result.script);
  return EXIT.done;
}
