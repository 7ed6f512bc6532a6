/**
 * speedscope's JSON file format (https://www.speedscope.app/file-format-schema.json).
 *
 *     shared.frames   [{ name, file, line }]            one per function; `line` is where the function starts
 *     profiles[t]     { samples: [[0, 3, 7], ...],      one per sample type; frames root first
 *                       weights: [12, ...] }
 *
 * Its numbers are doubles and its weights must be positive. The profile's name says what is lost by that.
 */
import type { Int64Column } from '../../base/int64.ts';
import type { Profile } from '../profile.ts';
import { defaultSampleIndex, expandLocations, frameName } from './write-folded.ts';

export interface SpeedscopeOptions {
  /** Shown when the file has no other name. */
  readonly name?: string;
  /** The sample type to open first; pprof's default otherwise. */
  readonly sampleIndex?: number;
}

interface Frame {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
}

const UNITS: ReadonlyMap<string, string> = new Map([
  ['nanosecond', 'nanoseconds'],
  ['ns', 'nanoseconds'],
  ['microsecond', 'microseconds'],
  ['us', 'microseconds'],
  ['millisecond', 'milliseconds'],
  ['ms', 'milliseconds'],
  ['second', 'seconds'],
  ['s', 'seconds'],
  ['byte', 'bytes'],
  ['b', 'bytes'],
]);

export function writeSpeedscope(profile: Profile, options: SpeedscopeOptions = {}): string {
  const frames = new SpeedscopeFrames(profile);
  const stacks = stackTexts(profile, frames);
  const head = {
    $schema: 'https://www.speedscope.app/file-format-schema.json',
    exporter: 'oakum',
    name: options.name ?? 'profile',
    activeProfileIndex: Math.max(options.sampleIndex ?? defaultSampleIndex(profile), 0),
    shared: { frames: frames.list },
  };
  const parts = [JSON.stringify(head).slice(0, -1), ',"profiles":['];
  for (let t = 0; t < profile.sampleTypes.length; t++) {
    if (t > 0) parts.push(',');
    pushProfile(parts, profile, t, stacks);
  }
  parts.push(']}\n');
  return parts.join('');
}

function pushProfile(parts: string[], profile: Profile, typeIndex: number, stacks: readonly string[]): void {
  const { type, unit } = profile.sampleTypes[typeIndex];
  const column: Int64Column = profile.samples.values[typeIndex];
  const samples: string[] = [];
  const weights: number[] = [];
  let total = 0;
  let negative = 0;
  let rounded = 0;
  for (let i = 0; i < column.length; i++) {
    const weight = Number(column[i]);
    if (weight < 0) negative++;
    if (weight <= 0) continue;
    if (!Number.isSafeInteger(weight)) rounded++;
    samples.push(stacks[i]);
    weights.push(weight);
    total += weight;
  }
  const scale = UNITS.get(unit.toLowerCase().replace(/(..)s$/, '$1'));
  const notes = [
    scale === undefined && unit !== '' && unit !== 'count' ? `in ${unit}` : '',
    negative > 0 ? `${negative} negative left out` : '',
    rounded > 0 ? `${rounded} beyond 2^53 rounded` : '',
  ].filter(note => note !== '');
  const head = {
    type: 'sampled',
    name: notes.length === 0 ? type : `${type} (${notes.join(', ')})`,
    unit: scale ?? 'none',
    startValue: 0,
    endValue: total,
  };
  parts.push(JSON.stringify(head).slice(0, -1), ',"samples":[', samples.join(','), '],"weights":');
  parts.push(JSON.stringify(weights), '}');
}

/** Every sample's frames as JSON: the same text serves each sample type. */
function stackTexts(profile: Profile, frames: SpeedscopeFrames): string[] {
  const { length, stackStart, stackLocations } = profile.samples;
  const locations = expandLocations(profile, (fn, location) => frames.frameOf(fn, location));
  const texts: string[] = [];
  for (let sample = 0; sample < length; sample++) {
    const stack: number[] = [];
    for (let at = stackStart[sample + 1] - 1; at >= stackStart[sample]; at--) {
      const location = stackLocations[at];
      for (let i = locations.start[location]; i < locations.start[location + 1]; i++) stack.push(locations.frames[i]);
    }
    texts.push(`[${stack.join(',')}]`);
  }
  return texts;
}

class SpeedscopeFrames {
  readonly list: Frame[] = [];
  private readonly profile: Profile;
  private readonly index = new Map<string, number>();

  constructor(profile: Profile) {
    this.profile = profile;
  }

  frameOf(fn: number, location: number): number {
    const { strings, functions } = this.profile;
    const name = frameName(this.profile, fn, location);
    const file = fn < 0 ? '' : strings[functions.filename[fn]];
    const line = fn < 0 ? 0 : Number(functions.startLine[fn]);
    const key = `${name}\0${file}\0${line}`;
    let index = this.index.get(key);
    if (index === undefined) {
      index = this.list.push({ name, ...(file === '' ? {} : { file }), ...(line > 0 ? { line } : {}) }) - 1;
      this.index.set(key, index);
    }
    return index;
  }
}
