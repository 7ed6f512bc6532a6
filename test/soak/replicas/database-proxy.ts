/** A way to a PostgreSQL on a socket that can be slow, or lead nowhere. */
import { connect, createServer, type Server, type Socket } from 'node:net';

export class DatabaseProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Milliseconds that everything takes longer, each way. */
  delayMs = 0;
  isCut = false;

  constructor(socketPath: string) {
    this.#server = createServer(client => {
      if (this.isCut) return void client.destroy();
      const upstream = connect(socketPath);
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.#sockets.add(from);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.#sockets.delete(from);
          to.destroy();
        });
        from.on('data', chunk => {
          if (this.delayMs === 0) to.write(chunk);
          else setTimeout(() => to.writable && to.write(chunk), this.delayMs);
        });
      }
    });
  }

  listen(): Promise<number> {
    return new Promise(resolve => {
      this.#server.listen(0, '127.0.0.1', () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
  }

  /** From now on nothing gets through. */
  cut(): void {
    this.isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}
