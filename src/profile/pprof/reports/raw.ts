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
import { compareText } from '../../../base/text.ts';
import type { Mapping, Profile } from '../../profile.ts';
import { goDurationText, goTimeText } from '../go-time.ts';

/** The report in one piece. A string holds at most half a gigabyte; for larger profiles use `rawReportChunks`. */
export function rawReport(profile: Profile): string {
  return [...rawReportChunks(profile)].join('');
}

const LINES_PER_CHUNK = 4096;

/** The report in pieces of some thousand lines. */
export function* rawReportChunks(profile: Profile): Generator<string> {
  const { samples, locations } = profile;
  let out: string[] = [];
  const flush = (): string => {
    const chunk = out.join('\n') + '\n';
    out = [];
    return chunk;
  };
  pushHeader(out, profile);
  const idText = Array.from(locations.id, id => `${id} `);
  for (let s = 0; s < samples.length; s++) {
    let line = '';
    for (const column of samples.values) line += ` ${String(column[s]).padStart(10)}`;
    line += ': ';
    for (let k = samples.stackStart[s]; k < samples.stackStart[s + 1]; k++) line += idText[samples.stackLocations[k]];
    out.push(line);
    if (samples.labelStart[s] < samples.labelStart[s + 1]) pushLabels(out, profile, s);
    if (out.length >= LINES_PER_CHUNK) yield flush();
  }
  out.push('Locations');
  for (let i = 0; i < locations.length; i++) {
    pushLocation(out, profile, i);
    if (out.length >= LINES_PER_CHUNK) yield flush();
  }
  out.push('Mappings');
  for (const mapping of profile.mappings) out.push(mappingLine(mapping));
  yield flush();
}

function pushHeader(out: string[], profile: Profile): void {
  const { docUrl, periodType, period, timeNanos, durationNanos } = profile;
  for (const comment of profile.comments) out.push(`Comment: ${comment}`);
  if (docUrl !== '') out.push(`Doc: ${docUrl}`);
  out.push(`PeriodType: ${periodType.type} ${periodType.unit}`);
  out.push(`Period: ${period}`);
  if (timeNanos !== 0n) out.push(`Time: ${goTimeText(timeNanos)}`);
  // Go's %.4v cuts the text of a duration after four characters.
  if (durationNanos !== 0n) out.push(`Duration: ${goDurationText(durationNanos).slice(0, 4)}`);
  const types = profile.sampleTypes.map(
    ({ type, unit }) => `${type}/${unit}${type === profile.defaultSampleType ? '[dflt]' : ''} `,
  );
  out.push('Samples:', trimSpace(types.join('')));
}

const LABEL_INDENT = ' '.repeat(16);

interface NumericLabel {
  readonly values: string[];
  readonly units: string[];
  hasUnit: boolean;
}

/** One line of string labels, one of numeric labels, each sorted as text. */
function pushLabels(out: string[], { samples, strings }: Profile, sample: number): void {
  const { key, str, num, unit } = samples.labels;
  const start = samples.labelStart[sample];
  const end = samples.labelStart[sample + 1];
  if (end - start === 1 && str[start] === 0 && unit[start] === 0) {
    // The only label of nearly every heap sample: its size.
    out.push(`${LABEL_INDENT}${strings[key[start]]}:[${num[start]}]`);
    return;
  }
  const texts = new Map<number, string[]>();
  const numbers = new Map<number, NumericLabel>();
  for (let i = start; i < end; i++) {
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
  if (texts.size > 0) out.push(sortedLine([...texts].map(([k, values]) => `${strings[k]}:[${values.join(' ')}]`)));
  if (numbers.size > 0) out.push(sortedLine([...numbers].map(([k, label]) => `${strings[k]}:[${numbersText(label)}]`)));
}

/** If one value of a label has a unit, all are shown with theirs. */
function numbersText({ values, units, hasUnit }: NumericLabel): string {
  return (hasUnit ? values.map((value, i) => `${value} ${units[i]}`) : values).join(' ');
}

function sortedLine(parts: string[]): string {
  return LABEL_INDENT + parts.sort(compareText).join(' ');
}

function pushLocation(out: string[], { locations, functions, strings, mappings }: Profile, i: number): void {
  const mapping = locations.mapping[i];
  let start = `${String(locations.id[i]).padStart(6)}: ${hex(locations.address[i])} `;
  if (mapping >= 0) start += `M=${mappings[mapping].id} `;
  if (locations.isFolded[i] !== 0) start += '[F] ';
  const first = locations.lineStart[i];
  const end = locations.lineStart[i + 1];
  if (first === end) out.push(start);
  for (let k = first; k < end; k++) {
    const fn = locations.lines.fn[k];
    if (fn < 0) {
      out.push(`${start}??`);
    } else {
      const { name, systemName, filename, startLine } = functions;
      const place = `${strings[filename[fn]]}:${locations.lines.line[k]}:${locations.lines.column[k]}`;
      const other = strings[name[fn]] === strings[systemName[fn]] ? '' : `(${strings[systemName[fn]]})`;
      out.push(`${start}${strings[name[fn]]} ${place} s=${startLine[fn]}${other}`);
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
