/**
 * When each request may be sent again, so that looking does not disturb. A goroutine profile stops the process while it
 * is made, and a list of all goroutines for much longer; both take longer the more goroutines there are.
 *
 *     request took 0.1 s       profile: again after 2 s, at most 5 % of the time
 *                              list:    again after 10 s, at most 1 % of the time
 */
export type TopRequest = 'metrics' | 'goroutines' | 'list' | 'heap';

interface Rule {
  readonly path: string;
  /** It takes at most this share of the time. */
  readonly share: number;
  readonly leastSeconds: number;
}

export const TOP_REQUESTS: Readonly<Record<TopRequest, Rule>> = {
  metrics: { path: '/metrics', share: 0.05, leastSeconds: 0 },
  goroutines: { path: '/debug/pprof/goroutine?debug=1', share: 0.05, leastSeconds: 0 },
  list: { path: '/debug/pprof/goroutine?debug=2', share: 0.01, leastSeconds: 10 },
  // A heap profile changes only with a garbage collection.
  heap: { path: '/debug/pprof/heap', share: 0.05, leastSeconds: 10 },
};

export class RequestBudget {
  readonly #notBefore = new Map<TopRequest, number>();

  isDue(request: TopRequest, nowSeconds: number): boolean {
    return nowSeconds >= (this.#notBefore.get(request) ?? -Infinity);
  }

  sent(request: TopRequest, nowSeconds: number, tookSeconds: number): void {
    const { share, leastSeconds } = TOP_REQUESTS[request];
    this.#notBefore.set(request, nowSeconds + Math.max(leastSeconds, tookSeconds / share));
  }

  /** It is not there, or we may not: never again. */
  giveUp(request: TopRequest): void {
    this.#notBefore.set(request, Infinity);
  }
}
