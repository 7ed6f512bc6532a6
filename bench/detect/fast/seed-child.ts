/** node --import tsx seed-child.ts SEED [SCENARIO]: one fleet, its scores as JSON on stdout. */
import { runSeed } from './run-seeds.ts';

const [seed, scenario] = process.argv.slice(2);
process.stdout.write(JSON.stringify(runSeed(Number(seed), scenario)));
