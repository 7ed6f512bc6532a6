/**
 * Whether a resource of a target follows its number of pods in this life: how closely the two move together.
 *
 *     pods          8 ... 30 ... 82
 *     goroutines  164 ... 216 ... 322     correlation 0.98: they follow
 */
import { firstFinite } from '../../base/finite.ts';
import { factsOf, type Resource } from '../../evidence/resource.ts';
import { POD_METRICS, RESOURCE_RULES } from '../../evidence/resource-rules.ts';

export interface Following {
  readonly resource: Resource;
  /** First and last in this life. */
  readonly pods: readonly [number, number];
  readonly level: readonly [number, number];
}

/** People ask about these when pods come and go. */
const FOLLOWED: readonly Resource[] = ['goroutines', 'live heap'];
const MIN_CORRELATION = 0.9;
const MIN_SAMPLES = 20;
const MIN_PODS = 5;
const MIN_POD_SHARE = 0.25;

export class PodFollowing {
  readonly #moments = new Map<Resource, Moments>();

  add(values: Readonly<Record<string, number>>): void {
    const pods = firstFinite(values, POD_METRICS);
    if (pods === undefined) return;
    for (const { resource, sources } of RESOURCE_RULES) {
      if (!FOLLOWED.includes(resource)) continue;
      const level = firstFinite(
        values,
        sources.map(({ metric }) => metric),
      );
      if (level === undefined) continue;
      let moments = this.#moments.get(resource);
      if (moments === undefined) this.#moments.set(resource, (moments = new Moments()));
      moments.add(pods, level);
    }
  }

  /** Another life begins. */
  reset(): void {
    this.#moments.clear();
  }

  /** What grew with more pods, if anything did. */
  followed(): Following | undefined {
    for (const resource of FOLLOWED) {
      const moments = this.#moments.get(resource);
      if (moments === undefined || moments.count < MIN_SAMPLES) continue;
      const { pods, level } = moments;
      const { amount, share } = factsOf(resource).leastGrowth;
      const hasGrown = level[1] - level[0] >= Math.max(amount, share * level[0]);
      const hasMorePods = pods[1] - pods[0] >= Math.max(MIN_PODS, MIN_POD_SHARE * pods[0]);
      if (hasGrown && hasMorePods && moments.correlation >= MIN_CORRELATION) return { resource, pods, level };
    }
    return undefined;
  }
}

/** Means and covariances without keeping the samples (Welford). */
class Moments {
  count = 0;
  pods: readonly [number, number] = [0, 0];
  level: readonly [number, number] = [0, 0];
  #meanX = 0;
  #meanY = 0;
  #xx = 0;
  #yy = 0;
  #xy = 0;

  add(x: number, y: number): void {
    this.pods = [this.count === 0 ? x : this.pods[0], x];
    this.level = [this.count === 0 ? y : this.level[0], y];
    this.count++;
    const dx = x - this.#meanX;
    const dy = y - this.#meanY;
    this.#meanX += dx / this.count;
    this.#meanY += dy / this.count;
    this.#xx += dx * (x - this.#meanX);
    this.#yy += dy * (y - this.#meanY);
    this.#xy += dx * (y - this.#meanY);
  }

  get correlation(): number {
    const spread = Math.sqrt(this.#xx * this.#yy);
    return spread === 0 ? 0 : this.#xy / spread;
  }
}
