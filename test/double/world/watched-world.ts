/**
 * A world whose worker-1 has an incident in a watch, with the plans of that watch.
 *
 *     const watched = watchedWorld();
 *     const plans = watched.plans({ mayAct: true });
 *     const plan = await watched.make(plans);
 *     await plans.apply(plan.id, { by: 'kim', hash: plan.hash, confirm: 'worker-1' });
 *     await watched.untilIdle(plans);
 */
import assert from 'node:assert/strict';
import { memoryStore } from '../../../src/watch/io/memory-store.ts';
import { createWatchPlans, type WatchPlansPorts } from '../../../src/act/watch/create-watch-plans.ts';
import type { NewPlan, WatchPlan, WatchPlans } from '../../../src/act/watch/watch-plan.ts';
import type { WatchService } from '../../../src/watch/watch-service.ts';
import type { WatchStore } from '../../../src/store/ports.ts';
import { exampleService } from '../example-service.ts';
import { aRequest } from '../plan-facts.ts';
import { sha256 } from '../small-plan.ts';
import { actingWorld, type ActingWorld } from './acting-world.ts';
import { inTime } from './in-time.ts';
import { worldSender, WORLD_ENDPOINT } from './world-sender.ts';
import { endpointConnection } from '../../../src/live/ports.ts';

export interface WatchedOptions {
  readonly mayAct?: boolean;
  /** The command that restarts. */
  readonly template?: string;
  readonly ports?: Partial<WatchPlansPorts>;
}

export interface WatchedWorld extends ActingWorld {
  readonly store: WatchStore;
  /** What belongs on the timeline. */
  readonly timeline: string[];
  plans(options?: WatchedOptions): WatchPlans;
  make(plans: WatchPlans, asked?: Partial<NewPlan>): Promise<WatchPlan>;
  /** Lets time pass until no plan is applied or aborted any more; the first plan then. */
  untilIdle(plans: WatchPlans): Promise<WatchPlan>;
}

export const INCIDENT = 'i-1';

/** What plans are made with. */
export function planningIn({ world, kubelet }: ActingWorld): Exclude<WatchPlansPorts['cluster'], string> {
  const send = worldSender(world);
  return {
    cluster: {
      ...endpointConnection('the world', 'api-server', WORLD_ENDPOINT, send),
      context: 'world',
      namespace: 'default',
      post: (path, json, limits) => send(WORLD_ENDPOINT, { method: 'POST', path, json }, limits),
    },
    kubelet,
    deadlineSeconds: 10,
  };
}

export function watchedWorld(service: Partial<WatchService> = {}): WatchedWorld {
  const acting = actingWorld(['worker-1', 'worker-2']);
  const { clock } = acting;
  const store = memoryStore();
  const timeline: string[] = [];
  let runs = 0;
  const firstOf = async (plans: WatchPlans): Promise<WatchPlan> => {
    const plan = (await plans.view(INCIDENT))?.plans[0];
    assert.ok(plan !== undefined);
    return plan;
  };
  return Object.assign(acting, {
    store,
    timeline,
    plans: ({ mayAct = false, template = 'ssh {node} restart', ports = {} }: WatchedOptions = {}) => {
      const {
        restart,
        policy,
        drain: { before: _, ...drain },
      } = aRequest([]);
      return createWatchPlans(
        {
          service: exampleService(service),
          store,
          clock,
          sha256,
          cluster: planningIn(acting),
          acting: mayAct
            ? async plan => ({
                ports: acting.ports,
                actor: 'system:serviceaccount:oakum:oakum',
                holder: `${plan.id}@test/${++runs}`,
                hasEnded: holder => holder.startsWith(`${plan.id}@test/`),
              })
            : 'this server was started without --allow-actions',
          changed: (_, text) => void (text === undefined || timeline.push(text)),
          log: line => void timeline.push(`log: ${line}`),
          ...ports,
        },
        {
          restart: { ...restart, via: 'command', template },
          drain,
          policy,
          oakumVersion: '0',
          isDirect: false,
          address: 'http://watch',
        },
      );
    },
    make: async (plans: WatchPlans, asked: Partial<NewPlan> = {}) => {
      const by = { by: 'kim', action: 'restart', drain: false, again: false, force: null } as const;
      const made = await plans.make(INCIDENT, { ...by, ...asked });
      assert.ok(made !== undefined && !('refused' in made), JSON.stringify(made));
      return made;
    },
    untilIdle: (plans: WatchPlans) =>
      inTime(
        clock,
        (async () => {
          for (;;) {
            const plan = await firstOf(plans);
            if (plan.state !== 'applying' && plan.state !== 'aborting') return plan;
            await clock.sleep(1, new AbortController().signal);
          }
        })(),
      ),
  });
}
