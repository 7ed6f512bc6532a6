/**
 * `pprof -raw`: a profile field by field.
 *
 *     PeriodType: cpu nanoseconds
 *     Period: 10000000
 *     Samples:
 *     samples/count cpu/nanoseconds
 *              1   10000000: 1 2 3
 *     Locations
 *          1: 0x4aef2e M=1 main.work /src/main.go:20:0 s=18
 *     Mappings
 *     1: 0x400000/0x5c3000/0x0 /bin/demo
 */
import { compareText } from '../../base/text.ts';
import type { LocationTable, Mapping, Profile } from '../../model/profile.ts';
import { goDurationText, goTimeText } from '../go-time.ts';

/** The report in one piece. Strings end at half a gigabyte: write `rawReportChunks` for profiles without bound. */
export function rawReport(profile: Profile): string {
  return [...rawReportChunks(profile)].join('');
}

const LINES_PER_CHUNK = 4096;

/** The report in pieces of some thousand lines. */
export function* rawReportChunks(profile: Profile): Generator<string> {
  let pending: string[] = [];
  for (const line of rawLines(profile)) {
    pending.push(line);
    if (pending.length === LINES_PER_CHUNK) {
      yield pending.join('\n') + '\n';
      pending = [];
    }
  }
  yield pending.join('\n') + '\n';
}

function* rawLines(profile: Profile): Generator<string> {
  yield* headerLines(profile);
  yield 'Samples:';
  yield trimSpace(
    profile.sampleTypes
      .map(({ type, unit }) => `${type}/${unit}${type === profile.defaultSampleType ? '[dflt]' : ''} `)
      .join(''),
  );
  const { samples, locations } = profile;
  const idText = Array.from(locations.id, id => `${id} `);
  for (let s = 0; s < samples.length; s++) {
    let line = '';
    for (const column of samples.values) line += ` ${String(column[s]).padStart(10)}`;
    line += ': ';
    for (let k = samples.stackStart[s]; k < samples.stackStart[s + 1]; k++) line += idText[samples.stackLocations[k]];
    yield line;
    if (samples.labelStart[s] < samples.labelStart[s + 1]) yield* labelLines(profile, s);
  }
  yield 'Locations';
  for (let i = 0; i < locations.length; i++) yield* locationLines(profile, locations, i);
  yield 'Mappings';
  for (const mapping of profile.mappings) yield mappingLine(mapping);
}

function* headerLines(profile: Profile): Generator<string> {
  const { docUrl, periodType, period, timeNanos, durationNanos } = profile;
  for (const comment of profile.comments) yield `Comment: ${comment}`;
  if (docUrl !== '') yield `Doc: ${docUrl}`;
  yield `PeriodType: ${periodType.type} ${periodType.unit}`;
  yield `Period: ${period}`;
  if (timeNanos !== 0n) yield `Time: ${goTimeText(timeNanos)}`;
  // Go's %.4v cuts the text of a duration after four characters.
  if (durationNanos !== 0n) yield `Duration: ${goDurationText(durationNanos).slice(0, 4)}`;
}

const LABEL_INDENT = ' '.repeat(16);

/** One line of string labels, one of numeric labels, each sorted as text. */
function* labelLines({ samples, strings }: Profile, sample: number): Generator<string> {
  const { key, str, num, unit } = samples.labels;
  const texts = new Map<number, string[]>();
  const numbers = new Map<number, { values: string[]; units: string[]; hasUnit: boolean }>();
  for (let i = samples.labelStart[sample]; i < samples.labelStart[sample + 1]; i++) {
    if (str[i] !== 0) {
      const values = texts.get(key[i]);
      if (values === undefined) texts.set(key[i], [strings[str[i]]]);
      else values.push(strings[str[i]]);
      continue;
    }
    let entry = numbers.get(key[i]);
    if (entry === undefined) numbers.set(key[i], (entry = { values: [], units: [], hasUnit: false }));
    entry.values.push(String(num[i]));
    entry.units.push(strings[unit[i]]);
    entry.hasUnit ||= unit[i] !== 0;
  }
  if (texts.size > 0) {
    yield sortedLine([...texts].map(([name, values]) => `${strings[name]}:[${values.join(' ')}]`));
  }
  if (numbers.size > 0) {
    yield sortedLine(
      [...numbers].map(([name, { values, units, hasUnit }]) => {
        const shown = hasUnit ? values.map((value, i) => `${value} ${units[i]}`) : values;
        return `${strings[name]}:[${shown.join(' ')}]`;
      }),
    );
  }
}

function sortedLine(parts: string[]): string {
  return LABEL_INDENT + parts.sort(compareText).join(' ');
}

function* locationLines(profile: Profile, locations: LocationTable, i: number): Generator<string> {
  const { functions, strings, mappings } = profile;
  const mapping = locations.mapping[i];
  let start = `${String(locations.id[i]).padStart(6)}: ${hex(locations.address[i])} `;
  if (mapping >= 0) start += `M=${mappings[mapping].id} `;
  if (locations.isFolded[i] !== 0) start += '[F] ';
  const first = locations.lineStart[i];
  const end = locations.lineStart[i + 1];
  if (first === end) yield start;
  for (let k = first; k < end; k++) {
    const fn = locations.lines.fn[k];
    if (fn < 0) {
      yield `${start}??`;
    } else {
      const { name, systemName, filename, startLine } = functions;
      const place = `${strings[filename[fn]]}:${locations.lines.line[k]}:${locations.lines.column[k]}`;
      const other = strings[name[fn]] === strings[systemName[fn]] ? '' : `(${strings[systemName[fn]]})`;
      yield `${start}${strings[name[fn]]} ${place} s=${startLine[fn]}${other}`;
    }
    start = '             ';
  }
}

function mappingLine(mapping: Mapping): string {
  const { hasFunctions, hasFilenames, hasLineNumbers, hasInlineFrames } = mapping;
  const known =
    (hasFunctions ? '[FN]' : '') +
    (hasFilenames ? '[FL]' : '') +
    (hasLineNumbers ? '[LN]' : '') +
    (hasInlineFrames ? '[IN]' : '');
  const range = `${hex(mapping.start)}/${hex(mapping.limit)}/${hex(mapping.offset)}`;
  return `${mapping.id}: ${range} ${mapping.file} ${mapping.buildId} ${known}`;
}

function hex(value: bigint): string {
  return `0x${value.toString(16)}`;
}

const SPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

/** Go's strings.TrimSpace. */
function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && SPACE.test(text[start])) start++;
  while (end > start && SPACE.test(text[end - 1])) end--;
  return text.slice(start, end);
}
