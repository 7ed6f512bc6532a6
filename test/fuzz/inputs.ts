/** Inputs by number: seed and index determine everything, so that a failure can be reproduced. */
import type { TextSymbols } from '../../src/formats/read.ts';
import type { ProfileFormatName } from '../../src/formats/registry.ts';
import type { Corpus, Specimen } from './corpus.ts';
import { mutate, type Mutant } from './mutate.ts';
import { Random } from './random.ts';

export interface Batch {
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  /** Only this format; if undefined, all in turn. */
  readonly format: ProfileFormatName | undefined;
}

export interface Failure {
  readonly index: number;
  readonly format: ProfileFormatName;
  readonly history: readonly string[];
  readonly problem: string;
  readonly file: string | undefined;
}

export interface BatchResult {
  readonly count: number;
  readonly failures: readonly Failure[];
  readonly tried: readonly (readonly [ProfileFormatName, number])[];
  readonly read: readonly (readonly [string, number])[];
  readonly refused: number;
}

export interface Input {
  readonly format: ProfileFormatName;
  readonly mutant: Mutant;
  readonly symbols: TextSymbols;
}

const SYMBOLS: readonly TextSymbols[] = ['all', 'all', 'goroutines', 'none'];

export function makeInput(corpus: Corpus, seed: number, index: number, only?: ProfileFormatName): Input {
  const random = new Random(seed, index);
  const formats = [...corpus.keys()];
  const format = only ?? formats[index % formats.length];
  const specimens = corpus.get(format) ?? [];
  const specimen = random.pick(specimens);
  // Sometimes the other half comes from another format.
  const others: readonly Specimen[] = random.chance(5) ? corpus.get(random.pick(formats))! : specimens;
  return { format, mutant: mutate(specimen, others, random, format === 'pprof'), symbols: random.pick(SYMBOLS) };
}
