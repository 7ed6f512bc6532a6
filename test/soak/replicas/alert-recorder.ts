/** A double of Alertmanager: knows which alerts are raised, who sent them, and which ended without a reason. */
import { createServer } from 'node:http';

export interface AlertPost {
  readonly at: number;
  /** The replica, by the path that it was given. */
  readonly from: string;
  readonly alerts: readonly { readonly labels: Readonly<Record<string, string>>; readonly endsAt: string }[];
}

export class AlertRecorder {
  readonly posts: AlertPost[] = [];
  /** By label set: until when each alert lasts, in Unix seconds. */
  readonly raised: Map<string, number> = new Map();
  readonly problems: string[] = [];
  port = 0;

  listen(): Promise<this> {
    const server = createServer((request, response) => {
      const from = /^\/([^/]+)\/api\/v2\//.exec(request.url ?? '')?.[1] ?? '';
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        response.setHeader('content-type', 'application/json');
        if (request.method === 'POST') this.#take(from, JSON.parse(Buffer.concat(chunks).toString('utf8')));
        response.end(request.method === 'POST' ? '' : '[]');
      });
    });
    return new Promise(resolve => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        this.port = typeof address === 'object' && address !== null ? address.port : 0;
        server.unref();
        resolve(this);
      });
    });
  }

  #take(from: string, alerts: AlertPost['alerts']): void {
    const at = Date.now() / 1000;
    this.posts.push({ at, from, alerts });
    for (const { labels, endsAt } of alerts) {
      const print = JSON.stringify(Object.entries(labels).sort());
      const ends = Date.parse(endsAt) / 1000;
      const before = this.raised.get(print);
      if (before !== undefined && before < at && ends > at)
        this.problems.push(`${labels['target']} ended and was raised again`);
      if (ends <= at) this.problems.push(`${labels['target']} was resolved, and goes on`);
      this.raised.set(print, ends);
    }
  }

  /** The alerts that last now, by target. */
  active(): Map<string, number> {
    const now = Date.now() / 1000;
    const targets = new Map<string, number>();
    for (const [print, ends] of this.raised) {
      if (ends <= now) continue;
      const target = Object.fromEntries(JSON.parse(print) as [string, string][])['target'] ?? '';
      targets.set(target, (targets.get(target) ?? 0) + 1);
    }
    return targets;
  }
}
