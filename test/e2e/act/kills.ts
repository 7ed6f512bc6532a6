/** kill -9 of apply at random points: the same command resumes, and nothing is done twice. */
import assert from 'node:assert/strict';
import { saw } from '../check.ts';
import { type ActCheck, podsOn, QUICK } from './acting.ts';
import { until } from '../../until.ts';

const NODES = ['fix-a', 'fix-b', 'fix-c', 'fix-d'];
const ROUNDS = 5;
/** About as long as an apply takes here. */
const LONGEST_MS = 40_000;

export const killChecks: readonly ActCheck[] = [
  {
    name: `kill -9 at ${NODES.length * ROUNDS} random points`,
    run: async lab => {
      for (const node of NODES) await lab.kubectl('create', 'namespace', `oakum-${node}`);
      const ends = await Promise.all(
        NODES.map(async (node, index) => {
          let killed = 0;
          const points: number[] = [];
          for (let round = 0; round < ROUNDS; round++) {
            const args = [
              '--drain',
              '--delete-emptydir-data',
              '--evict-unmanaged',
              '--lock-namespace',
              `oakum-${node}`,
            ];
            const file = await lab.plan(`kill-${node}-${round}`, 'restart', `node/${node}`, ...args, ...QUICK);
            const before = lab.restarts(node);
            // One in each stretch of the time, so that no stretch is left out.
            const milliseconds =
              (LONGEST_MS * (round * NODES.length + index + Math.random())) / (NODES.length * ROUNDS);
            points.push(Math.round(milliseconds / 100) / 10);
            if (await lab.applyAndKill(file, milliseconds)) killed++;
            const resumed = await lab.apply(file);
            saw(resumed, 0, /is (?:already )?applied/);
            assert.equal(lab.restarts(node) - before, 1, `${node} was restarted ${lab.restarts(node) - before} times`);
            assert.deepEqual(await lab.marks(node), []);
            process.stderr.write(`e2e: ${node} killed after ${points.at(-1)} s and resumed\n`);
            await until(async () => (await podsOn(lab, node)).length > 0);
          }
          return { killed, points };
        }),
      );
      const points = ends.flatMap(end => end.points).sort((a, b) => a - b);
      const killed = ends.reduce((sum, end) => sum + end.killed, 0);
      return `${killed} of ${points.length} killed, after ${points.join(', ')} s; each resumed, restarted once, uncordoned`;
    },
  },
];
