import { compareText, concatBytes, encodeText } from '../../base/text.ts';
import type { Profile, ValueType } from '../profile.ts';
import { compareMagnitude, ExactSums } from './exact-sums.ts';
import { SequenceTrie } from '../../base/sequence-trie.ts';
import { Uint32ColumnBuilder } from '../../base/columns.ts';

export interface FoldedOptions {
  /** Which sample type to write; pprof's default otherwise. */
  readonly sampleIndex?: number;
  /** Writes every sample type, under a `type/unit ...` header. */
  readonly allTypes?: boolean;
  /** Label keys to put before the root as `key=value` frames; a sample without the label gets none. */
  readonly labelRoots?: readonly string[];
}

const CHUNK_LINES = 4096;

/** One line per distinct stack, root first, the largest first; exact sums. Stacks that sum to zero are left out. */
export function writeFolded(profile: Profile, options: FoldedOptions = {}): Uint8Array {
  const shown = options.sampleIndex ?? defaultSampleIndex(profile);
  const types = options.allTypes === true ? profile.sampleTypes.map((_, index) => index) : [shown];
  const names = new FrameNames();
  const { trie, sums } = sumStacks(profile, types, options.labelRoots ?? [], names);

  const sortBy = sums[Math.max(types.indexOf(shown), 0)];
  const rows: { readonly node: number; readonly value: number | bigint; readonly stack: string }[] = [];
  for (let node = 0; node < trie.length; node++) {
    if (sums.every(column => column.get(node) === 0)) continue;
    const path = trie.path(node);
    const stack = path.length === 0 ? '[no stack]' : path.map(frame => names.list[frame]).join(';');
    rows.push({ node, value: sortBy.get(node), stack });
  }
  rows.sort((a, b) => compareMagnitude(a.value, b.value) || compareText(a.stack, b.stack));

  const parts: Uint8Array[] = [];
  if (options.allTypes === true) parts.push(encodeText(profile.sampleTypes.map(headerWord).join(' ') + '\n'));
  for (let at = 0; at < rows.length; at += CHUNK_LINES) {
    let text = '';
    for (const { node, stack } of rows.slice(at, at + CHUNK_LINES)) {
      text += stack;
      for (const column of sums) text += ` ${column.get(node)}`;
      text += '\n';
    }
    parts.push(encodeText(text));
  }
  return concatBytes(parts);
}

function sumStacks(
  profile: Profile,
  types: readonly number[],
  labelRoots: readonly string[],
  names: FrameNames,
): { trie: SequenceTrie; sums: readonly ExactSums[] } {
  const { length, stackStart, stackLocations, values } = profile.samples;
  const { start, frames } = expandLocations(profile, (fn, location) => names.intern(frameName(profile, fn, location)));
  const trie = new SequenceTrie();
  const sums = types.map(() => new ExactSums());
  for (let sample = 0; sample < length; sample++) {
    let node = 0;
    for (const key of labelRoots) {
      const value = labelText(profile, sample, key);
      if (value !== '') node = trie.child(node, names.intern(`${key}=${value}`));
    }
    for (let at = stackStart[sample + 1] - 1; at >= stackStart[sample]; at--) {
      const location = stackLocations[at];
      for (let frame = start[location]; frame < start[location + 1]; frame++) node = trie.child(node, frames[frame]);
    }
    for (let t = 0; t < types.length; t++) sums[t].add(node, values[types[t]][sample]);
  }
  return { trie, sums };
}

/** The values of one label, joined by commas; '' when the sample lacks it. */
function labelText(profile: Profile, sample: number, key: string): string {
  const { labelStart, labels } = profile.samples;
  const found: string[] = [];
  for (let i = labelStart[sample]; i < labelStart[sample + 1]; i++) {
    if (profile.strings[labels.key[i]] !== key) continue;
    const text = profile.strings[labels.str[i]];
    found.push(text !== '' ? text : `${labels.num[i]}${profile.strings[labels.unit[i]]}`);
  }
  return found.join(',');
}

/** Frame names as a line can hold them: no semicolon, line break or outer space. */
class FrameNames {
  readonly list: string[] = [];
  private readonly index = new Map<string, number>();

  intern(raw: string): number {
    let index = this.index.get(raw);
    if (index !== undefined) return index;
    const name =
      raw
        .replaceAll(';', ':')
        .replace(/[\r\n]+/g, ' ')
        .replace(/^[ \t]+|[ \t]+$/g, '') || '<unknown>';
    index = this.index.get(name) ?? this.list.push(name) - 1;
    this.index.set(name, index);
    this.index.set(raw, index);
    return index;
  }
}

function headerWord({ type, unit }: ValueType): string {
  return `${headerPart(type)}/${headerPart(unit)}`;
}

function headerPart(text: string): string {
  return text.replace(/[\s/;]+/g, '_') || 'none';
}

/** frames[start[l], start[l + 1]) are the frames of location l, the outermost first, inlined ones after it. */
interface LocationFrames {
  readonly start: Uint32Array;
  readonly frames: Uint32Array;
}

/** `frameOf` numbers the frame of a function, or of a location without one (fn = -1). */
export function expandLocations(profile: Profile, frameOf: (fn: number, location: number) => number): LocationFrames {
  const { length, lineStart, lines } = profile.locations;
  const start = new Uint32Array(length + 1);
  const frames = new Uint32ColumnBuilder(lines.length + length);
  for (let location = 0; location < length; location++) {
    for (let line = lineStart[location + 1] - 1; line >= lineStart[location]; line--) {
      frames.push(frameOf(lines.fn[line], location));
    }
    if (lineStart[location + 1] === lineStart[location]) frames.push(frameOf(-1, location));
    start[location + 1] = frames.length;
  }
  return { start, frames: frames.finish() };
}

/** The function's name, or what is known instead: address, object file. */
export function frameName(profile: Profile, fn: number, location: number): string {
  const name = fn < 0 ? '' : profile.strings[profile.functions.name[fn]];
  if (name !== '') return name;
  const address = profile.locations.address[location];
  if (address !== 0n) return `0x${address.toString(16)}`;
  const mapping = profile.mappings[profile.locations.mapping[location]];
  return mapping === undefined || mapping.file === '' ? '<unknown>' : `[${mapping.file.replace(/^.*\//, '')}]`;
}

/** The sample type that pprof would show: the profile's default, else its last. */
export function defaultSampleIndex(profile: Profile): number {
  const index = profile.sampleTypes.findIndex(({ type }) => type === profile.defaultSampleType);
  return index >= 0 ? index : profile.sampleTypes.length - 1;
}
