/** Every planted offence and near miss, grouped by area. */
import { ARROWS } from './arrows.ts';
import { CYCLES } from './cycles.ts';
import { FILES } from './files.ts';
import { GLOBALS } from './globals.ts';
import { LOADS } from './loads.ts';
import type { Plant } from './plant.ts';

export const SUITES: readonly (readonly [area: string, plants: readonly Plant[]])[] = [
  ['loads', LOADS],
  ['arrows', ARROWS],
  ['cycles', CYCLES],
  ['globals', GLOBALS],
  ['files', FILES],
];

export const PLANTS: readonly Plant[] = SUITES.flatMap(([, plants]) => plants);

/** Groups plants into as few batches as possible without two files of the same path. */
export function batchesOf(plants: readonly Plant[]): Plant[][] {
  const batches: { plants: Plant[]; paths: Set<string> }[] = [];
  for (const plant of plants) {
    const paths = Object.keys(plant.files);
    let batch = batches.find(({ paths: taken }) => !paths.some(path => taken.has(path)));
    if (batch === undefined) batches.push((batch = { plants: [], paths: new Set() }));
    batch.plants.push(plant);
    for (const path of paths) batch.paths.add(path);
  }
  return batches.map(batch => batch.plants);
}
