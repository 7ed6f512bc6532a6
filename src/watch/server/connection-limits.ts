/**
 * Keeps the server reachable, whatever its clients do.
 *
 *     connection   room for 512; for one more, the one that was idle longest makes room; the first byte within seconds
 *     request      one at a time per connection; the next ones wait, and too many of them end the connection
 *
 * A connection that waits for an answer is never taken away. If all of them do, there is room for some more, which only
 * get the answers of probes.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Of connections beyond that, for probes. */
  readonly probeConnections: number;
  /** From one address; loopback is one, too. */
  readonly maxPerAddress: number;
  readonly firstByteMs: number;
  /** Requests that wait on one connection. */
  readonly maxWaiting: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  maxConnections: 512,
  probeConnections: 32,
  maxPerAddress: 256,
  firstByteMs: 5000,
  // Browsers send one after another.
  maxWaiting: 8,
};

const PROBES = /^\/(?:healthz|readyz)(?:\?|$)/;

type Pending = readonly [IncomingMessage, ServerResponse];

interface Connection {
  readonly address: string;
  /** A request is being answered. */
  isBusy: boolean;
  readonly waiting: Pending[];
  /** Came when there was no room. */
  readonly onlyProbes: boolean;
}

export class LimitedConnections {
  private readonly limits: ConnectionLimits;
  private readonly listener: RequestListener;
  /** In the order of their last request, the idlest first. */
  private readonly open = new Map<Socket, Connection>();

  constructor(limits: ConnectionLimits, listener: RequestListener) {
    this.limits = limits;
    this.listener = listener;
  }

  attach(server: Server): void {
    server.maxConnections = this.limits.maxConnections + this.limits.probeConnections;
    server.on('connection', (socket: Socket) => this.accept(socket));
    server.on('request', (request, response) => this.request(request, response));
  }

  get counts(): { readonly connections: number; readonly busy: number; readonly waiting: number } {
    const all = [...this.open.values()];
    return {
      connections: all.length,
      busy: all.filter(({ isBusy }) => isBusy).length,
      waiting: all.reduce((sum, { waiting }) => sum + waiting.length, 0),
    };
  }

  private accept(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const { maxConnections, maxPerAddress, firstByteMs } = this.limits;
    const own = [...this.open.values()].filter(connection => connection.address === address).length;
    let hasRoom = true;
    if (own >= maxPerAddress) hasRoom = this.makeRoom(address);
    if (hasRoom && this.open.size >= maxConnections) hasRoom = this.makeRoom(undefined);
    this.open.set(socket, { address, isBusy: false, waiting: [], onlyProbes: !hasRoom });
    const silent = setTimeout(() => {
      if (socket.bytesRead === 0) socket.destroy();
    }, firstByteMs);
    silent.unref();
    socket.once('close', () => {
      clearTimeout(silent);
      this.open.delete(socket);
    });
  }

  /** Ends the connection that was idle longest; false when all are busy. */
  private makeRoom(address: string | undefined): boolean {
    for (const [socket, connection] of this.open) {
      if (connection.isBusy || (address !== undefined && connection.address !== address)) continue;
      this.open.delete(socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  private request(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.open.get(socket);
    if (connection === undefined || socket.destroyed) return;
    if (connection.onlyProbes && !PROBES.test(request.url ?? '')) {
      response.writeHead(503, { connection: 'close', 'retry-after': '10', 'content-type': 'text/plain' });
      response.end('The server has too many connections.\n');
      stopParsing(socket);
      return;
    }
    if (!connection.isBusy) this.answer(socket, connection, [request, response]);
    else if (connection.waiting.length < this.limits.maxWaiting) connection.waiting.push([request, response]);
    else {
      connection.waiting.length = 0;
      stopParsing(socket);
      socket.destroy();
    }
  }

  private answer(socket: Socket, connection: Connection, [request, response]: Pending): void {
    connection.isBusy = true;
    this.open.delete(socket);
    this.open.set(socket, connection);
    response.once('close', () => {
      connection.isBusy = false;
      const next = connection.waiting.shift();
      if (next !== undefined && !socket.destroyed) this.answer(socket, connection, next);
    });
    this.listener(request, response);
  }
}

/**
 * Node parses all that it has read at once, which is a thousand requests for each 64 KiB, also after the connection was
 * ended or its parser paused. It stops only at a request that cannot be, so the next one is declared to be one.
 */
function stopParsing(socket: Socket): void {
  const { parser } = socket as { readonly parser?: { onIncoming?: () => number } };
  if (parser?.onIncoming !== undefined) parser.onIncoming = () => HEADERS_FAILED;
}

/** Any number that llhttp has no other meaning for. */
const HEADERS_FAILED = -1;
