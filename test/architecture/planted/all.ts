/** Every planted offence and near miss, grouped by area. */
import { ARROWS } from './arrows.ts';
import { CODE } from './code.ts';
import { CYCLES } from './cycles.ts';
import { FILES } from './files.ts';
import { GLOBALS } from './globals.ts';
import { LOADS } from './loads.ts';
import type { Plant } from './plant.ts';
import { USES } from './uses.ts';

const AREAS: readonly (readonly [area: string, plants: readonly Plant[]])[] = [
  ['loads', LOADS],
  ['arrows', ARROWS],
  ['cycles', CYCLES],
  ['globals', GLOBALS],
  ['files', FILES],
  ['uses', USES],
  ['code', CODE],
];

export const SUITES: typeof AREAS = AREAS.map(([area, plants]) => [
  area,
  plants.map((plant, index) => numbered(plant, `${area}${index}`)),
]);

export const PLANTS: readonly Plant[] = SUITES.flatMap(([, plants]) => plants);

/** With its number in the names of its files, so that all plants can stand in one tree: planted-a.ts is planted-code12-a.ts. */
function numbered({ name, files, offences }: Plant, number: string): Plant {
  const rename = (text: string): string => text.replace(/\b(planted|dead|alive|small)(?=[-\w]*\.\w)/g, `$1-${number}`);
  const renamed = Object.entries(files).map(([path, text]) => [rename(path), rename(text)]);
  return { name, files: Object.fromEntries(renamed), offences: offences.map(rename) };
}
