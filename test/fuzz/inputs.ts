/** Inputs by number: seed and index determine everything, so that a failure can be reproduced. */
import type { TextSymbols } from '../../src/evidence/formats/read.ts';
import type { ProfileFormatName } from '../../src/evidence/formats/registry.ts';
import type { ReportName } from '../../src/profile/pprof/reports/config.ts';
import type { Corpus, Specimen } from './corpus.ts';
import { textSpecimens } from './exercise-text.ts';
import { mutate, type Mutant } from './mutate.ts';
import { pasteSpecimens, pileSpecimens, requestSpecimens, tarOf } from './pile-specimens.ts';
import { Random } from './random.ts';

/** What an input is: a file of a format, a pile or a bundle of files, a text of people or servers, or a request. */
export type Subject = ProfileFormatName | 'pile' | 'paste' | 'bundle' | 'text' | 'request';

export interface Batch {
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  /** Only this one; if undefined, all in turn. */
  readonly subject: Subject | undefined;
}

export interface Failure {
  readonly index: number;
  readonly subject: Subject;
  readonly history: readonly string[];
  readonly problem: string;
  readonly file: string | undefined;
}

export interface BatchResult {
  readonly count: number;
  readonly failures: readonly Failure[];
  readonly tried: readonly (readonly [Subject, number])[];
  readonly read: readonly (readonly [string, number])[];
  readonly refused: number;
}

export interface Input {
  readonly subject: Subject;
  readonly mutant: Mutant;
  readonly symbols: TextSymbols;
  /** Which reports are printed of a profile; a million inputs print each of them often enough. */
  readonly reports: readonly ReportName[];
}

const SYMBOLS: readonly TextSymbols[] = ['all', 'all', 'goroutines', 'none'];

/** What is printed besides the raw report, which the round trip needs. */
export const PRINTED: readonly ReportName[] = ['top', 'traces', 'tree', 'dot', 'tags', 'callgrind', 'comments'];

/** One specimen in this many is taken whole; of the others the front. Small inputs find more in the same time. */
const WHOLE_ONE_IN = 32;
const FRONT_BYTES = 3 * 1024;

export function makeInput(corpus: Corpus, seed: number, index: number, only?: Subject): Input {
  const random = new Random(seed, index);
  const subjects = subjectsOf(corpus);
  const subject = only ?? (subjects[index % subjects.length] as Subject);
  const options = { symbols: random.pick(SYMBOLS), reports: [random.pick(PRINTED)] };
  if (subject === 'pile' || subject === 'bundle') return { subject, mutant: mutatedPile(random), ...options };
  if (subject === 'text') return { subject, mutant: mutatedText(random), ...options };
  if (subject === 'request') return { subject, mutant: mutatedRequest(random), ...options };
  const specimens = subject === 'paste' ? (pastes ??= pasteSpecimens()) : (corpus.get(subject) ?? []);
  const isProto = subject === 'pprof' || subject === 'otlp';
  const specimen = front(specimens, random, isProto);
  // Sometimes the other half comes from another format.
  const others: readonly Specimen[] = random.chance(5) ? corpus.get(random.pick([...corpus.keys()]))! : specimens;
  return { subject, mutant: mutate(specimen, others, random, isProto), ...options };
}

/** The front of a text; a small profile, since the front of one is none. */
function front(specimens: readonly Specimen[], random: Random, isProto: boolean): Specimen {
  const one = random.pick(specimens);
  if (random.chance(WHOLE_ONE_IN)) return one;
  if (!isProto) return { name: one.name, bytes: one.bytes.subarray(0, FRONT_BYTES) };
  return [one, random.pick(specimens), random.pick(specimens), random.pick(specimens)].reduce((least, other) =>
    other.bytes.length < least.bytes.length ? other : least,
  );
}

export function subjectsOf(corpus: Corpus): Subject[] {
  return [...corpus.keys(), 'pile', 'paste', 'bundle', 'text', 'request'];
}

let members: readonly Specimen[] | undefined;
let pastes: readonly Specimen[] | undefined;
let requests: readonly Specimen[] | undefined;
let texts: readonly Specimen[] | undefined;

const NAMES = [
  'heap',
  'goroutine',
  'metrics',
  'kubelet.log',
  'MANIFEST.json',
  'before/heap',
  'after/heap',
  '../x',
  'a b',
];

/** Up to four files in an archive, most of them damaged, sometimes the archive too. */
function mutatedPile(random: Random): Mutant {
  const specimens = (members ??= pileSpecimens());
  const [proto, text] = [true, false].map(is => specimens.filter(({ name }) => name.startsWith('pprof') === is));
  const history: string[] = [];
  const files = Array.from({ length: random.below(4) + 1 }, (_, i) => {
    const isProto = random.chance(4);
    const specimen = front(isProto ? proto : text, random, isProto);
    const mutant = random.chance(4) ? specimen : mutate(specimen, specimens, random, isProto);
    history.push(...('history' in mutant ? mutant.history : [specimen.name]));
    return { path: `${random.pick(NAMES)}-${1_794_770_000 + 600 * i}`, bytes: mutant.bytes };
  });
  const archive = { name: 'tar', bytes: tarOf(files) };
  const damaged = random.chance(10) ? mutate(archive, [archive], random, false) : { ...archive, history: [] };
  return { bytes: damaged.bytes, history: [...history, ...damaged.history] };
}

function mutatedText(random: Random): Mutant {
  const specimens = (texts ??= textSpecimens());
  return mutate(random.pick(specimens), specimens, random, false);
}

function mutatedRequest(random: Random): Mutant {
  const specimens = (requests ??= requestSpecimens());
  return mutate(random.pick(specimens), specimens, random, false);
}
