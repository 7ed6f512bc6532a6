/** `oakum collect-script`: a shell script that takes evidence where oakum cannot be installed. */
import { collectScript } from '../../report/collect-script.ts';
import { parseTargetRef, type TargetRef } from '../../model/target.ts';
import { EXIT } from '../../base/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { type Given, runRequest } from '../options/usage.ts';

const USAGE = `Usage: oakum collect-script [TARGET]

  oakum collect-script > collect.sh                  for any node: sh collect.sh NODE
  oakum collect-script node/worker-17 > collect.sh
  oakum collect-script pod/kcp/kcp-0:6443 > collect.sh
  oakum collect-script apiserver > collect.sh

Prints a POSIX shell script of less than 80 lines that needs kubectl only, to be read before it is run where oakum
cannot be installed. It takes metrics, goroutines and heap twice, five minutes apart, and leaves a folder and a .tar.gz
that oakum analyze and oakum bundle read. It never asks for command lines, environments or secrets.
`;

interface Request {
  readonly script: string;
}

export async function runCollectScript(argv: string[], io: Io, programName?: string): Promise<number> {
  const usage = { command: 'collect-script', help: USAGE, options: {}, parse };
  const print = async ({ script }: Request): Promise<number> => {
    io.stdout.write(script);
    return EXIT.done;
  };
  return runRequest(usage, argv, io, print, programName);
}

/** The request, or what is wrong with the command line. */
function parse({ positionals }: Given<Record<string, never>>): Request | string {
  if (positionals.length > 1) return 'collect-script takes one TARGET';
  let target: TargetRef | undefined;
  if (positionals.length === 1) {
    const parsed = parseTargetRef(positionals[0]);
    if (typeof parsed === 'string') return parsed;
    target = parsed;
  }
  const result = collectScript(target);
  return 'problem' in result ? result.problem : result;
}
