/**
 * Replicas as Leases: one for each, and one for the leader, whose `leaseTransitions` is the term. As in client-go, a
 * Lease has run out when this process has not seen it renewed for its duration, so clocks that differ do not matter.
 *
 *     oakum-8c41f2d0-replica-oakum-0   holder oakum-0_5f1c   renewTime ...   oakum.dev/address: http://10.0.0.7:7777
 *     oakum-8c41f2d0-replica-oakum-1   holder oakum-1_09ab
 *     oakum-8c41f2d0-leader            holder oakum-0_5f1c   leaseTransitions 4
 */
import { optionalNumber, recordOf, textOf, type JsonRecord } from '../../base/json.ts';
import type { ClusterActions, Outcome } from '../../live/ports.ts';
import type { Membership, Roster } from '../replicas/ports.ts';
import { Failure } from '../../base/errors.ts';

export interface LeaseMember {
  readonly namespace: string;
  /** Watches with different groups do not know each other. */
  readonly group: string;
  readonly id: string;
  /** Tells this process from an earlier one with the same id. */
  readonly session: string;
  readonly address: string | null;
  readonly leaseSeconds: number;
  /** Seconds that only grow. */
  readonly monotonic: () => number;
  /** Unix seconds, for people who look at the Leases. */
  readonly now: () => number;
  /**
   * The latest term that wrote to the store: a Lease that was deleted, or restored from a backup, counts on from there.
   * Undefined while the store does not answer; then nobody begins to lead.
   */
  readonly fencedTerm: () => Promise<number | undefined>;
}

const LABEL = 'oakum.dev/replicas';
const ADDRESS = 'oakum.dev/address';
/** Leases of replicas that are gone for this long are deleted by the leader. */
const FORGET_SECONDS = 3600;

export function leaseMembership(actions: ClusterActions, member: LeaseMember): Membership {
  return new LeaseMembership(actions, member);
}

class LeaseMembership implements Membership {
  readonly authority: string;
  readonly #member: LeaseMember;
  readonly #leases: GroupLeases;
  readonly #ownName: string;
  readonly #leaderName: string;
  #hasJoined = false;

  constructor(actions: ClusterActions, member: LeaseMember) {
    this.authority = `the API server at ${actions.address}`;
    this.#member = member;
    this.#ownName = `${this.#prefix}${leaseName(member.id)}`;
    this.#leaderName = `${member.group}-leader`;
    this.#leases = new GroupLeases(actions, member, this.#leaderName);
  }

  async beat(): Promise<Roster> {
    const leases = await this.#leases.list();
    const own = await this.#join(leases.find(one => nameOf(one) === this.#ownName));
    const leader = await this.#lead(leases.find(one => nameOf(one) === this.#leaderName));
    const others = leases.filter(one => nameOf(one).startsWith(this.#prefix) && nameOf(one) !== this.#ownName);
    const replicas = [own, ...others];
    if (this.#leases.isMine(leader))
      for (const lease of replicas)
        if (this.#leases.silentSeconds(lease) > FORGET_SECONDS) await this.#leases.remove(lease);
    return {
      members: replicas
        .filter(lease => this.#leases.isHeld(lease))
        .map(lease => ({ id: idOf(holderOf(lease)), address: addressOf(lease) }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
      leader: this.#leads(leader) ? { id: idOf(holderOf(leader)), term: termOf(leader) } : null,
    };
  }

  async leadsNow(term: number): Promise<boolean> {
    const lease = await this.#leases.read(this.#leaderName);
    return lease !== undefined && this.#leases.isMine(lease) && termOf(lease) === term;
  }

  async leave(): Promise<void> {
    for (const lease of await this.#leases.list()) {
      if (!this.#leases.isMine(lease)) continue;
      if (nameOf(lease) === this.#leaderName)
        await this.#leases.write(this.#leaderName, lease, { ...specOf(lease), holderIdentity: '' });
      else await this.#leases.remove(lease);
    }
  }

  get #prefix(): string {
    return `${this.#member.group}-replica-`;
  }

  /** Its own Lease, renewed. */
  async #join(own: JsonRecord | undefined): Promise<JsonRecord> {
    if (this.#leases.isHeld(own) && !this.#leases.isMine(own)) throw this.#idIsTaken();
    const spec = { holderIdentity: this.#leases.holder };
    let renewed = await this.#leases.write(this.#ownName, own, spec, this.#annotations);
    // A right that is missing shows now, and not when this replica leads and cannot act, or cannot renew.
    if (renewed !== undefined && !this.#hasJoined)
      renewed = await this.#leases.write(this.#ownName, await this.#leases.get(this.#ownName), spec, this.#annotations);
    if (renewed === undefined) throw this.#idIsTaken();
    this.#hasJoined = true;
    return renewed;
  }

  get #annotations(): JsonRecord {
    const { address } = this.#member;
    return address === null ? {} : { [ADDRESS]: address };
  }

  /** Takes or renews the leadership, unless another one has it. */
  async #lead(found: JsonRecord | undefined): Promise<JsonRecord | undefined> {
    const isMine = this.#leases.isMine(found);
    if (this.#leases.isHeld(found) && !isMine) return found;
    if (found === undefined && this.#leases.isDeletedByOthers()) return undefined;
    const before = found === undefined ? 0 : termOf(found);
    const fenced = isMine ? 0 : await this.#member.fencedTerm();
    if (fenced === undefined) return undefined;
    const term = isMine ? before : Math.max(before, fenced) + 1;
    const spec = { holderIdentity: this.#leases.holder, leaseTransitions: term - 1 };
    const written = await this.#leases.write(this.#leaderName, found, spec);
    if (written !== undefined) return written;
    // Another one was faster; if there is no Lease now, it left at this moment.
    const taken = await this.#leases.read(this.#leaderName);
    if (taken !== undefined) this.#leases.observe(taken);
    return taken;
  }

  /** Whether somebody leads by this Lease. An earlier process with this id does not. */
  #leads(leader: JsonRecord | undefined): leader is JsonRecord {
    if (!this.#leases.isHeld(leader)) return false;
    return this.#leases.isMine(leader) || idOf(holderOf(leader)) !== this.#member.id;
  }

  #idIsTaken(): Failure {
    const { namespace, id } = this.#member;
    return new Failure(
      'usage',
      `another process is the replica ${id} of this watch (Lease ${namespace}/${this.#ownName}); stop it, or give each its own --replica-id`,
    );
  }
}

/** The Leases of a group, and since when each was not renewed. */
class GroupLeases {
  /** Of this process. */
  readonly holder: string;
  readonly #actions: ClusterActions;
  readonly #member: LeaseMember;
  readonly #leaderName: string;
  readonly #path: string;
  readonly #seen = new Map<string, { readonly renewTime: string; readonly at: number }>();
  /** Who led, and when that was last renewed: somebody may delete the Lease, and the one who holds it learns that later. */
  #led = { holder: '', at: -Infinity };
  #writes = 0;

  constructor(actions: ClusterActions, member: LeaseMember, leaderName: string) {
    this.#actions = actions;
    this.#member = member;
    this.#leaderName = leaderName;
    this.#path = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(member.namespace)}/leases`;
    this.holder = `${member.id}_${member.session}`;
  }

  isMine(lease: JsonRecord | undefined): boolean {
    return holderOf(lease) === this.holder;
  }

  isHeld(lease: JsonRecord | undefined): lease is JsonRecord {
    return lease !== undefined && holderOf(lease) !== '' && this.silentSeconds(lease) < this.#member.leaseSeconds;
  }

  silentSeconds(lease: JsonRecord): number {
    const now = this.#member.monotonic();
    return now - (this.#seen.get(nameOf(lease))?.at ?? now);
  }

  /** Whether the Lease of the leader is gone while another one may still believe that it leads. */
  isDeletedByOthers(): boolean {
    const { holder, at } = this.#led;
    return holder !== '' && holder !== this.holder && this.#member.monotonic() - at < this.#member.leaseSeconds;
  }

  async list(): Promise<JsonRecord[]> {
    const { group } = this.#member;
    const query = `labelSelector=${LABEL}%3D${group}`;
    const answer = await this.#actions.request({ method: 'GET', path: `${this.#path}?${query}` });
    const items = (this.#done('list', answer)['items'] as readonly unknown[] | undefined) ?? [];
    const leases = items.map(item => recordOf(item)).filter(one => labelOf(one) === group);
    const names = new Set(leases.map(nameOf));
    for (const name of this.#seen.keys()) if (!names.has(name)) this.#seen.delete(name);
    for (const lease of leases) this.observe(lease);
    return leases;
  }

  async get(name: string): Promise<JsonRecord> {
    return this.#done('get', await this.#actions.lease(this.#member.namespace, name));
  }

  /** Undefined if there is none. */
  async read(name: string): Promise<JsonRecord | undefined> {
    const found = await this.#actions.lease(this.#member.namespace, name);
    if (found.kind === 'refused' && found.status === 404) return undefined;
    return this.#done('get', found);
  }

  /** Writes the version that was read; undefined if another was faster. */
  async write(
    name: string,
    old: JsonRecord | undefined,
    spec: JsonRecord,
    annotations?: JsonRecord,
  ): Promise<JsonRecord | undefined> {
    const { namespace, group, leaseSeconds } = this.#member;
    const time = this.#writeTime();
    const body = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        ...(old === undefined ? { name, namespace } : recordOf(old['metadata'])),
        labels: { [LABEL]: group },
        ...(annotations === undefined ? {} : { annotations }),
      },
      spec: {
        leaseDurationSeconds: Math.ceil(leaseSeconds),
        acquireTime: old !== undefined && this.isMine(old) ? specOf(old)['acquireTime'] : time,
        renewTime: time,
        ...spec,
      },
    };
    const written =
      old === undefined
        ? await this.#actions.createLease(namespace, body)
        : await this.#actions.replaceLease(namespace, name, body);
    if (written.kind === 'refused' && written.status === 409) return undefined;
    const lease = this.#done(old === undefined ? 'create' : 'update', written);
    this.observe(lease);
    return lease;
  }

  /** One that stays does no harm: it runs out. */
  async remove(lease: JsonRecord): Promise<void> {
    await this.#actions.request({ method: 'DELETE', path: `${this.#path}/${encodeURIComponent(nameOf(lease))}` });
  }

  /** The microseconds count, so that a renewal shows even if the clock of this machine stands still. */
  #writeTime(): string {
    const micros = String(++this.#writes % 1000).padStart(3, '0');
    return new Date(this.#member.now() * 1000).toISOString().replace('Z', `${micros}Z`);
  }

  observe(lease: JsonRecord): void {
    const [name, holder] = [nameOf(lease), holderOf(lease)];
    const renewTime = `${holder} ${textOf(specOf(lease)['renewTime'])}`;
    if (this.#seen.get(name)?.renewTime === renewTime) return;
    const at = this.#member.monotonic();
    this.#seen.set(name, { renewTime, at });
    if (name === this.#leaderName) this.#led = { holder, at };
  }

  /** The value of an answer; throws a Failure that names the right if it is a refusal for lack of one. */
  #done(verb: string, outcome: Outcome): JsonRecord {
    const { id, namespace } = this.#member;
    if (outcome.kind === 'done') return outcome.value;
    if (outcome.kind === 'lost') throw new Failure('no-answer', outcome.message);
    if (outcome.status === 403)
      throw new Failure(
        'not-permitted',
        `replica ${id} may not ${verb} leases (coordination.k8s.io) in the namespace ${namespace}: bind the role that ` +
          `"oakum access --for replicas --replica-namespace ${namespace}" prints to its account, or use --replica postgres`,
      );
    if (outcome.status === 404 && verb === 'create')
      throw new Failure(
        'not-found',
        `there is no namespace ${namespace} for the Leases of replicas: create it, or name another with --replica-namespace`,
      );
    throw new Failure('no-answer', outcome.message);
  }
}

function specOf(lease: JsonRecord): JsonRecord {
  return recordOf(lease['spec']);
}

function nameOf(lease: JsonRecord): string {
  return textOf(recordOf(lease['metadata'])['name']);
}

/** '' if nobody has it. */
function holderOf(lease: JsonRecord | undefined): string {
  return lease === undefined ? '' : textOf(specOf(lease)['holderIdentity']);
}

/** The first holder has 1. */
function termOf(lease: JsonRecord): number {
  return (optionalNumber(specOf(lease)['leaseTransitions']) ?? 0) + 1;
}

function labelOf(lease: JsonRecord): string {
  return textOf(recordOf(recordOf(lease['metadata'])['labels'])[LABEL]);
}

function addressOf(lease: JsonRecord): string | null {
  return textOf(recordOf(recordOf(lease['metadata'])['annotations'])[ADDRESS]) || null;
}

function idOf(holder: string): string {
  return holder.slice(0, holder.lastIndexOf('_'));
}

/** A name that Kubernetes takes. */
function leaseName(id: string): string {
  return (
    id
      .toLowerCase()
      .replace(/[^a-z0-9.-]+/g, '-')
      .replace(/^[.-]+|[.-]+$/g, '') || 'replica'
  );
}
