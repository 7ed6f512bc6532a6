/**
 * Limits concurrent captures: one per target, five per cluster, and those that waited start at slightly different
 * times. An API server does not protect itself or a kubelet from many profiles at once: requests to a node's proxy are
 * long-running and exempt from priority and fairness.
 */
export interface CaptureGate {
  /** Runs `work` when there is room. */
  pass<T>(target: string, cluster: string, work: () => Promise<T>): Promise<T>;
}

export interface GateOptions {
  readonly perCluster: number;
  readonly maxJitterSeconds: number;
  readonly random: () => number;
  readonly sleep: (seconds: number) => Promise<void>;
}

export const GATE_LIMITS = { perCluster: 5, maxJitterSeconds: 2 } as const;

export function captureGate(options: GateOptions): CaptureGate {
  const targets = new Semaphores(1);
  const clusters = new Semaphores(options.perCluster);
  return {
    async pass(target, cluster, work) {
      const key = `${cluster}\0${target}`;
      const waitedForTarget = await targets.acquire(key);
      const waitedForCluster = await clusters.acquire(cluster);
      try {
        if (waitedForTarget || waitedForCluster) await options.sleep(options.random() * options.maxJitterSeconds);
        return await work();
      } finally {
        clusters.release(cluster);
        targets.release(key);
      }
    },
  };
}

/** A counter per key, first come, first served. */
class Semaphores {
  private readonly limit: number;
  private readonly taken = new Map<string, number>();
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Returns whether it had to wait. */
  async acquire(key: string): Promise<boolean> {
    const taken = this.taken.get(key) ?? 0;
    if (taken < this.limit) {
      this.taken.set(key, taken + 1);
      return false;
    }
    const queue = this.waiting.get(key) ?? [];
    this.waiting.set(key, queue);
    await new Promise<void>(resolve => queue.push(resolve));
    return true;
  }

  /** Passes the place to the next one waiting, or frees it. */
  release(key: string): void {
    const next = this.waiting.get(key)?.shift();
    if (next !== undefined) return next();
    const left = (this.taken.get(key) ?? 0) - 1;
    if (left > 0) this.taken.set(key, left);
    else {
      this.taken.delete(key);
      this.waiting.delete(key);
    }
  }
}
