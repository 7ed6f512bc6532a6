/** Splits a file that holds several dumps: within one, no goroutine id occurs twice. */
import type { DumpBuilder } from './dump-builder.ts';

const MAX_PROBES = 64;

export function addSections(builder: DumpBuilder): void {
  const { rows } = builder;
  let size = 16;
  while (size < rows.length * 2) size *= 2;
  // Open addressing; the section number tells entries of earlier sections from this one's, so nothing is cleared.
  const ids = new Float64Array(size);
  const section = new Uint32Array(size);
  const seed = (Math.random() * 0x100000000) | 0;
  let current = 0;
  for (let row = 0; row < rows.length; row++) {
    const id = rows.idOf(row);
    if (row === 0 || (id !== 0 && !insert(ids, section, current, id, seed))) {
      builder.sections.push({ firstRow: row, name: 'goroutine', declaredTotal: undefined });
      current++;
      insert(ids, section, current, id, seed);
    }
  }
}

/** False when the id was there already. Goroutine 0 may repeat: every thread has one. */
function insert(ids: Float64Array, section: Uint32Array, current: number, id: number, seed: number): boolean {
  const mask = ids.length - 1;
  const low = id >>> 0;
  let h = Math.imul(low ^ seed, 0x9e3779b1) ^ Math.imul(((id - low) / 4294967296) | 0, 0x85ebca6b);
  h ^= h >>> 15;
  let slot = h & mask;
  for (let probes = 0; section[slot] === current && ids[slot] !== id; probes++) {
    // Only ids made to collide come this far; leaving them out keeps the time linear.
    if (probes === MAX_PROBES) return true;
    slot = (slot + 1) & mask;
  }
  if (section[slot] === current) return false;
  ids[slot] = id;
  section[slot] = current;
  return true;
}
