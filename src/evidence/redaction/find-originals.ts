/**
 * Searches the bytes of a bundle for originals: as they are, and as they look in JSON, URLs, base64 and hexadecimal.
 *
 * Patterns are found by their last bytes, since names in one cluster begin alike.
 *
 *     web-7f9c-abc12      window of 8 bytes at the end -> bucket -> patterns to compare
 *     web-7f9c-xyz34
 */
import { encodeText } from '../../base/text.ts';
import { UNRECOGNIZED_FILE } from '../../profile/formats/unrecognized.ts';
import { decodeProfile } from '../../profile/formats/pprof/decode.ts';
import type { StoredFormat } from '../formats/registry.ts';
import type { Redactor } from './redactor.ts';

interface OriginalSearch {
  /** The first original in the bytes; patterns shorter than `minLength` bytes are skipped. */
  find(bytes: Uint8Array, minLength?: number): string | undefined;
  /** Every original in the bytes. */
  findAll(bytes: Uint8Array): Set<string>;
}

interface Pattern {
  readonly bytes: Uint8Array;
  readonly original: string;
}

/** A match that is shorter means nothing. */
const MIN_SEARCHED_BYTES = 4;
/** Shorter ones count only as whole words: `core` is part of `coredns`. */
export const MIN_ANYWHERE_BYTES = 8;

/** Some hundred thousand patterns leave most buckets empty at the upper limit. */
const BUCKET_BITS = { least: 12, most: 22 };

export function searchFor(originals: Iterable<string>): OriginalSearch {
  const patterns: Pattern[] = [];
  for (const original of originals) {
    for (const bytes of encodingsOf(original)) patterns.push({ bytes, original });
  }
  const short = new PatternTable(
    4,
    patterns.filter(({ bytes }) => bytes.length < MIN_ANYWHERE_BYTES),
  );
  const long = new PatternTable(
    8,
    patterns.filter(({ bytes }) => bytes.length >= MIN_ANYWHERE_BYTES),
  );
  return {
    find: (bytes, minLength = MIN_SEARCHED_BYTES) =>
      long.first(bytes) ?? (minLength < MIN_ANYWHERE_BYTES ? short.first(bytes, standsAlone) : undefined),
    findAll: bytes => {
      const found = new Set<string>();
      for (const table of [long, short]) table.each(bytes, ({ original }) => (found.add(original), false));
      return found;
    },
  };
}

/** Whether finding the text means anything: it is not too short, and not a number that can occur by chance. */
export function isSearchable(original: string): boolean {
  if (encodeText(original).length < MIN_SEARCHED_BYTES) return false;
  if (/^\d+$/.test(original)) return original.length >= 11 && !/^1\d{9}(?:\d{3}){0,3}$/.test(original);
  return !/^[+-]?[\d.,:%]+(?:e[+-]?\d+)?$/i.test(original) || /^\d{1,3}(?:\.\d{1,3}){3}/.test(original);
}

/** The text, and any part of it that identifies by itself, such as the address in `10.0.0.5:10250`. */
export function tellingParts(original: string): string[] {
  const parts = original.match(
    /\b(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b/g,
  );
  return (parts ?? []).filter(part => part !== original && !/^(?:127\.0\.0\.1|0\.0\.0\.0)$/.test(part));
}

function encodingsOf(original: string): Uint8Array[] {
  const raw = encodeText(original);
  const texts = new Set([jsonText(original), asciiJson(original), urlText(original), ...hexTexts(raw)]);
  texts.delete(original);
  const encoded = [raw, ...Array.from(texts, text => encodeText(text)), ...base64Windows(raw)];
  return encoded.filter(bytes => bytes.length >= MIN_SEARCHED_BYTES);
}

function jsonText(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function asciiJson(text: string): string {
  return jsonText(text).replace(/[^\x00-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function urlText(text: string): string {
  return encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, '\ufffd'));
}

function hexTexts(raw: Uint8Array): string[] {
  if (raw.length < 6) return [];
  const text = Array.from(raw, byte => byte.toString(16).padStart(2, '0')).join('');
  return [text, text.toUpperCase()];
}

/** The base64 of a text at each of the three offsets, without the characters that depend on its neighbours. */
function base64Windows(raw: Uint8Array): Uint8Array[] {
  if (raw.length < 6) return [];
  const windows: Uint8Array[] = [];
  for (const shift of [0, 1, 2]) {
    const padded = new Uint8Array(shift + raw.length);
    padded.set(raw, shift);
    const from = Math.ceil((shift * 8) / 6);
    const to = Math.floor((padded.length * 8) / 6);
    const text = base64(padded).slice(from, to);
    windows.push(encodeText(text));
    if (/[+/]/.test(text)) windows.push(encodeText(text.replaceAll('+', '-').replaceAll('/', '_')));
  }
  return windows;
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function base64(bytes: Uint8Array): string {
  let out = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const [first = 0, second = 0, third = 0] = bytes.subarray(i, i + 3);
    const group = (first << 16) | (second << 8) | third;
    for (const shift of [18, 12, 6, 0]) out += BASE64[(group >> shift) & 63];
  }
  return out;
}

class PatternTable {
  private readonly window: 4 | 8;
  private readonly buckets = new Map<number, Pattern[]>();
  private readonly bits: number;
  private readonly filled: Uint8Array;

  constructor(window: 4 | 8, patterns: readonly Pattern[]) {
    this.window = window;
    // At least 16 buckets per pattern.
    this.bits = Math.min(Math.max(Math.ceil(Math.log2(patterns.length + 1)) + 4, BUCKET_BITS.least), BUCKET_BITS.most);
    this.filled = new Uint8Array(1 << this.bits);
    for (const pattern of patterns) this.add(pattern);
  }

  private add(pattern: Pattern): void {
    const { bytes } = pattern;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const bucket = this.bucketAt(view, bytes.length - this.window);
    const known = this.buckets.get(bucket);
    if (known === undefined) this.buckets.set(bucket, [pattern]);
    else known.push(pattern);
    this.filled[bucket] = 1;
  }

  first(
    bytes: Uint8Array,
    accept: (bytes: Uint8Array, start: number, end: number) => boolean = () => true,
  ): string | undefined {
    let found: string | undefined;
    this.each(bytes, ({ original }, start, end) => {
      if (!accept(bytes, start, end)) return false;
      found = original;
      return true;
    });
    return found;
  }

  /** Calls `enough` for each match until it returns true. */
  each(bytes: Uint8Array, enough: (pattern: Pattern, start: number, end: number) => boolean): void {
    if (this.buckets.size === 0) return;
    const { window, filled } = this;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = 0; at + window <= bytes.length; at++) {
      const bucket = this.bucketAt(view, at);
      if (filled[bucket] === 0) continue;
      const end = at + window;
      for (const pattern of this.buckets.get(bucket) ?? []) {
        const start = end - pattern.bytes.length;
        if (start >= 0 && isAt(bytes, start, pattern.bytes) && enough(pattern, start, end)) return;
      }
    }
  }

  private bucketAt(view: DataView, at: number): number {
    let hash = Math.imul(view.getInt32(at, true), 0x9e3779b1);
    if (this.window === 8) hash = Math.imul(hash ^ view.getInt32(at + 4, true) ^ (hash >>> 15), 0x85ebca6b);
    return hash >>> (32 - this.bits);
  }
}

function isAt(bytes: Uint8Array, start: number, pattern: Uint8Array): boolean {
  for (let i = pattern.length - 1; i >= 0; i--) if (bytes[start + i] !== pattern[i]) return false;
  return true;
}

function standsAlone(bytes: Uint8Array, start: number, end: number): boolean {
  return !isWordByte(bytes[start - 1]) && !isWordByte(bytes[end]);
}

function isWordByte(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122) || byte >= 0x80;
}

/** Words of the formats themselves. */
const FORMAT_WORDS =
  'MANIFEST.json schema oakum.bundle/v1 oakum.capture/v1 oakumVersion catalogue entries sha256 redaction originals replacements searched notSearched analysis verdict sentence findings target resource family delta matches sameAsOriginals files path format bytes leftOut reason label name address url path module text argument pprof debug1 debug2 heap-text contention-text metrics kubernetes-json capture-manifest version leak watch healthy unknown heap goroutines stacks threads file-descriptors metric-series confirmed probable possible CAPTURE scrape TYPE UNIT counter gauge histogram summary untyped info stateset gaugehistogram goroutine profile total created by in goroutine minutes locked to thread synctest bubble leaked scan durable additional frames elided originating from labels runtime.MemStats contention mutex cycles/second sampling period startedAtSeconds endedAtSeconds goVersion buildId processStartSeconds kind set file request takenAtSeconds tookSeconds skewSeconds collection number atSeconds status truncated error notes empty could not be read free text cannot be redacted yet JSON of an unknown kind Prometheus response which manifest of an earlier bundle';

export interface SearchPlan {
  readonly search: OriginalSearch;
  readonly searched: number;
  readonly notSearched: number;
}

/** Finding a word that is public anyway means nothing, such as a namespace named like a Go package. */
export function planSearch(redactor: Redactor): SearchPlan {
  const wanted = new Set<string>();
  let total = 0;
  for (const original of redactor.originals.keys()) {
    total++;
    if (isSearchable(original)) wanted.add(original);
    for (const part of tellingParts(original)) wanted.add(part);
  }
  const publicWords = searchFor(wanted).findAll(
    encodeText([FORMAT_WORDS, UNRECOGNIZED_FILE, ...redactor.kept].join('\n')),
  );
  for (const word of publicWords) wanted.delete(word);
  const searched = [...redactor.originals.keys()].filter(original => wanted.has(original)).length;
  return { search: searchFor(wanted), searched, notSearched: total - searched };
}

/**
 * The last check before a bundle leaves: does it still contain an original?
 *
 * Whether an original is in a member, given decompressed.
 */
export function hasOriginal(bytes: Uint8Array, format: StoredFormat, { search }: SearchPlan): boolean {
  if (format !== 'pprof') return search.find(bytes) !== undefined;
  // Packed numbers can look like short words by chance, so short words are searched for in text only.
  if (search.find(bytes, MIN_ANYWHERE_BYTES) !== undefined) return true;
  const { strings, mappings, comments } = decodeProfile(bytes);
  const texts = [...strings, ...comments, ...mappings.flatMap(({ file, buildId }) => [file, buildId])];
  return search.find(encodeText(texts.join('\n'))) !== undefined;
}
