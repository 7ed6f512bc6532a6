/** Metrics have numbers, which the database gives. There are few, and a process knows them all. */
import type { Session, SqlRow } from './database.ts';
import { StoreError } from '../../ports.ts';
import { storable } from '../../codec/store-limits.ts';

const MAX_METRICS = 10_000;

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
