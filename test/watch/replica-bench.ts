/** Several replicas of a watch in one process: one simulated clock, one store, one authority. */
import { memoryStore, StoreMemory } from '../../src/watch/io/memory-store.ts';
import { ReplicaSession } from '../../src/watch/replicas/replica-session.ts';
import type { Background } from '../../src/watch/background.ts';
import type { WatchClock } from '../../src/base/clock.ts';
import type { WatchOptions } from '../../src/watch/state/watch-state.ts';
import { MemoryBoard } from '../double/memory-exchange.ts';
import { MemoryAuthority } from '../double/memory-membership.ts';
import { SimulatedClock } from '../double/simulated-clock.ts';
import { PortTraffic } from './port-traffic.ts';
import { T0, watchBench, type WatchBench } from './watch-bench.ts';
import { MEMBERSHIP_TIMES } from '../../src/watch/replicas/ports.ts';

export interface Replica extends WatchBench {
  readonly id: string;
  readonly session: ReplicaSession;
  /** As kill -9: nothing more is committed, told or beaten. */
  kill(): void;
  /** As SIGTERM. */
  leave(): Promise<void>;
}

export class ReplicaBench {
  readonly clock: SimulatedClock = new SimulatedClock(T0);
  readonly memory: StoreMemory = new StoreMemory();
  readonly traffic: PortTraffic = new PortTraffic();
  readonly authority: MemoryAuthority = new MemoryAuthority(() => this.clock.now(), MEMBERSHIP_TIMES.leaseSeconds);
  readonly board: MemoryBoard = new MemoryBoard(() => this.clock.now(), this.memory);

  async start(
    id: string,
    parts: { readonly options?: Partial<WatchOptions>; readonly background?: Background } = {},
  ): Promise<Replica> {
    const { clock, traffic } = this;
    const stop = new AbortController();
    let isKilled = false;
    const mortal: WatchClock = {
      now: () => clock.now(),
      sleep: async (seconds, signal) => {
        await clock.sleep(seconds, signal);
        if (isKilled) await new Promise(() => {});
      },
    };
    const log: string[] = [];
    const session = new ReplicaSession({
      membership: traffic.follow(this.authority.membership(id, `http://${id}:7777`)),
      id,
      times: MEMBERSHIP_TIMES,
      monotonic: () => clock.now() - T0,
      clock: mortal,
      random: () => 0.5,
      log: line => log.push(line),
    });
    const bench = watchBench({
      ...parts,
      clock,
      traffic,
      watchClock: mortal,
      store: memoryStore(this.memory),
      share: session,
      exchange: this.board.exchange(id),
      options: { commitSeconds: 2, ...parts.options },
    });
    await bench.watch.start();
    await session.join(stop.signal);
    const running = session.run(stop.signal);
    return {
      ...bench,
      id,
      session,
      kill: () => {
        isKilled = true;
      },
      leave: async () => {
        stop.abort();
        await running;
        await bench.watch.stop();
      },
    };
  }

  run(seconds: number): Promise<void> {
    return this.clock.runUntil(this.clock.now() + seconds, () => this.traffic.quiet());
  }
}
