/**
 * Slows down whoever guesses tokens: after five wrong ones, an address waits 1 s, then 2 s, 4 s, ... up to a minute
 * before the next one is looked at. A right token forgets the failures.
 */

const FREE_FAILURES = 5;
const MAX_WAIT_MS = 60_000;
/** More addresses than that are not remembered; the oldest is forgotten. */
const MAX_ADDRESSES = 10_000;

interface Failures {
  readonly count: number;
  readonly untilMs: number;
}

export class LoginThrottle {
  private readonly nowMs: () => number;
  private readonly failures = new Map<string, Failures>();

  constructor(nowMs: () => number = () => performance.now()) {
    this.nowMs = nowMs;
  }

  /** For how many seconds the address has to wait; 0 when it may try. */
  waitSeconds(address: string): number {
    const known = this.failures.get(address);
    return known === undefined ? 0 : Math.max(0, Math.ceil((known.untilMs - this.nowMs()) / 1000));
  }

  failed(address: string): void {
    const count = (this.failures.get(address)?.count ?? 0) + 1;
    const waitMs = count < FREE_FAILURES ? 0 : Math.min(MAX_WAIT_MS, 1000 * 2 ** Math.min(count - FREE_FAILURES, 16));
    this.failures.delete(address);
    this.failures.set(address, { count, untilMs: this.nowMs() + waitMs });
    const [oldest] = this.failures.keys();
    if (this.failures.size > MAX_ADDRESSES && oldest !== undefined) this.failures.delete(oldest);
  }

  succeeded(address: string): void {
    this.failures.delete(address);
  }
}
