/**
 * Where a target is on the way from a name to a verdict that counts, at this replica.
 *
 *     role      sampler    this replica samples and judges it; always if the watch is alone
 *               judge      another one samples it; this one leads, so that its detector compares all targets
 *               viewer     another one samples and judges it; this one shows it
 *
 *     history   unread     the store may have samples that are not known here
 *               known      the memory of this process has what follows from them; its detector does not
 *               complete   the detector has it, too
 *
 *     unread -- memoryRead() --> known -- detectorRead() --> complete
 *                                  ^----- setRole() ------------'      the detector forgets what others judge
 */
import type { DetectorRow } from '../background.ts';

export type Role = 'sampler' | 'judge' | 'viewer';

export class TargetPhase {
  #role: Role = 'sampler';
  #history: 'unread' | 'known' | 'complete' = 'complete';
  /** Only while the history is being read: samples that came meanwhile. */
  #held: DetectorRow[] | undefined;
  /** Whether the store is known to have samples. */
  #isStored = false;
  /** When this process first sampled it before its history was read. */
  #sampledSince: number | undefined;

  /** `isStored`: the store has samples for sure, of an earlier run or of another replica. */
  markUnread(isStored: boolean): void {
    this.#history = 'unread';
    this.#isStored = isStored;
  }

  /** Returns whether the detector of this replica is to forget the target. */
  setRole(role: Role): boolean {
    const [before, now] = [this.isJudged, role !== 'viewer'];
    this.#role = role;
    if (before !== now && this.#history === 'complete') this.#history = 'known';
    return before && !now;
  }

  get isSampled(): boolean {
    return this.#role === 'sampler';
  }

  get isJudged(): boolean {
    return this.#role !== 'viewer';
  }

  get isUnread(): boolean {
    return this.#history === 'unread';
  }

  /** Whether nothing can be said before its history is read, unless there is an earlier verdict. */
  get isAwaited(): boolean {
    return this.isUnread && this.#isStored;
  }

  /** Whether the detector lacks the history that it should have. */
  get isBehind(): boolean {
    return this.isJudged && this.#history !== 'complete';
  }

  get needsReading(): boolean {
    return this.isUnread || this.isBehind;
  }

  /** Whether what the detector of this replica says about it counts. */
  get isVerdictOwn(): boolean {
    return this.isSampled && !this.isBehind;
  }

  get sampledSince(): number | undefined {
    return this.#sampledSince;
  }

  noteSample(at: number): void {
    if (this.isUnread) this.#sampledSince ??= at;
  }

  startReading(): void {
    this.#held = [];
  }

  get held(): readonly DetectorRow[] {
    return this.#held ?? [];
  }

  endReading(): void {
    this.#held = undefined;
  }

  memoryRead(): void {
    if (this.isUnread) this.#history = 'known';
  }

  detectorRead(): void {
    this.#history = 'complete';
  }

  /** A sample goes to the detector, unless that one gets it later, from the store or with what is held. */
  pass(row: DetectorRow, pending: DetectorRow[]): void {
    if (this.#held !== undefined) this.#held.push(row);
    else if (this.isJudged && !this.isBehind) pending.push(row);
  }
}
