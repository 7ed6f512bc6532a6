/**
 * When each request may be sent again, so that looking does not disturb. A goroutine profile stops the process while it
 * is made, and a list of all goroutines for much longer; both take longer the more goroutines there are.
 *
 *     request took 0.1 s       profile: again after 2 s, at most 5 % of the time
 *                              list:    again after 10 s, at most 1 % of the time
 */
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { readMember, type ReadSnapshot } from '../../evidence/snapshots/read-member.ts';
import { nameInEvidence } from '../../evidence/target.ts';
import { FormatError } from '../../base/errors.ts';
import { explain } from '../doctor/explain.ts';
import type { TargetConnection } from '../ports.ts';
import type { Answer } from '../reply.ts';

type TopRequest = 'metrics' | 'goroutines' | 'list' | 'heap';

interface Rule {
  readonly path: string;
  /** It takes at most this share of the time. */
  readonly share: number;
  readonly leastSeconds: number;
}

const RULES: Readonly<Record<TopRequest, Rule>> = {
  metrics: { path: '/metrics', share: 0.05, leastSeconds: 0 },
  goroutines: { path: '/debug/pprof/goroutine?debug=1', share: 0.05, leastSeconds: 0 },
  list: { path: '/debug/pprof/goroutine?debug=2', share: 0.01, leastSeconds: 10 },
  // A heap profile changes only with a garbage collection.
  heap: { path: '/debug/pprof/heap', share: 0.05, leastSeconds: 10 },
};

const MAX_BYTES = 80 * 1024 * 1024;
const MAX_INFLATED_BYTES = 512 * 1024 * 1024;

export interface RequestPorts {
  readonly connection: TargetConnection;
  readonly now: () => number;
  readonly inflate: (body: Uint8Array, maxBytes: number) => Promise<Uint8Array | undefined>;
  readonly requestTimeoutSeconds: number;
  readonly signal: AbortSignal;
}

export interface Sampled {
  readonly answer: Answer;
  readonly read: readonly ReadSnapshot[];
  readonly content: Uint8Array;
}

export class TopRequests {
  readonly #ports: RequestPorts;
  readonly #notBefore = new Map<TopRequest, number>();
  /** What this process does not have or we may not read. */
  readonly #lasting = new Map<TopRequest, string>();

  constructor(ports: RequestPorts) {
    this.#ports = ports;
  }

  /** Why requests are not sent any more. */
  get lasting(): readonly string[] {
    return [...this.#lasting.values()];
  }

  /** Undefined if it is not due, or brought nothing; then `problems` says why. */
  async take(request: TopRequest, problems: string[]): Promise<Sampled | undefined> {
    const { connection, now, requestTimeoutSeconds: deadlineSeconds, signal } = this.#ports;
    if (now() < (this.#notBefore.get(request) ?? -Infinity)) return undefined;
    const { path, share, leastSeconds } = RULES[request];
    const reply = await connection.get(path, { deadlineSeconds, maxBytes: MAX_BYTES, signal });
    this.#notBefore.set(request, now() + Math.max(leastSeconds, reply.tookSeconds / share));
    const why = explain(reply, { ...connection, path });
    if (reply.kind !== 'answer' || why !== undefined) {
      const sentence = why?.sentence ?? 'no answer';
      if (why?.passing === false) this.#giveUp(request, sentence);
      problems.push(sentence);
      return undefined;
    }
    try {
      return await this.#read(request, reply);
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      const sentence = `${path} cannot be read: ${error.describe()}`;
      this.#giveUp(request, sentence);
      problems.push(sentence);
      return undefined;
    }
  }

  async #read(request: TopRequest, answer: Answer): Promise<Sampled> {
    const { connection, inflate } = this.#ports;
    const content = await inflate(answer.body, MAX_INFLATED_BYTES);
    if (content === undefined) throw new FormatError('its compression is damaged');
    const path = `${nameInEvidence(connection.target)}/${request}-${Math.floor(answer.headAtSeconds)}`;
    const member = { kind: 'member', path, bytes: content, mtimeSeconds: undefined, damage: undefined } as const;
    return { answer, content, read: readMember(member, { families: familiesOf, keepStacks: false }) };
  }

  /** It is not there, or we may not: never again. */
  #giveUp(request: TopRequest, why: string): void {
    this.#notBefore.set(request, Infinity);
    this.#lasting.set(request, why);
  }
}
