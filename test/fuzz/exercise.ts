/**
 * Runs one input through everything that reads or prints a profile.
 *
 * It passes if it is read and printed, or refused with an error that a user can act on: one line that says what is
 * wrong and where. Anything else is a crash.
 */
import { readProfileBytes } from '../../src/evidence/io/read-profile.ts';
import { FormatError, Failure } from '../../src/base/errors.ts';
import { writeFolded } from '../../src/profile/formats/write-folded.ts';
import { decodeProfile } from '../../src/profile/formats/pprof/decode.ts';
import { encodeProfile } from '../../src/profile/formats/pprof/encode.ts';
import { readAny, type Reading, type TextSymbols } from '../../src/evidence/formats/read.ts';
import { writeSpeedscope } from '../../src/profile/formats/speedscope.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { DEFAULT_CONFIG, type ReportName } from '../../src/profile/pprof/reports/config.ts';
import { withFakeMapping } from '../../src/profile/pprof/transform/fake-mapping.ts';
import { generateReport } from '../../src/profile/pprof/generate.ts';
import { compileGoRegexp } from '../../src/profile/pprof/go-regexp.ts';
import { rawReport } from '../../src/profile/pprof/reports/raw.ts';
import { exerciseBundle, exercisePile } from './exercise-pile.ts';
import { exerciseText } from './exercise-text.ts';
import { exerciseRequest } from './exercise-request.ts';
import type { Corpus } from './corpus.ts';
import { PRINTED, type Input } from './inputs.ts';
import { crash, isOneLine, type Outcome } from './outcome.ts';
import { ConcatenatedProfilesError, MalformedProfileError } from '../../src/profile/formats/pprof/wire.ts';

/** The limit of a decompressed input; far more than any made here. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Each subject through what reads it. */
export function exerciseInput({ subject, mutant, symbols, reports }: Input): Promise<Outcome> {
  if (subject === 'pile' || subject === 'paste') return exercisePile(mutant.bytes);
  if (subject === 'bundle') return exerciseBundle(mutant.bytes);
  if (subject === 'text') return Promise.resolve(exerciseText(mutant.bytes));
  return subject === 'request' ? exerciseRequest(mutant.bytes) : exercise(mutant.bytes, symbols, reports);
}

export async function exercise(
  bytes: Uint8Array,
  symbols: TextSymbols = 'all',
  reports: readonly ReportName[] = PRINTED,
): Promise<Outcome> {
  let reading: Reading;
  try {
    const gzipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const options = { textSymbols: symbols };
    reading = gzipped ? await readProfileBytes(bytes, options, { maxBytes: MAX_BYTES }) : readAny(bytes, options);
  } catch (error) {
    return judgeRefusal(error);
  }
  try {
    for (const note of reading.notes) if (!isOneLine(note)) throw new Error(`bug: note of several lines: ${note}`);
    printAll(withFakeMapping(reading.profile), reports);
    return { kind: 'read', format: reading.format };
  } catch (error) {
    return crash('after reading', error);
  }
}

/** What is wrong with these specimens as they are, one line each: nothing should be. The reports take turns. */
export async function exerciseUnchanged(corpus: Corpus): Promise<string[]> {
  const problems: string[] = [];
  let at = 0;
  for (const [format, specimens] of corpus) {
    for (const { name, bytes } of specimens) {
      const outcome = await exercise(bytes, 'all', [PRINTED[at++ % PRINTED.length]]);
      if (outcome.kind !== 'read') problems.push(`${format} ${name}: ${JSON.stringify(outcome)}`);
    }
  }
  return problems;
}

function printAll(profile: Profile, reports: readonly ReportName[]): void {
  for (const report of reports) printed(profile, report);
  const raw = printed(profile, 'raw');
  if (raw === undefined) return;
  // We can read what we write, and writing again changes nothing.
  const written = encodeProfile(generated(profile, 'proto'));
  const again = decodeProfile(written);
  if (again.samples.length !== profile.samples.length) throw new Error('bug: samples lost in a round trip');
  const rawAgain = rawReport(again);
  if (rawAgain !== rawReport(decodeProfile(encodeProfile(again)))) throw new Error('bug: the round trip has no end');
  if (!hasLossyLabel(profile) && rawAgain !== raw) throw new Error('bug: the round trip changes the profile');
  writeFolded(profile);
  writeFolded(profile, { allTypes: true });
  const speedscope = writeSpeedscope(profile, { name: 'fuzz' });
  JSON.parse(speedscope);
}

/** As in pprof, a label that is 0 without a unit, or '', is lost when written. */
function hasLossyLabel({ strings, samples: { labels } }: Profile): boolean {
  for (let row = 0; row < labels.length; row++) {
    if (strings[labels.str[row]] === '' && (labels.str[row] !== 0 || labels.num[row] == 0)) return true;
  }
  return false;
}

/** The report's text; undefined if it is refused because of the profile itself. */
function printed(profile: Profile, report: ReportName): string | undefined {
  try {
    const result = generateReport(profile, { report, config: DEFAULT_CONFIG }, PORTS);
    return result.kind === 'text' ? [...result.chunks].join('') : '';
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (!isOneLine(error.message)) throw new Error(`bug: message of several lines: ${error.message}`);
    return undefined;
  }
}

function generated(profile: Profile, report: ReportName): Profile {
  const result = generateReport(profile, { report, config: DEFAULT_CONFIG }, PORTS);
  if (result.kind !== 'profile') throw new Error('bug: a profile was expected');
  return result.profile;
}

const PORTS = { warn: () => undefined, compile: compileGoRegexp, readSource: () => ({ error: 'none' }) };

function judgeRefusal(error: unknown): Outcome {
  if (!(error instanceof FormatError)) return crash('reading', error);
  const text = error.describe();
  if (!isOneLine(text)) return { kind: 'crash', problem: `error of several lines: ${JSON.stringify(text)}` };
  if (text.length > 500) return { kind: 'crash', problem: `error of ${text.length} characters: ${text.slice(0, 80)}` };
  if (!saysWhere(error)) return { kind: 'crash', problem: `error without a place: ${text}` };
  return { kind: 'refused' };
}

/** A malformed profile is located by the wrong id; everything else by an offset or a line. */
function saysWhere(error: FormatError): boolean {
  if (error instanceof MalformedProfileError || error instanceof ConcatenatedProfilesError) return true;
  const cause = error.cause instanceof FormatError ? error.cause : error;
  return [error, cause].some(({ offset, line }) => offset !== undefined || line !== undefined);
}
