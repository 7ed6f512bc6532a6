/** A world with its clock and the calls into it, for tests of acting. */
import { clusterActions } from '../../../src/live/io/kube/cluster-actions.ts';
import { SimulatedClock } from '../simulated-clock.ts';
import { World } from './world.ts';
import { worldSender, WORLD_ENDPOINT } from './world-sender.ts';
import type { ClusterActions } from '../../../src/live/ports.ts';

export interface SmallWorld {
  readonly clock: SimulatedClock;
  readonly world: World;
  readonly actions: ClusterActions;
}

export function smallWorld(nodes: readonly string[] = ['worker-1']): SmallWorld {
  const clock = new SimulatedClock(1_800_000_000);
  const world = new World(clock);
  for (const node of nodes) world.addNode(node);
  const actions = clusterActions({ endpoint: WORLD_ENDPOINT, send: worldSender(world), deadlineSeconds: 10 });
  return { clock, world, actions };
}
