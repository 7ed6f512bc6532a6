/**
 * One profile of two answers that each have one value of the same stacks, as continuous profilers give them:
 *
 *     inuse_objects  a;b 3, a;c 1         inuse_objects, inuse_space
 *     inuse_space    a;c 64, a;b 96   ->  a;c 1 64, a;b 3 96
 */
import { Int64ColumnBuilder } from '../../../base/int64.ts';
import type { Profile } from '../../profile.ts';
import { decodeProfile } from './decode.ts';
import { encodeProfile } from './encode.ts';
import { elementAt } from '../../../base/errors.ts';

/** The stacks of `main` with the value of `other` before their own; 0 for stacks that `other` lacks. */
export function joinValues(other: Uint8Array, main: Uint8Array): Uint8Array {
  const [before, after] = [decodeProfile(other), decodeProfile(main)];
  const known = new Map<string, bigint>();
  const column = before.samples.values[0];
  forEachStack(before, (stack, i) => {
    const value = BigInt(column?.[i] ?? 0);
    known.set(stack, (known.get(stack) ?? 0n) + value);
  });
  const joined = new Int64ColumnBuilder(after.samples.length);
  forEachStack(after, stack => {
    joined.push(known.get(stack) ?? 0n);
    // A stack that is there twice has its value once.
    known.delete(stack);
  });
  return encodeProfile({
    ...after,
    sampleTypes: [...before.sampleTypes.slice(0, 1), ...after.sampleTypes],
    samples: { ...after.samples, values: [joined.finish(), ...after.samples.values] },
  });
}

function forEachStack({ samples, locations, functions, strings }: Profile, visit: (key: string, i: number) => void) {
  const { lines } = locations;
  const frames = Array.from({ length: locations.length }, (_, location) => {
    const parts: string[] = [];
    for (let at = elementAt(locations.lineStart, location); at < elementAt(locations.lineStart, location + 1); at++) {
      const fn = elementAt(lines.fn, at);
      const name = fn < 0 ? '' : elementAt(strings, elementAt(functions.name, fn));
      parts.push(`${name}:${lines.line[at] ?? 0}`);
    }
    return parts.length === 0 ? String(elementAt(locations.address, location)) : parts.join('\n');
  });
  for (let i = 0; i < samples.length; i++) {
    let key = '';
    for (let at = elementAt(samples.stackStart, i); at < elementAt(samples.stackStart, i + 1); at++)
      key += `${elementAt(frames, elementAt(samples.stackLocations, at))}\n\n`;
    visit(key, i);
  }
}
