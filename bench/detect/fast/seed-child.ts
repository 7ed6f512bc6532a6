/** node --import tsx seed-child.ts '{"seed":1,"alone":false,"coarse":false}': one fleet, its scores as JSON on stdout. */
import type { Options } from '../options.ts';
import { runSeed } from './run-seeds.ts';

const { seed, ...options } = JSON.parse(process.argv[2]) as { seed: number } & Pick<
  Options,
  'scenario' | 'alone' | 'coarse'
>;
process.stdout.write(JSON.stringify(runSeed(seed, options)));
