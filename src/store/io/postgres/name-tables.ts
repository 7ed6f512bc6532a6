/**
 * Targets and metrics have numbers, which the database gives. A process knows those of the targets that it samples, and
 * all metrics; others have theirs in the same tables.
 */
import { parseJson, recordOf } from '../../../base/json.ts';
import { groupOf, inSamplingOrder } from '../../codec/scrape-batch.ts';
import type { Session, SqlRow } from './database.ts';
import { inPieces } from './record-tables.ts';
import { StoreError } from '../../ports.ts';
import { storable } from '../../codec/store-limits.ts';

const MAX_TARGETS = 200_000;
const MAX_METRICS = 10_000;
const MAX_ATTRIBUTES_LENGTH = 64_000;
/** More would make a statement that takes long. */
const NAMES_AT_ONCE = 5_000;
const DAY_SECONDS = 86_400;

export type Attributes = Readonly<Record<string, string>>;

export interface KnownTarget {
  readonly id: number;
  readonly target: string;
  /** As committed; undefined while it has only its number. */
  attributes: Attributes | undefined;
  /** Of committed samples: Infinity and -Infinity before the first. */
  firstSeenAt: number;
  lastSeenAt: number;
  /** The time of the sample for which its number was asked. */
  namedFor: number;
}

export class TargetNames {
  readonly #known = new Map<string, KnownTarget>();
  readonly #members = new Map<number, number>();
  readonly #unnamed = new Set<string>();
  /** Seen since the times in the database were updated. */
  readonly #seen = new Set<KnownTarget>();

  find(target: string): KnownTarget | undefined {
    return this.#known.get(target);
  }

  /** Undefined if its number has to be asked for: without samples for a day, it may have been forgotten. */
  findFor(target: string, at: number): KnownTarget | undefined {
    const known = this.#known.get(target);
    if (known === undefined || this.#unnamed.has(target)) return undefined;
    return at - Math.max(known.lastSeenAt, known.namedFor) < DAY_SECONDS ? known : undefined;
  }

  /** Its number is to be asked for. Throws a StoreError if there are too many. */
  willName(target: string): void {
    const count = this.#known.size + this.#unnamed.size;
    if (!this.#known.has(target) && !this.#unnamed.has(target) && count >= MAX_TARGETS)
      throw new StoreError('refused', `there are more than ${MAX_TARGETS} targets; watch fewer`);
    this.#unnamed.add(target);
  }

  /** Durable at once, and seen by nobody until something of the target is committed. */
  async name(session: Session, times: ReadonlyMap<string, number>): Promise<void> {
    const names = inSamplingOrder([...new Set(Array.from(times.keys(), storable))].sort(), name => name);
    const columns = 'id, name, attributes, first_seen, last_seen';
    const rows: SqlRow[] = [];
    for (const piece of inPieces(names, () => 1, NAMES_AT_ONCE)) {
      const known = await session.all(
        `UPDATE targets SET named_at = now() FROM unnest($1::text[]) AS given (named)
         WHERE md5(name) = md5(named) AND name = named RETURNING ${columns}`,
        [piece],
      );
      const isKnown = new Set(known.map(row => row['name']));
      // Only new ones: each attempt to add one takes a number, and a group is the numbers in a row.
      const added = await session.all(
        `INSERT INTO targets (name) SELECT name FROM unnest($1::text[]) WITH ORDINALITY AS given (name, nth) ORDER BY nth
         ON CONFLICT (md5(name)) DO UPDATE SET named_at = now() RETURNING ${columns}`,
        [piece.filter(name => !isKnown.has(name))],
      );
      rows.push(...known, ...added);
    }
    const byName = new Map(rows.map(row => [String(row['name']), row]));
    for (const [target, namedFor] of times) {
      this.#unnamed.delete(target);
      const row = byName.get(storable(target));
      if (row === undefined) continue;
      const id = Number(row['id']);
      const before = this.#known.get(target);
      if (before?.id === id) {
        before.namedFor = Math.max(before.namedFor, namedFor);
        continue;
      }
      this.#known.set(target, {
        id,
        target,
        attributes: row['attributes'] === null ? undefined : parseAttributes(row['attributes']),
        firstSeenAt: Number(row['first_seen'] ?? Infinity),
        lastSeenAt: Number(row['last_seen'] ?? -Infinity),
        namedFor,
      });
      this.#members.set(groupOf(id), (this.#members.get(groupOf(id)) ?? 0) + 1);
    }
  }

  /** Members of a group that this process samples. */
  memberCount(group: number): number {
    return this.#members.get(group) ?? 0;
  }

  /** These samples of it are committed. */
  sawAt(target: string, first: number, last: number): void {
    const known = this.#known.get(target);
    if (known === undefined) return;
    known.firstSeenAt = Math.min(known.firstSeenAt, first);
    known.lastSeenAt = Math.max(known.lastSeenAt, last);
    this.#seen.add(known);
  }

  seen(): readonly KnownTarget[] {
    return [...this.#seen];
  }

  /** Their times are in the database. */
  saved(targets: readonly KnownTarget[]): void {
    for (const target of targets) this.#seen.delete(target);
  }
}

export function parseAttributes(text: unknown): Attributes {
  const entries = Object.entries(recordOf(parseJson(String(text))));
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

/** Throws a StoreError if they are too long. */
export function checkAttributes(target: string, attributes: Attributes): void {
  if (JSON.stringify(attributes).length > MAX_ATTRIBUTES_LENGTH)
    throw new StoreError('refused', `target ${target} has attributes of more than ${MAX_ATTRIBUTES_LENGTH} letters`);
}

/** Rows of `targets` for the names in the first parameter. */
export const NAMED_TARGETS = `unnest($1::text[]) AS given (named) JOIN targets ON md5(name) = md5(named) AND name = named`;

/** All targets, or those of these that exist, by number; each has the name that it was asked for by. */
export async function targetIds(
  session: Session,
  only: readonly string[] | undefined,
): Promise<ReadonlyMap<number, string>> {
  const asked = new Map(only?.map(target => [storable(target), target]));
  const rows =
    only === undefined
      ? await session.all('SELECT id, name FROM targets ORDER BY id')
      : await session.all(`SELECT id, name FROM ${NAMED_TARGETS} ORDER BY id`, [[...asked.keys()]]);
  return new Map(rows.map(row => [Number(row['id']), asked.get(String(row['name'])) ?? String(row['name'])]));
}

/** Undefined if there is none. */
export async function targetId(session: Session, target: string): Promise<number | undefined> {
  const name = storable(target);
  const [row] = await session.all('SELECT id FROM targets WHERE md5(name) = md5($1) AND name = $1', [name]);
  return row && Number(row['id']);
}

export class MetricNames {
  readonly #byName = new Map<string, number>();
  readonly #names = new Map<number, string>();
  readonly #unnamed = new Set<string>();

  find(name: string): number | undefined {
    return this.#byName.get(name);
  }

  nameOf(id: number): string | undefined {
    return this.#names.get(id);
  }

  async load(session: Session): Promise<void> {
    this.#add(await session.all('SELECT id, name FROM metrics'));
  }

  /** Throws a StoreError if there would be too many. */
  willName(names: readonly string[]): void {
    const added = names.filter(name => !this.#byName.has(name) && !this.#unnamed.has(name));
    if (this.#byName.size + this.#unnamed.size + added.length > MAX_METRICS)
      throw new StoreError('refused', `there are more than ${MAX_METRICS} metrics; watch fewer`);
    for (const name of added) this.#unnamed.add(name);
  }

  /** Durable at once. */
  async name(session: Session, wanted: ReadonlySet<string>): Promise<void> {
    const names = [...wanted].filter(name => !this.#byName.has(name));
    if (names.length === 0) return;
    this.#add(
      await session.all(
        `INSERT INTO metrics (name) SELECT name FROM unnest($1::text[]) AS name ORDER BY name
         ON CONFLICT (md5(name)) DO UPDATE SET name = metrics.name RETURNING id, name`,
        [[...new Set(names.map(storable))]],
      ),
    );
    for (const name of names) {
      const id = this.#byName.get(storable(name));
      if (id !== undefined) this.#byName.set(name, id);
      this.#unnamed.delete(name);
    }
  }

  /** Numbers of those that exist, also of those that another process added. */
  async findAll(session: Session, names: readonly string[]): Promise<ReadonlySet<number>> {
    const unknown = names.filter(name => !this.#byName.has(name)).map(storable);
    if (unknown.length > 0)
      this.#add(
        await session.all(
          `SELECT id, name FROM metrics
           WHERE md5(name) IN (SELECT md5(name) FROM unnest($1::text[]) AS name) AND name = ANY($1)`,
          [unknown],
        ),
      );
    return new Set(names.flatMap(name => this.#byName.get(name) ?? []));
  }

  /** After another process added some of these. */
  async know(session: Session, ids: Iterable<number>): Promise<void> {
    for (const id of ids) if (!this.#names.has(id)) return this.load(session);
  }

  #add(rows: readonly SqlRow[]): void {
    for (const row of rows) {
      const [id, name] = [Number(row['id']), String(row['name'])];
      this.#byName.set(name, id);
      this.#names.set(id, name);
    }
  }
}
