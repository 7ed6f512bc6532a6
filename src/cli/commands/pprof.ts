/**
 * `oakum pprof` takes the flags of `go tool pprof` in Go's syntax, so it has its own parser and help. The table of its
 * flags is `src/profile/pprof/flags.ts`.
 */
import { FLAGS, UNSUPPORTED_REPORTS } from '../../profile/pprof/flags.ts';
import type { Command, TypedFlag } from '../options/command.ts';
import type { Completes } from '../options/option.ts';
import { pprof } from '../tasks/pprof.ts';

const COMPLETES: Readonly<Record<string, Completes>> = {
  base: 'files',
  diff_base: 'files',
  output: 'files',
  source_path: 'folders',
  tls_ca: 'files',
  tls_cert: 'files',
  tls_key: 'files',
};

const CHOICES: Readonly<Record<string, readonly string[]>> = { symbolize: ['none', 'text'] };

/** Reports that it only knows in order to refuse them are left out. */
function typedFlags(): TypedFlag[] {
  const names = Object.keys(FLAGS).filter(name => !UNSUPPORTED_REPORTS.includes(name));
  return [...names, 'help'].sort().map(name => ({
    names: [`-${name}`],
    repeats: false,
    placeholder: 'VALUE',
    takesValue: name !== 'help' && FLAGS[name] !== 'bool',
    help: '',
    choices: CHOICES[name] ?? [],
    completes: COMPLETES[name],
  }));
}

export const command: Command = {
  name: 'pprof',
  summary: 'report on profiles with the flags and the output of go tool pprof',
  get flags() {
    return typedFlags();
  },
  operands: { completes: 'files' },
  run: (argv, io, { programName }) => pprof(argv, io, programName),
};
