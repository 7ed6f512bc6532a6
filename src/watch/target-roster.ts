/**
 * Which targets are watched: they are found and lost, among replicas they change hands, and those that are this one's own
 * are sampled.
 */
import { oneLine } from '../base/text-layout.ts';
import { givenAttributes } from '../evidence/read-attribute-file.ts';
import { clusterOf } from '../evidence/target.ts';
import type { LeaderStore } from '../store/ports.ts';
import type { StoredIncident } from '../store/records.ts';
import { closeAsGone } from './incidents/life-cycle.ts';
import { captureOnRequest, type CaptureReply } from './incidents/run-captures.ts';
import { Sharing } from './replicas/sharing.ts';
import { Sampler } from './sampling/sampler.ts';
import { sampleTarget, takeSample } from './sampling/sample-target.ts';
import { describeTarget } from './state/describe-target.ts';
import { recallStored } from './state/recall-stored.ts';
import type { WatchState } from './state/watch-state.ts';
import { isSelf, type TargetEntry, WatchedTarget } from './state/watched-target.ts';

/** Up to this many targets, every sample is an event; in a larger fleet, only those of targets with an incident. */
const SMALL_FLEET = 200;

export class TargetRoster {
  readonly sampler: Sampler;
  readonly #state: WatchState;
  /** Undefined if the watch is alone. */
  readonly #sharing: Sharing | undefined;
  /** Targets of an earlier run, until they are found again. */
  #remembered = new Map<string, WatchedTarget>();

  constructor(state: WatchState) {
    const { ports, options, outgoing } = state;
    const { exchange } = ports;
    this.#state = state;
    this.sampler = new Sampler(
      {
        clock: ports.clock,
        random: ports.random,
        ask: name => this.#sample(name),
        ...(exchange === undefined ? {} : { lastSampleAt: name => state.targets.get(name)?.samples.lastAt }),
      },
      {
        intervalSeconds: options.intervalSeconds,
        concurrency: options.concurrency,
        groupOf: name => clusterOf(name) ?? '',
      },
    );
    if (exchange !== undefined && outgoing !== undefined)
      this.#sharing = new Sharing({
        state,
        outgoing,
        exchange,
        sampler: this.sampler,
        addSelf: name => this.add({ name, connection: undefined, attributes: {} }),
        remove: name => this.remove(name),
      });
  }

  /** Before the first target is added. */
  async recall(): Promise<void> {
    this.#remembered = await recallStored(this.#state);
  }

  add(found: TargetEntry): void {
    const state = this.#state;
    const { options, targets } = state;
    const entry = { ...found, memoryLimitBytes: found.memoryLimitBytes ?? this.#usualLimitOf(found.name) };
    const { name } = entry;
    const known = targets.get(name) ?? this.#remembered.get(name);
    this.#remembered.delete(name);
    known?.renew(entry);
    const target = known ?? new WatchedTarget({ ...entry, attributes: {} }, options.hourSeconds);
    const isNew = targets.get(name) !== target;
    const isSampled = entry.connection !== undefined || entry.read !== undefined;
    // The store may know it: it was removed and is back, or another replica sampled it.
    if (known === undefined && isSampled) target.phase.markUnread(false);
    targets.set(name, target);
    if (state.share.owns(name)) state.ports.store.putTarget(name, target.attributes);
    const attributes = { ...entry.attributes, ...givenAttributes(options.described, name) };
    describeTarget(state, target, attributes, state.ports.clock.now());
    if (this.#sharing !== undefined) this.#sharing.consider(target, isSampled, isNew);
    else if (isSampled) this.sampler.add(name);
  }

  remove(name: string): void {
    const { targets, nodes, ports, share } = this.#state;
    const target = targets.get(name);
    if (target === undefined) return;
    this.sampler.remove(name);
    targets.delete(name);
    nodes.forget(name);
    ports.background.forget([name]);
    if (share.owns(name)) closeAsGone(this.#state, target, ports.clock.now());
  }

  /** A sample from elsewhere. */
  addSample(name: string, at: number, values: Readonly<Record<string, number>>): void {
    const { targets, share } = this.#state;
    if (!targets.has(name)) this.add({ name, connection: undefined, attributes: {} });
    const target = targets.get(name);
    if (target !== undefined && share.owns(name)) takeSample(this.#state, target, at, values);
  }

  /** By this replica, or by the one that samples the target; undefined if there is no such target. */
  async capture(name: string, reason: string): Promise<CaptureReply | undefined> {
    const target = this.#state.targets.get(name);
    if (target === undefined) return undefined;
    if (this.#sharing !== undefined && !this.#state.share.owns(name)) return this.#sharing.askForCapture(name, reason);
    return captureOnRequest(this.#state, target, reason);
  }

  /** After each commit: takes in what the other replicas sent. */
  async followReplicas(): Promise<void> {
    await this.#sharing?.follow();
  }

  async resync(): Promise<void> {
    await this.#sharing?.resync();
  }

  get leaderStore(): LeaderStore | undefined {
    return this.#sharing?.leaderStore;
  }

  saveAsLeader(incident: StoredIncident): void {
    if (this.#sharing !== undefined) this.#sharing.saveAsLeader(incident);
    else this.#state.ports.store.put({ kind: 'incident', record: incident });
  }

  #usualLimitOf(name: string): number | undefined {
    return isSelf(name) ? undefined : this.#state.options.memoryLimitBytes;
  }

  async #sample(name: string): Promise<boolean> {
    const state = this.#state;
    const { targets, share, ports } = state;
    const target = targets.get(name);
    if (target === undefined) return false;
    // After a sleep, this replica may not know yet that another one samples the target now.
    if (!share.owns(name)) return true;
    try {
      const answered = await sampleTarget(state, target);
      if (answered && (targets.size <= SMALL_FLEET || target.incidentId !== undefined))
        state.emit({ kind: 'target', target: name, at: ports.clock.now() });
      return answered;
    } catch (error) {
      target.silentWhy = `reading its metrics failed: ${oneLine((error as Error).message)}`;
      state.counters.failures++;
      return false;
    }
  }
}
