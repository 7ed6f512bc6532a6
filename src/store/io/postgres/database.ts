/**
 * Connections to the database. One is for what is urgent, commits and beats, so that no reader can make them wait; a few
 * are for everything else.
 *
 * Nothing waits without end: connecting, statements, locks and silent connections all have a limit. A statement is no
 * larger than a few megabytes, so that a slow way to the server is not taken for a silent one.
 */
import type { Duplex } from 'node:stream';
import pg, { type ClientConfig, type Connection, type PoolClient } from 'pg';
import { databaseTrouble, inWords, isAnswer, isSilence, isWithoutTls } from './database-trouble.ts';
import type { StoreAddress } from './store-url.ts';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Failure } from '../../../base/errors.ts';

const HEAD: Uint8Array = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');

const END: Uint8Array = Buffer.from([0xff, 0xff]);

/** What a row takes in addition to its bytes. */
const FIXED_BYTES = 2 + 4 + 8 + 4 + 4 + 4;

/** Of each message. */
const PIECE_BYTES = 256 * 1024;

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
      // One that is in use fails its query, too, and the error shows there.
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

/**
 * COPY ... FROM STDIN (FORMAT binary): rows with bytes, as they are.
 *
 *     PGCOPY\n\377\r\n\0  flags  extension     once
 *     fields  (length  bytes) ...              for each row, big-endian
 *     -1                                       at the end
 *
 * A bigint, an integer and bytes.
 */
export type CopiedRow = readonly [bigint: number, integer: number, bytes: Uint8Array];

/** The whole of it, in pieces. */
export function* copiedRows(rows: Iterable<CopiedRow>): Iterable<Buffer> {
  let parts: Uint8Array[] = [HEAD];
  let bytes = 0;
  for (const [big, small, body] of rows) {
    parts.push(fixedPart(big, small, body.length), body);
    bytes += FIXED_BYTES + body.length;
    if (bytes < PIECE_BYTES) continue;
    yield Buffer.concat(parts);
    parts = [];
    bytes = 0;
  }
  yield Buffer.concat([...parts, END]);
}

function fixedPart(big: number, small: number, length: number): Buffer {
  const fixed = Buffer.allocUnsafe(FIXED_BYTES);
  fixed.writeInt16BE(3, 0);
  fixed.writeInt32BE(8, 2);
  fixed.writeBigInt64BE(BigInt(big), 6);
  fixed.writeInt32BE(4, 14);
  fixed.writeInt32BE(small, 18);
  fixed.writeInt32BE(length, 22);
  return fixed;
}

/** What pg's connection has, and its types do not. */
interface CopyingConnection extends Connection {
  sendCopyFromChunk(bytes: Buffer): void;
  endCopyFrom(): void;
}

/** A statement that waits for the server to be ready for the rows, and sends them. */
class CopyIn extends pg.Query {
  readonly #pieces: Iterable<Buffer>;

  constructor(statement: string, pieces: Iterable<Buffer>, done: (error: Error | undefined) => void) {
    super(statement, done);
    this.#pieces = pieces;
  }

  handleCopyInResponse(connection: CopyingConnection): void {
    for (const piece of this.#pieces) connection.sendCopyFromChunk(piece);
    connection.endCopyFrom();
  }
}

/**
 * TLS to the server, by the parameters of libpq.
 *
 * As libpq does: `require` encrypts, and checks the server only if there is a root certificate. Without one, `verify-ca`
 * and `verify-full` trust the authorities of Node.js. Files are read again for each connection: certificates are renewed
 * while a watch runs. Throws a Failure.
 */
function sslOf(address: StoreAddress): ClientConfig['ssl'] {
  const { host, sslmode, sslrootcert, sslcert, sslkey } = address;
  if (sslmode === 'disable' || host === undefined || host.startsWith('/')) return false;
  if ((sslcert === undefined) !== (sslkey === undefined))
    throw new Failure('usage', '--store: sslcert and sslkey belong together; give both');
  const verifies = sslmode.startsWith('verify') || (sslmode === 'require' && sslrootcert !== undefined);
  const ssl: Exclude<ClientConfig['ssl'], boolean | undefined> = {
    rejectUnauthorized: verifies,
    ...(sslmode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  };
  const define = (name: 'ca' | 'cert' | 'key', get: () => string): void =>
    void Object.defineProperty(ssl, name, { get, enumerable: true, configurable: true });
  if (sslrootcert !== undefined) {
    const authority = renewed(() => certificateIn('sslrootcert', sslrootcert));
    define('ca', () => authority.read());
  }
  if (sslcert !== undefined && sslkey !== undefined) {
    const own = renewed(() => pairIn(sslcert, sslkey));
    define('cert', () => own.read().certificate);
    define('key', () => own.last.key);
  }
  return ssl;
}

interface Renewed<T> {
  last: T;
  /** The last one if it cannot be read now, such as while it is being replaced. */
  read(): T;
}

function renewed<T>(read: () => T): Renewed<T> {
  return {
    last: read(),
    read() {
      try {
        this.last = read();
      } catch {
        // What was read before may still be good; if it is not, the server says so.
      }
      return this.last;
    },
  };
}

function pairIn(sslcert: string, sslkey: string): { readonly certificate: string; readonly key: string } {
  const [certificate, key] = [certificateIn('sslcert', sslcert), keyIn('sslkey', sslkey)];
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
    throw new Failure(
      'usage',
      `--store: sslkey: the key in ${sslkey} does not belong to the certificate in ${sslcert}`,
    );
  return { certificate, key };
}

function certificateIn(parameter: string, path: string): string {
  const text = textIn(parameter, path);
  try {
    void new X509Certificate(text);
    return text;
  } catch {
    throw new Failure('usage', `--store: ${parameter}: ${path} has no certificate in PEM form`);
  }
}

function keyIn(parameter: string, path: string): string {
  const text = textIn(parameter, path);
  try {
    createPrivateKey(text);
    return text;
  } catch {
    throw new Failure('usage', `--store: ${parameter}: ${path} has no private key in PEM form, without a passphrase`);
  }
}

function textIn(parameter: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new Failure('usage', `--store: ${parameter}: cannot read ${path}`);
  }
}
