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
import type { Membership } from '../replicas/ports.ts';
import type { Roster } from '../replicas/update.ts';
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

interface Seen {
  readonly renewTime: string;
  readonly at: number;
}

export function leaseMembership(actions: ClusterActions, member: LeaseMember): Membership {
  const { namespace, group, id, leaseSeconds, monotonic } = member;
  const path = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;
  const prefix = `${group}-replica-`;
  const [ownName, leaderName] = [`${prefix}${leaseName(id)}`, `${group}-leader`];
  const holder = `${id}_${member.session}`;
  const seen = new Map<string, Seen>();
  /** Who led, and when that was last renewed: somebody may delete the Lease, and the one who holds it learns that later. */
  let led = { holder: '', at: -Infinity };
  let writes = 0;
  let hasJoined = false;

  /** The value of an answer; throws a Failure that names the right if it is a refusal for lack of one. */
  const done = (verb: string, outcome: Outcome): JsonRecord => {
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
  };
  const isTaken = (): Failure =>
    new Failure(
      'usage',
      `another process is the replica ${id} of this watch (Lease ${namespace}/${ownName}); stop it, or give each its own --replica-id`,
    );

  const specOf = (lease: JsonRecord): JsonRecord => recordOf(lease['spec']);
  const nameOf = (lease: JsonRecord): string => textOf(recordOf(lease['metadata'])['name']);
  const holderOf = (lease: JsonRecord | undefined): string =>
    lease === undefined ? '' : textOf(specOf(lease)['holderIdentity']);

  const observe = (lease: JsonRecord): void => {
    const renewTime = `${holderOf(lease)} ${textOf(specOf(lease)['renewTime'])}`;
    if (seen.get(nameOf(lease))?.renewTime === renewTime) return;
    seen.set(nameOf(lease), { renewTime, at: monotonic() });
    if (nameOf(lease) === leaderName) led = { holder: holderOf(lease), at: monotonic() };
  };
  const silentSeconds = (lease: JsonRecord): number => monotonic() - (seen.get(nameOf(lease))?.at ?? monotonic());
  const isHeld = (lease: JsonRecord | undefined): lease is JsonRecord =>
    lease !== undefined && holderOf(lease) !== '' && silentSeconds(lease) < leaseSeconds;

  async function list(): Promise<JsonRecord[]> {
    const query = `labelSelector=${LABEL}%3D${group}`;
    const found = done('list', await actions.request({ method: 'GET', path: `${path}?${query}` }));
    const items = (found['items'] as readonly unknown[] | undefined) ?? [];
    const leases = items.map(item => recordOf(item)).filter(one => labelOf(one) === group);
    const names = new Set(leases.map(nameOf));
    for (const name of seen.keys()) if (!names.has(name)) seen.delete(name);
    for (const lease of leases) observe(lease);
    return leases;
  }

  /** Writes the version that was read; undefined if another was faster. */
  async function write(name: string, old: JsonRecord | undefined, spec: JsonRecord): Promise<JsonRecord | undefined> {
    // The microseconds count, so that a renewal shows even if the clock of this machine stands still.
    const time = new Date(member.now() * 1000)
      .toISOString()
      .replace('Z', `${String(++writes % 1000).padStart(3, '0')}Z`);
    const isMine = holderOf(old) === holder;
    const body = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        ...(old === undefined ? { name, namespace } : recordOf(old['metadata'])),
        labels: { [LABEL]: group },
        ...(name === ownName ? { annotations: member.address === null ? {} : { [ADDRESS]: member.address } } : {}),
      },
      spec: {
        leaseDurationSeconds: Math.ceil(leaseSeconds),
        acquireTime: isMine && old !== undefined ? specOf(old)['acquireTime'] : time,
        renewTime: time,
        ...spec,
      },
    };
    const written =
      old === undefined
        ? await actions.createLease(namespace, body)
        : await actions.replaceLease(namespace, name, body);
    if (written.kind === 'refused' && written.status === 409) return undefined;
    const lease = done(old === undefined ? 'create' : 'update', written);
    observe(lease);
    return lease;
  }

  /** One that stays does no harm: it runs out. */
  async function remove(lease: JsonRecord): Promise<void> {
    await actions.request({ method: 'DELETE', path: `${path}/${encodeURIComponent(nameOf(lease))}` });
  }

  async function lead(found: JsonRecord | undefined): Promise<JsonRecord | undefined> {
    const isMine = holderOf(found) === holder;
    if (isHeld(found) && !isMine) return found;
    const isDeleted = found === undefined && led.holder !== '' && monotonic() - led.at < leaseSeconds;
    if (isDeleted && led.holder !== holder) return undefined;
    const before = found === undefined ? 0 : termOf(found);
    const fenced = isMine ? 0 : await member.fencedTerm();
    if (fenced === undefined) return undefined;
    const term = isMine ? before : Math.max(before, fenced) + 1;
    const written = await write(leaderName, found, { holderIdentity: holder, leaseTransitions: term - 1 });
    if (written !== undefined) return written;
    const taken = await actions.lease(namespace, leaderName);
    // The one who had it left at this moment.
    if (taken.kind === 'refused' && taken.status === 404) return undefined;
    const lease = done('get', taken);
    observe(lease);
    return lease;
  }

  return {
    authority: `the API server at ${actions.address}`,
    async beat(): Promise<Roster> {
      const leases = await list();
      const find = (name: string): JsonRecord | undefined => leases.find(one => nameOf(one) === name);
      const own = find(ownName);
      if (isHeld(own) && holderOf(own) !== holder) throw isTaken();
      let renewed = await write(ownName, own, { holderIdentity: holder });
      // A right that is missing shows now, and not when this replica leads and cannot act, or cannot renew.
      if (renewed !== undefined && !hasJoined)
        renewed = await write(ownName, done('get', await actions.lease(namespace, ownName)), {
          holderIdentity: holder,
        });
      if (renewed === undefined) throw isTaken();
      hasJoined = true;
      const leader = await lead(find(leaderName));
      const replicas = [renewed, ...leases.filter(one => nameOf(one).startsWith(prefix) && nameOf(one) !== ownName)];
      if (holderOf(leader) === holder)
        for (const lease of replicas) if (silentSeconds(lease) > FORGET_SECONDS) await remove(lease);
      return {
        members: replicas
          .filter(isHeld)
          .map(lease => ({ id: idOf(holderOf(lease)), address: addressOf(lease) }))
          .sort((a, b) => (a.id < b.id ? -1 : 1)),
        leader:
          isHeld(leader) && (holderOf(leader) === holder || idOf(holderOf(leader)) !== id)
            ? { id: idOf(holderOf(leader)), term: termOf(leader) }
            : null,
      };
    },
    async leadsNow(term) {
      const found = await actions.lease(namespace, leaderName);
      if (found.kind === 'refused' && found.status === 404) return false;
      const lease = done('get', found);
      return holderOf(lease) === holder && termOf(lease) === term;
    },
    async leave() {
      for (const lease of await list()) {
        if (holderOf(lease) !== holder) continue;
        if (nameOf(lease) === leaderName) await write(leaderName, lease, { ...specOf(lease), holderIdentity: '' });
        else await remove(lease);
      }
    },
  };
}

/** The first holder has 1. */
function termOf(lease: JsonRecord): number {
  return (optionalNumber(recordOf(lease['spec'])['leaseTransitions']) ?? 0) + 1;
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
