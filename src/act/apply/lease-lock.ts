/**
 * The lock of everyone who acts with Oakum: one Lease, taken with the version that was read, so that of two who try at
 * once one is refused. It is renewed until it is released. One that was not renewed in time is taken only after it did
 * not change for `durationSeconds` by our own clock: the clocks of two machines may differ by more than that.
 */
import { formatSeconds } from '../../base/say.ts';
import { optionalNumber, recordOf, textOf, type JsonRecord } from '../../base/json.ts';
import type { WatchClock } from '../../base/clock.ts';
import type { ClusterActions, Outcome } from '../../live/ports.ts';

export interface LockPlace {
  readonly namespace: string;
  readonly name: string;
  readonly durationSeconds: number;
}

export interface LockOptions extends LockPlace {
  /** `PLAN@HOST/PID`: unique to this run. */
  readonly holder: string;
  /** The holder's process has ended: its lock need not run out. */
  readonly hasEnded: (holder: string) => boolean;
  readonly signal: AbortSignal;
  /** It seems to have run out, and is watched for so long before it is taken. */
  readonly onWait?: (holder: string, seconds: number) => void;
}

export type LockTaken =
  | { readonly kind: 'taken'; readonly lock: LeaseLock }
  | { readonly kind: 'held'; readonly holder: string; readonly freeAtSeconds: number }
  | { readonly kind: 'failed'; readonly outcome: Exclude<Outcome, { kind: 'done' }> };

/** Another may take it between our GET and our PUT. */
const MAX_TRIES = 5;
const RENEWALS_PER_DURATION = 3;
const WATCH_PAUSE_SECONDS = 2;

export async function takeLock(actions: ClusterActions, clock: WatchClock, options: LockOptions): Promise<LockTaken> {
  const { namespace, name } = options;
  let watched: Watched | undefined;
  for (let attempt = 1; ;) {
    const found = await actions.lease(namespace, name);
    if (found.kind === 'lost' || (found.kind === 'refused' && found.status !== 404))
      return { kind: 'failed', outcome: found };
    const old = found.kind === 'done' ? found.value : undefined;
    const held = old === undefined ? undefined : holderOf(old);
    if (held !== undefined && held.holder !== options.holder && !options.hasEnded(held.holder)) {
      watched = stillWatched(watched, held, clock.now());
      // By the clock of the holder it is in use, or it was renewed while we looked: no more is needed to know.
      if (held.freeAtSeconds > clock.now() || watched === undefined)
        return { kind: 'held', holder: held.holder, freeAtSeconds: Math.max(held.freeAtSeconds, clock.now()) };
      if (clock.now() - watched.sinceSeconds < held.durationSeconds) {
        if (watched.sinceSeconds === clock.now()) options.onWait?.(held.holder, held.durationSeconds);
        await clock.sleep(WATCH_PAUSE_SECONDS, options.signal);
        if (options.signal.aborted) return { kind: 'held', holder: held.holder, freeAtSeconds: clock.now() };
        continue;
      }
    }
    const lease = leaseOf(options, old, clock.now());
    const written =
      old === undefined
        ? await actions.createLease(namespace, lease)
        : await actions.replaceLease(namespace, name, lease);
    if (written.kind === 'done') return { kind: 'taken', lock: new LeaseLock(actions, clock, options, written.value) };
    const isRace = written.kind === 'refused' && written.status === 409;
    if (!isRace || attempt >= MAX_TRIES) return { kind: 'failed', outcome: written };
    attempt++;
  }
}

interface Held {
  readonly holder: string;
  /** By the holder's clock. */
  readonly renewTime: string;
  readonly freeAtSeconds: number;
  readonly durationSeconds: number;
}

/** A Lease that looks as if it had run out, and since when it has not changed by our own clock. */
interface Watched extends Held {
  readonly sinceSeconds: number;
}

/** Undefined if it was renewed, or another took it. */
function stillWatched(watched: Watched | undefined, held: Held, now: number): Watched | undefined {
  if (watched === undefined) return { ...held, sinceSeconds: now };
  return watched.holder === held.holder && watched.renewTime === held.renewTime ? watched : undefined;
}

/** Undefined if it was released. */
function holderOf(lease: JsonRecord): Held | undefined {
  const spec = recordOf(lease['spec']);
  const holder = textOf(spec['holderIdentity']);
  const renewTime = textOf(spec['renewTime']);
  const durationSeconds = optionalNumber(spec['leaseDurationSeconds']) ?? 0;
  const renewed = Date.parse(renewTime) / 1000;
  if (holder === '') return undefined;
  return { holder, renewTime, durationSeconds, freeAtSeconds: Number.isNaN(renewed) ? 0 : renewed + durationSeconds };
}

function leaseOf({ namespace, name, holder, durationSeconds }: LockOptions, old: JsonRecord | undefined, now: number) {
  const spec = recordOf(old?.['spec']);
  const isOurs = textOf(spec['holderIdentity']) === holder;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: old === undefined ? { name, namespace } : recordOf(old['metadata']),
    spec: {
      holderIdentity: holder,
      leaseDurationSeconds: durationSeconds,
      acquireTime: isOurs ? spec['acquireTime'] : microTime(now),
      renewTime: microTime(now),
      leaseTransitions: (optionalNumber(spec['leaseTransitions']) ?? 0) + (old === undefined || isOurs ? 0 : 1),
    },
  };
}

/** Kubernetes' MicroTime wants six digits. */
function microTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('Z', '000Z');
}

export class LeaseLock {
  readonly #actions: ClusterActions;
  readonly #clock: WatchClock;
  readonly #options: LockOptions;
  readonly #ended = new AbortController();
  readonly #lost = new AbortController();
  #lease: JsonRecord;
  #renewedAt: number;
  #whyLost: string | undefined;
  #renewing: Promise<void> | undefined;

  constructor(actions: ClusterActions, clock: WatchClock, options: LockOptions, lease: JsonRecord) {
    this.#actions = actions;
    this.#clock = clock;
    this.#options = options;
    this.#lease = lease;
    this.#renewedAt = clock.now();
  }

  /** Aborts when the lock is lost. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Undefined while we hold it. */
  whyLost(): string | undefined {
    const silent = this.#clock.now() - this.#renewedAt;
    if (this.#whyLost === undefined && silent >= this.#options.durationSeconds)
      this.#lose(`it could not be renewed for ${formatSeconds(Math.round(silent))}`);
    return this.#whyLost;
  }

  keepRenewing(): void {
    this.#renewing ??= this.#renewForever();
  }

  async #renewForever(): Promise<void> {
    const pause = this.#options.durationSeconds / RENEWALS_PER_DURATION;
    for (;;) {
      // After a failure sooner: an API server that restarts must not cost the lock.
      const isLate = this.#clock.now() - this.#renewedAt >= pause;
      await this.#clock.sleep(isLate ? WATCH_PAUSE_SECONDS : pause, this.#ended.signal);
      if (this.#ended.signal.aborted || this.whyLost() !== undefined) return;
      await this.renew();
    }
  }

  /** Reads it first after a conflict: only another holder means that it is lost. */
  async renew(): Promise<void> {
    const { namespace, name, holder } = this.#options;
    for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
      const askedAt = this.#clock.now();
      const lease = leaseOf(this.#options, this.#lease, askedAt);
      const written = await this.#actions.replaceLease(namespace, name, lease);
      if (written.kind === 'done') {
        this.#lease = written.value;
        this.#renewedAt = askedAt;
        return;
      }
      if (written.kind === 'refused' && written.status === 404) return this.#lose('someone deleted the Lease');
      if (written.kind !== 'refused' || written.status !== 409) return;
      const found = await this.#actions.lease(namespace, name);
      if (found.kind !== 'done') return;
      const other = textOf(recordOf(found.value['spec'])['holderIdentity']);
      if (other !== holder) return this.#lose(other === '' ? 'someone released it' : `${other} took it`);
      this.#lease = found.value;
    }
  }

  #lose(why: string): void {
    this.#whyLost ??= why;
    this.#lost.abort();
  }

  /** Leaves an empty holder, so that the next need not wait. */
  async release(): Promise<Outcome | undefined> {
    this.#ended.abort();
    await this.#renewing;
    if (this.#whyLost !== undefined) return undefined;
    const { namespace, name } = this.#options;
    const spec = { ...recordOf(this.#lease['spec']), holderIdentity: '', leaseDurationSeconds: 1 };
    return this.#actions.replaceLease(namespace, name, { ...this.#lease, spec });
  }

  /** Stops renewing without writing anything. */
  async abandon(): Promise<void> {
    this.#ended.abort();
    await this.#renewing;
  }
}
