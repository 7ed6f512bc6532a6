import { collectScript } from '../../live/capture/collect-script.ts';
import type { TargetRef } from '../../evidence/target.ts';
import type { Io } from '../terminal/io.ts';
import { EXIT, Failure } from '../../base/errors.ts';

/** `oakum collect-script`: a shell script that takes evidence where Oakum cannot be installed. */
export async function printCollectScript(target: TargetRef | undefined, io: Io): Promise<number> {
  const result = collectScript(target);
  if ('problem' in result) throw new Failure('usage', result.problem);
  io.stdout.write(result.script);
  return EXIT.done;
}
