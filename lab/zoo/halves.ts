/** The zoo in two halves: rules are tuned on one and tried on the other. A leak and its twin are in the same half. */
import { createHash } from 'node:crypto';

export type Half = 'tune' | 'test';

export function halfOf(name: string): Half {
  const family = name.replace(/-ok$/, '');
  return createHash('sha256').update(family).digest()[0] % 2 === 0 ? 'tune' : 'test';
}
