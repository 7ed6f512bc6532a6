/** The input and the result of a section of the benchmark. */
import type { Command } from './measure.ts';
import type { Pprof } from './peer.ts';
import type { Subject } from './subject.ts';
import type { Goal } from './table.ts';

export interface Setting {
  readonly subject: Subject;
  readonly pprof: Pprof | undefined;
  readonly runs: number;
  /** Leaves out what takes minutes. */
  readonly quick: boolean;
}

export interface Outcome {
  readonly text: string;
  readonly goals: readonly Goal[];
}

export interface Section {
  readonly name: string;
  readonly title: string;
  readonly run: (setting: Setting) => Promise<Outcome>;
}

export function oakumPprof(setting: Setting, ...args: string[]): Command {
  return { argv: [...setting.subject.oakum, 'pprof', ...args], env: { TZ: 'UTC' } };
}

/** The command for `go tool pprof`, as a list of one or none to spread into a list of commands. */
export function goPprof(setting: Setting, ...args: string[]): Command[] {
  const { pprof } = setting;
  return pprof === undefined ? [] : [{ argv: [pprof.binary, ...args], env: pprof.env }];
}
