/**
 * Which replica samples which target: rendezvous hashing.
 *
 *     target a   oakum-0: 0.31   oakum-1: 0.87   oakum-2: 0.12   ->  oakum-1
 *     target b   oakum-0: 0.55   oakum-1: 0.02   oakum-2: 0.91   ->  oakum-2; without it, oakum-0
 *
 * Whoever knows who lives knows all shares. If a replica dies, only its targets move, and they spread over all others;
 * a new one takes an equal part from each.
 */
import { mixedHash } from '../../base/mixed-hash.ts';

/** Undefined if nobody lives. */
export function ownerOf(target: string, members: readonly string[]): string | undefined {
  let owner: string | undefined;
  let best = -1;
  for (const member of members) {
    const weight = mixedHash(`${member}\n${target}`);
    if (weight < best || (weight === best && owner !== undefined && owner < member)) continue;
    best = weight;
    owner = member;
  }
  return owner;
}
