/** Ids of families: short enough to type, and the same for the same code everywhere. */
import type { FamilyKind } from './family.ts';

/** `g-` or `h-` and ten hex digits: 40 bits, so that 10,000 families collide once in 20,000 captures. */
export function familyId(kind: FamilyKind, frames: readonly string[]): string {
  const prefix = kind === 'goroutine' ? 'g-' : 'h-';
  return prefix + hash40(frames.join('\n'));
}

/** Two 32-bit multiplicative hashes over UTF-16 units, mixed into each other at the end. */
function hash40(text: string): string {
  let a = 0x9e3779b9;
  let b = 0x85ebca6b;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x5bd1e995) + (a >>> 15);
  }
  a = avalanche(a ^ (b >>> 11));
  b = avalanche(b ^ a);
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 24).toString(16).padStart(2, '0');
}

/** Spreads every bit over the whole word. */
function avalanche(word: number): number {
  let x = word;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return x ^ (x >>> 16);
}
