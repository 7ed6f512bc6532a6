/**
 * Connections to the database. One is for what is urgent, commits and beats, so that no reader can make them wait; a few
 * are for everything else.
 *
 * Nothing waits without end: connecting, statements, locks and silent connections all have a limit. A statement is no
 * larger than a few megabytes, so that a slow way to the server is not taken for a silent one.
 */
import type { Duplex } from 'node:stream';
import pg, { type ClientConfig, type PoolClient } from 'pg';
import { type CopiedRow, CopyIn, copiedRows } from './copy-in.ts';
import { databaseTrouble, inWords, isAnswer, isSilence, isWithoutTls } from './database-trouble.ts';
import { sslOf } from './store-tls.ts';
import type { StoreAddress } from './store-url.ts';

const LOCK_MS = 10_000;
const IDLE_MS = 30_000;
const CONNECTIONS: Readonly<Record<Lane, number>> = { urgent: 1, others: 3 };
/** Of the time that a statement may take: the server's own limit comes first, unless it is gone. */
const SERVER_SHARE = 0.8;

/** How long an answer may take, in milliseconds; then the connection is thrown away. */
export type Patience = Readonly<Record<Lane, number>>;

const STORE_PATIENCE: Patience = { urgent: 30_000, others: 75_000 };

export type SqlRow = Readonly<Record<string, unknown>>;

/** What runs statements: the pool, or one connection within a transaction. */
export interface Session {
  all(sql: string, values?: readonly unknown[]): Promise<readonly SqlRow[]>;
}

export interface Transaction extends Session {
  /** `table (columns)`, of which there are three: a bigint, an integer, bytes. */
  copyIn(table: string, rows: Iterable<CopiedRow>): Promise<void>;
}

export interface Snapshot extends Session {
  end(): Promise<void>;
}

export type Lane = 'urgent' | 'others';

/** The answer to COMMIT did not arrive: it may have happened. */
export class CommitInDoubt extends Error {}

export class Database implements Session {
  readonly address: StoreAddress;
  readonly #pools: Readonly<Record<Lane, pg.Pool>>;
  readonly #bornMs = new WeakMap<object, number>();
  /** When a connection last went silent: older ones may have, too, and are not used again. */
  #silentMs = -Infinity;

  private constructor(address: StoreAddress, ssl: ClientConfig['ssl'], isReadOnly: boolean, patience: Patience) {
    this.address = address;
    const make = (lane: Lane): pg.Pool => {
      const pool = new pg.Pool({
        ...connection(address, ssl, patience[lane]),
        max: CONNECTIONS[lane],
        idleTimeoutMillis: IDLE_MS,
        onConnect: async client => {
          this.#bornMs.set(client, performance.now());
          await client.query(settings(address.schema, isReadOnly, patience[lane]));
        },
      });
      // An idle connection that breaks is replaced when the next one is needed.
      pool.on('error', () => {});
      // One that is in use fails its query, too, which is where it is told.
      pool.on('connect', client => client.on('error', () => {}));
      return pool;
    };
    this.#pools = { urgent: make('urgent'), others: make('others') };
  }

  /** Throws what the server, or the way to it, answers. */
  static async open(
    address: StoreAddress,
    isReadOnly: boolean,
    patience: Patience = STORE_PATIENCE,
  ): Promise<Database> {
    const ssl = sslOf(address);
    try {
      return await tried(new Database(address, ssl, isReadOnly, patience));
    } catch (error) {
      if (address.sslmode !== 'prefer' || !isWithoutTls(error)) throw error;
      return await tried(new Database(address, false, isReadOnly, patience));
    }
  }

  async all(sql: string, values: readonly unknown[] = []): Promise<readonly SqlRow[]> {
    return this.#use('others', session => session.all(sql, values));
  }

  /** Runs each statement in that lane. */
  session(lane: Lane): Session {
    return { all: (sql, values) => this.#use(lane, session => session.all(sql, values)) };
  }

  /** All of it or nothing. Throws CommitInDoubt if nobody can tell. */
  async transaction<T>(
    work: (session: Transaction) => Promise<T>,
    { lane = 'others', begin = 'BEGIN' }: { readonly lane?: Lane; readonly begin?: string } = {},
  ): Promise<T> {
    return this.#use(lane, async session => {
      await session.all(begin);
      let result: T;
      try {
        result = await work(session);
      } catch (error) {
        if (isAnswer(error)) await session.all('ROLLBACK').catch(() => {});
        throw error;
      }
      try {
        await session.all('COMMIT');
      } catch (error) {
        if (isAnswer(error)) throw error;
        throw new CommitInDoubt(databaseTrouble(error), { cause: error });
      }
      return result;
    });
  }

  /** One moment of the database, until it is ended. */
  async snapshot(): Promise<Snapshot> {
    const client = await this.#connect('others');
    const session = sessionOf(client);
    try {
      await session.all('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    } catch (error) {
      this.#note(error);
      client.release(true);
      throw error;
    }
    return {
      ...session,
      end: async () => {
        try {
          await session.all('COMMIT');
          client.release();
        } catch {
          client.release(true);
        }
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#pools).map(pool => pool.end()));
  }

  async #use<T>(lane: Lane, work: (session: Transaction) => Promise<T>): Promise<T> {
    const client = await this.#connect(lane);
    try {
      const result = await work(sessionOf(client));
      client.release();
      return result;
    } catch (error) {
      this.#note(error);
      // Only a connection that answered is in a known state.
      client.release(!isAnswer(error));
      throw error;
    }
  }

  async #connect(lane: Lane): Promise<PoolClient> {
    for (;;) {
      const client = await this.#pools[lane].connect().catch((error: unknown) => {
        throw inWords(error);
      });
      if ((this.#bornMs.get(client) ?? -Infinity) > this.#silentMs) return client;
      // Not ended: nobody may be there to take leave of.
      streamOf(client).destroy();
      client.release(true);
    }
  }

  #note(error: unknown): void {
    if (isSilence(error)) this.#silentMs = performance.now();
  }
}

/** What pg's types leave out. */
function streamOf(client: PoolClient): Duplex {
  return (client as unknown as { readonly connection: { readonly stream: Duplex } }).connection.stream;
}

async function tried(database: Database): Promise<Database> {
  try {
    await database.all('SELECT 1');
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function sessionOf(client: PoolClient): Transaction {
  return {
    copyIn: (table, rows) =>
      new Promise((resolve, reject) => {
        const done = (error: Error | undefined): void => (error ? reject(inWords(error)) : resolve());
        client.query(new CopyIn(`COPY ${table} FROM STDIN (FORMAT binary)`, copiedRows(rows), done));
      }),
    // Several statements at once have several results.
    all: async (text, values = []) => {
      try {
        return ((await client.query(text, [...values])) as { rows?: SqlRow[] }).rows ?? [];
      } catch (error) {
        throw inWords(error);
      }
    },
  };
}

function connection(address: StoreAddress, ssl: ClientConfig['ssl'], patienceMs: number): ClientConfig {
  const { host, port, user, password, database } = address;
  return {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(database === undefined ? {} : { database }),
    ssl: ssl ?? false,
    application_name: 'oakum',
    connectionTimeoutMillis: Math.min(address.connectMs, patienceMs),
    query_timeout: patienceMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
  };
}

/** The server looks after a client that is gone, too: until it notices, locks of it stay. */
function settings(schema: string, isReadOnly: boolean, patienceMs: number): string {
  return `SET search_path = "${schema}"; SET statement_timeout = ${SERVER_SHARE * patienceMs};
    SET lock_timeout = ${LOCK_MS}; SET idle_in_transaction_session_timeout = ${2 * patienceMs};
    SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
    SET tcp_user_timeout = 25000; SET client_min_messages = warning; SET synchronous_commit = on;
    ${isReadOnly ? 'SET default_transaction_read_only = on;' : ''}`;
}
