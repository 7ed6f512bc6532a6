/** node --import tsx seed-child.ts '{"seed":1,"alone":false}': one fleet, its scores as JSON on stdout. */
import { runSeed } from './run-seeds.ts';

const { seed, scenario, alone } = JSON.parse(process.argv[2]) as { seed: number; scenario?: string; alone: boolean };
process.stdout.write(JSON.stringify(runSeed(seed, { scenario, alone })));
