/**
 * A way to a PostgreSQL on a socket that can be slow, silent, or lead nowhere.
 *
 *     slow      everything takes `delayMs` longer, each way
 *     cut       connections are closed, new ones too
 *     silent    connections stay, new ones are accepted, nothing gets through: packets that are dropped on the way
 *     hushed    as silent, but new connections work: a firewall that forgot the old ones
 */
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A Postgres of postgres-server.ts. */
interface Target {
  readonly socketPath: string;
  readonly database: string;
}

interface Line {
  readonly client: Socket;
  readonly upstream: Socket;
  isHushed: boolean;
  isLost: boolean;
}

export class DatabaseProxy {
  readonly #server: Server;
  readonly #lines = new Set<Line>();
  readonly #target: Target;
  delayMs = 0;
  isCut = false;
  isSilent = false;
  /** The next COMMIT, or its answer, is lost together with its connection. */
  loseCommit: 'answer' | 'request' | undefined;
  /** How often something was sent that nobody gets. */
  swallowed = 0;

  constructor(target: Target) {
    this.#target = target;
    this.#server = createServer(client => this.#join(client));
  }

  listen(): Promise<number> {
    return new Promise(resolve => {
      this.#server.listen(0, '127.0.0.1', () => resolve(this.port));
    });
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  urlFor(schema: string): string {
    return `postgres://oakum@127.0.0.1:${this.port}/${this.#target.database}?schema=${schema}&sslmode=disable`;
  }

  /** From now on nothing gets through. */
  cut(): void {
    this.isCut = true;
    for (const line of this.#lines) end(line);
  }

  /** Connections of this moment are silent from now on. */
  hush(): void {
    for (const line of this.#lines) line.isHushed = true;
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #join(client: Socket): void {
    if (this.isCut) return void client.destroy();
    const line: Line = { client, upstream: connect(this.#target.socketPath), isHushed: this.isSilent, isLost: false };
    const { upstream } = line;
    this.#lines.add(line);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => {});
      from.on('close', () => {
        this.#lines.delete(line);
        // Whoever is silent does not say that it is gone, either.
        if (!this.#isSilent(line)) end(line);
      });
      from.on('data', data => this.#pass(line, data, from, to));
    }
  }

  #pass(line: Line, data: Buffer, from: Socket, to: Socket): void {
    if (this.#isSilent(line)) return void this.swallowed++;
    const isCommit = from === line.client && this.loseCommit !== undefined && data.includes('COMMIT');
    if (isCommit && this.loseCommit === 'request') end(line);
    if (isCommit) {
      line.isLost = true;
      this.loseCommit = undefined;
    }
    if (line.isLost && from === line.upstream) return end(line);
    const send = (): void => void (to.writable && !this.#isSilent(line) && to.write(data));
    if (this.delayMs === 0) send();
    else setTimeout(send, this.delayMs);
  }

  #isSilent(line: Line): boolean {
    return this.isSilent || line.isHushed;
  }
}

function end({ client, upstream }: Line): void {
  client.destroy();
  upstream.destroy();
}
