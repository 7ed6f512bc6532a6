/** Targets and metrics have numbers in the file. Both tables are small, and stay in memory as a whole. */
import { parseJson, recordOf } from '../../../base/json.ts';
import { inSamplingOrder } from '../../codec/scrape-batch.ts';
import type { Database } from './database.ts';
import { StoreError } from '../../ports.ts';
import type { StoredTarget } from '../../records.ts';

const MAX_TARGETS = 200_000;
const MAX_METRICS = 10_000;
const MAX_NAME_LENGTH = 1_000;
const MAX_ATTRIBUTES_LENGTH = 64_000;

export interface TargetEntry {
  /** 0 until it has a number. */
  id: number;
  readonly target: string;
  attributes: Readonly<Record<string, string>>;
  /** Infinity before the first sample. */
  firstSeenAt: number;
  /** -Infinity before the first sample. */
  lastSeenAt: number;
  /** As of the last commit; undefined before the first. */
  committed: StoredTarget | undefined;
}

function storedTarget({ target, attributes, firstSeenAt, lastSeenAt }: TargetEntry): StoredTarget {
  const known = (at: number): number | null => (Number.isFinite(at) ? at : null);
  return { target, attributes, firstSeenAt: known(firstSeenAt), lastSeenAt: known(lastSeenAt) };
}

export class TargetTable {
  readonly #byName = new Map<string, TargetEntry>();
  readonly #byId = new Map<number, TargetEntry>();
  /** They get their numbers together, with the next sample or commit. */
  #unnumbered: TargetEntry[] = [];
  /** Not in the file yet, or changed since. */
  readonly #unsaved = new Set<TargetEntry>();
  /** Changed, or seen, since the last commit. */
  readonly #touched = new Set<TargetEntry>();
  #lastId = 0;

  load(db: Database): void {
    for (const row of db.all('SELECT id, name, attributes, first_seen, last_seen FROM targets')) {
      this.#add({
        id: Number(row.id),
        target: String(row.name),
        attributes: parseAttributes(String(row.attributes)),
        firstSeenAt: Number(row.first_seen),
        lastSeenAt: Number(row.last_seen),
        committed: undefined,
      });
    }
    for (const entry of this.#byId.values()) this.#touched.add(entry);
  }

  find(target: string): TargetEntry | undefined {
    return this.#byName.get(target);
  }

  byId(id: number): TargetEntry | undefined {
    return this.#byId.get(id);
  }

  all(): readonly TargetEntry[] {
    return [...this.#byName.values()];
  }

  /** Those of them that there are, each once, by number. */
  among(targets: readonly string[]): readonly TargetEntry[] {
    return [...new Set(targets)].flatMap(target => this.find(target) ?? []).sort((a, b) => a.id - b.id);
  }

  /** What is committed. */
  stored(only?: readonly string[]): readonly StoredTarget[] {
    const entries = only === undefined ? this.all() : this.among(only);
    return entries.flatMap(({ committed }) => committed ?? []);
  }

  /** With a number. */
  findOrAdd(target: string): TargetEntry {
    const entry = this.#findOrAdd(target);
    if (entry.id === 0) this.#giveNumbers();
    return entry;
  }

  #findOrAdd(target: string): TargetEntry {
    const known = this.#byName.get(target);
    if (known !== undefined) return known;
    checkName('target', target, this.#byName.size, MAX_TARGETS);
    const entry: TargetEntry = {
      id: 0,
      target,
      attributes: {},
      firstSeenAt: Infinity,
      lastSeenAt: -Infinity,
      committed: undefined,
    };
    this.#byName.set(target, entry);
    this.#unnumbered.push(entry);
    this.#unsaved.add(entry);
    this.#touched.add(entry);
    return entry;
  }

  #giveNumbers(): void {
    const entries = inSamplingOrder(this.#unnumbered, ({ target }) => target);
    this.#unnumbered = [];
    for (const entry of entries) {
      entry.id = this.#lastId + 1;
      this.#add(entry);
    }
  }

  putAttributes(target: string, attributes: Readonly<Record<string, string>>): void {
    const entry = this.#findOrAdd(target);
    if (Object.entries(attributes).every(([key, value]) => entry.attributes[key] === value)) return;
    const merged = { ...entry.attributes, ...attributes };
    if (JSON.stringify(merged).length > MAX_ATTRIBUTES_LENGTH)
      throw new StoreError('refused', `target ${target} has attributes of more than ${MAX_ATTRIBUTES_LENGTH} letters`);
    entry.attributes = merged;
    this.#unsaved.add(entry);
    this.#touched.add(entry);
  }

  /** Its times are saved when its samples are sealed; until then, the scrapes have them. */
  sawAt(entry: TargetEntry, at: number): void {
    entry.firstSeenAt = Math.min(entry.firstSeenAt, at);
    entry.lastSeenAt = Math.max(entry.lastSeenAt, at);
    this.#touched.add(entry);
  }

  /** Within a transaction; call `committed` after it. */
  saveChanged(db: Database): void {
    this.#giveNumbers();
    for (const entry of this.#unsaved) saveTarget(db, entry);
  }

  committed(): void {
    for (const entry of this.#touched) entry.committed = storedTarget(entry);
    this.#touched.clear();
    this.#unsaved.clear();
  }

  forget(entry: TargetEntry): void {
    this.#byName.delete(entry.target);
    this.#byId.delete(entry.id);
    this.#unsaved.delete(entry);
    this.#touched.delete(entry);
  }

  #add(entry: TargetEntry): void {
    this.#byName.set(entry.target, entry);
    this.#byId.set(entry.id, entry);
    this.#lastId = Math.max(this.#lastId, entry.id);
  }
}

function parseAttributes(text: string): Record<string, string> {
  const entries = Object.entries(recordOf(parseJson(text)));
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

export function saveTarget(db: Database, entry: TargetEntry): void {
  db.run(
    `INSERT INTO targets (id, name, attributes, first_seen, last_seen) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET attributes = excluded.attributes, first_seen = excluded.first_seen,
       last_seen = excluded.last_seen`,
    [entry.id, entry.target, JSON.stringify(entry.attributes), entry.firstSeenAt, entry.lastSeenAt],
  );
}

export class MetricTable {
  readonly #byName = new Map<string, number>();
  readonly #names: string[] = [];
  #lastNames: readonly string[] = [];
  #lastNumbers: readonly number[] = [];
  #savedCount = 0;

  load(db: Database): void {
    for (const { id, name } of db.all('SELECT id, name FROM metrics ORDER BY id')) {
      this.#byName.set(String(name), Number(id));
      this.#names[Number(id)] = String(name);
    }
    this.#savedCount = this.#names.length;
  }

  find(name: string): number | undefined {
    return this.#byName.get(name);
  }

  nameOf(id: number): string | undefined {
    return this.#names[id];
  }

  findOrAdd(name: string): number {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    checkName('metric', name, this.#byName.size, MAX_METRICS);
    const id = this.#names.length;
    this.#names.push(name);
    this.#byName.set(name, id);
    return id;
  }

  /** Those that are new get one. */
  numbersOf(names: readonly string[]): readonly number[] {
    if (names !== this.#lastNames) {
      this.#lastNumbers = names.map(name => this.findOrAdd(name));
      this.#lastNames = names;
    }
    return this.#lastNumbers;
  }

  /** Numbers of the known ones. */
  findAll(names: readonly string[]): Set<number> {
    return new Set(names.flatMap(name => this.find(name) ?? []));
  }

  saveChanged(db: Database): void {
    this.#names.slice(this.#savedCount).forEach((name, i) => {
      db.run('INSERT INTO metrics (id, name) VALUES (?, ?)', [this.#savedCount + i, name]);
    });
  }

  committed(): void {
    this.#savedCount = this.#names.length;
  }
}

function checkName(what: string, name: string, count: number, most: number): void {
  if (name.length > MAX_NAME_LENGTH)
    throw new StoreError(
      'refused',
      `a ${what} has a name of ${name.length} letters; at most ${MAX_NAME_LENGTH} are kept`,
    );
  if (count >= most)
    throw new StoreError('refused', `there are more than ${most} ${what}s; watch fewer, or choose another folder`);
}
