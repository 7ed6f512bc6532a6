import { describe, it } from 'node:test';
import { clusterActions } from '../../src/live/io/kube/cluster-actions.ts';
import { SimulatedClock } from '../double/simulated-clock.ts';
import { inTime } from '../double/world/in-time.ts';
import { worldSender, WORLD_ENDPOINT } from '../double/world/world-sender.ts';
import { World } from '../double/world/world.ts';
import { clusterActionsContract } from './cluster-actions-contract.ts';

describe('ClusterActions: on the world in memory', () => {
  for (const { name, run } of clusterActionsContract) {
    it(name, async () => {
      const clock = new SimulatedClock(1_800_000_000);
      const world = new World(clock);
      world.addNode('worker-1');
      const actions = clusterActions({ endpoint: WORLD_ENDPOINT, send: worldSender(world), deadlineSeconds: 10 });
      await run({
        actions,
        node: 'worker-1',
        namespace: 'contract',
        makePod: async (pod, app) => {
          world.addPod('worker-1', { name: pod, namespace: 'contract', metadata: { labels: { app } } });
        },
        makeBudget: async (budget, app) => {
          world.add('poddisruptionbudgets', {
            metadata: { name: budget, namespace: 'contract' },
            spec: { selector: { matchLabels: { app } } },
            status: { disruptionsAllowed: 0, desiredHealthy: 1, currentHealthy: 1 },
          });
        },
        wait: work => inTime(clock, work),
      });
    });
  }
});
