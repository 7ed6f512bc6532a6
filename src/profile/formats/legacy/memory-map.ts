/**
 * The memory map at the end of a legacy profile, and which mapping each location belongs to.
 *
 *     --- Memory map: ---
 *       build=/usr/bin/kubelet                     an attribute: `$build` stands for it from here on
 *       00400000-00fcb000: $build                  only executable mappings count
 */
import type { Draft } from './draft.ts';
import { isRegexpSpace, trimEnd, trimStart, trimText } from './go-strings.ts';
import type { LineScanner } from './line-scanner.ts';
import { locateMappings } from './locate-mappings.ts';
import { parseMappingEntry, type MutableMapping } from './mapping-entry.ts';

/** Skips what else a profile may have, up to its memory map, and reads that. */
export function readAdditionalSections(lines: LineScanner, draft: Draft): void {
  while (!lines.isMemoryMapSentinel && lines.scan());
  lines.check();
  readMemoryMap(lines, draft);
}

/** Reads the memory map from the next line on; then numbers locations and mappings. */
export function readMemoryMap(lines: LineScanner, draft: Draft): void {
  const mappings = mainBinaryFirst(mergeAdjacent(readEntries(lines)));
  draft.orderLocations();
  locateMappings(draft, mappings);
}

function readEntries(lines: LineScanner): MutableMapping[] {
  const mappings: MutableMapping[] = [];
  const attributes = new Attributes(lines);
  while (lines.scan()) {
    let bytes = lines.bytes;
    let start = skipLogPrefix(bytes, lines.start, lines.end);
    let end = lines.end;
    if (attributes.appliesTo(bytes, start, end)) {
      bytes = attributes.substitute(bytes.subarray(start, end));
      start = 0;
      end = bytes.length;
    }
    const entry = parseMappingEntry(bytes, start, end);
    if (entry === 'unrecognized') attributes.define(bytes.subarray(start, end));
    else if (entry !== 'skip') mappings.push(entry);
  }
  lines.check();
  return mappings;
}

/** Past a log prefix that ends in `file:line] `, if there is one. */
function skipLogPrefix(bytes: Uint8Array, start: number, end: number): number {
  let close = start;
  while (close < end && bytes[close] !== 0x5b && bytes[close] !== 0x5d) close++;
  if (close + 1 >= end || bytes[close] !== 0x5d || !isRegexpSpace(bytes[close + 1])) return start;
  let colon = close - 1;
  while (colon > start && bytes[colon] >= 0x30 && bytes[colon] <= 0x39) colon--;
  return colon > start && colon < close - 1 && bytes[colon] === 0x3a ? close + 2 : start;
}

/** Far more than any real map takes; an attribute named `$` of long values could otherwise fill the memory. */
const SUBSTITUTION_BUDGET = 1 << 28;

/** `name=value` lines and the `$name` they replace. Bytes are kept as Latin-1 text: one character is one byte. */
class Attributes {
  private readonly lines: LineScanner;
  private readonly values = new Map<string, { readonly value: string; readonly rank: number }>();
  private lengths: number[] = [];
  private budget = SUBSTITUTION_BUDGET;

  constructor(lines: LineScanner) {
    this.lines = lines;
  }

  define(line: Uint8Array): void {
    const equals = line.indexOf(0x3d);
    if (equals < 0) return;
    const name = '$' + trimBytes(line.subarray(0, equals));
    // The first definition of a name wins.
    if (this.values.has(name)) return;
    this.spend(name.length);
    this.values.set(name, { value: trimBytes(line.subarray(equals + 1)), rank: this.values.size });
    if (!this.lengths.includes(name.length)) this.lengths.push(name.length);
  }

  appliesTo(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.values.size === 0) return false;
    for (let i = start; i < end; i++) if (bytes[i] === 0x24) return true;
    return false;
  }

  substitute(line: Uint8Array): Uint8Array {
    const text = latin1(line);
    const parts: string[] = [];
    let from = 0;
    for (let at = text.indexOf('$'); at >= 0; at = text.indexOf('$', at)) {
      const hit = this.match(text, at);
      if (hit === undefined) {
        at++;
        continue;
      }
      this.spend(hit.value.length);
      parts.push(text.slice(from, at), hit.value);
      at = from = at + hit.length;
    }
    parts.push(text.slice(from));
    return Uint8Array.from(parts.join(''), char => char.charCodeAt(0));
  }

  /** The attribute named at `at` that was defined first. */
  private match(text: string, at: number): { value: string; length: number } | undefined {
    let best: { value: string; rank: number; length: number } | undefined;
    for (const length of this.lengths) {
      if (at + length > text.length) continue;
      this.spend(length);
      const hit = this.values.get(text.slice(at, at + length));
      if (hit !== undefined && (best === undefined || hit.rank < best.rank)) best = { ...hit, length };
    }
    return best;
  }

  private spend(work: number): void {
    this.budget -= work + 1;
    if (this.budget < 0) throw this.lines.error('memory map attributes need too much work to substitute');
  }
}

function latin1(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let i = 0; i < bytes.length; i += 8192) parts.push(String.fromCharCode(...bytes.subarray(i, i + 8192)));
  return parts.join('');
}

function trimBytes(bytes: Uint8Array): string {
  const start = trimStart(bytes, 0, bytes.length);
  return latin1(bytes.subarray(start, trimEnd(bytes, start, bytes.length)));
}

/** Joins neighbours that are one file's mapping, split. */
function mergeAdjacent(entries: readonly MutableMapping[]): MutableMapping[] {
  const merged: MutableMapping[] = [];
  for (const entry of entries) {
    const last = merged.at(-1);
    if (last === undefined || !areAdjacent(last, entry)) {
      merged.push(entry);
      continue;
    }
    last.limit = entry.limit;
    if (entry.file !== '') last.file = entry.file;
    if (entry.buildId !== '') last.buildId = entry.buildId;
  }
  return merged;
}

function areAdjacent(a: MutableMapping, b: MutableMapping): boolean {
  if (a.file !== '' && b.file !== '' && a.file !== b.file) return false;
  if (a.buildId !== '' && b.buildId !== '' && a.buildId !== b.buildId) return false;
  if (a.limit !== b.start) return false;
  return a.offset === 0n || b.offset === 0n || BigInt.asUintN(64, a.offset + a.limit - a.start) === b.offset;
}

/** The first mapping that has a name, is no shared library and no `[vdso]` changes places with the first of all. */
function mainBinaryFirst(mappings: MutableMapping[]): MutableMapping[] {
  const main = mappings.findIndex(({ file }) => {
    const name = trimText(file.replaceAll('(deleted)', ''));
    return name !== '' && !name.startsWith('[') && !/[.]so$|[.]so[._][0-9]/.test(name);
  });
  if (main > 0) [mappings[0], mappings[main]] = [mappings[main], mappings[0]];
  return mappings;
}
