/** A Go program that answers a gate, and does what a test says when operations run or time passes. */
import { encodeText } from '../../src/base/text.ts';
import { NO_BUDGET } from '../../src/gate/budget.ts';
import type { GateChoices } from '../../src/gate/gate-log.ts';
import { type GateEnd, type OperationsRun, runGate } from '../../src/gate/run-gate.ts';
import type { RoundPorts } from '../../src/gate/take-round.ts';
import type { Reply } from '../../src/live/reply.ts';

export const CHOICES: GateChoices = {
  operations: 50,
  maxRounds: 40,
  budget: NO_BUDGET,
  today: '2026-11-17',
  catalogue: [],
  evidence: 'evidence',
  operation: 'operation',
  askedRate: undefined,
};

export class GatedProgram {
  stuck = 0;
  heapBytes = 4_000_000;
  startSeconds = 1_794_700_000;
  isDown = false;
  /** In its metrics; '' if they do not say. */
  version: string = '';
  /** The process that the operating system shows; undefined if it runs elsewhere. */
  process: string | undefined;
  /** Of that process, resident outside the heap of Go. */
  besideHeapBytes = 30_000_000;
  /** Metric series beside those of the process. */
  series = 0;
  /** The id of the first goroutine that is stuck. */
  firstId = 100;
  /** In the small form; undefined if it serves the text only. */
  heapProfile: Uint8Array | undefined;
  /** Answers that are larger than may be read. */
  cutPaths: ReadonlySet<string> = new Set();
  /** What four goroutines run from the beginning on. */
  worker: string = 'main.worker';
  /** What keeps the sampled heap. */
  heapFrame: string = 'main.open';
  sampledBytes: number = 8;
  /** What is allocated while garbage is collected, at each collection in turn. */
  floatingBytes: readonly number[] = [0];
  collections = 0;
  nowSeconds = 1_794_772_000;
  readonly asked: string[] = [];
  readonly saved: Map<string, Uint8Array> = new Map();
  /** pprof labels of what is stuck, as debug=1 prints them. */
  labels: string = '';
  stop: AbortController = new AbortController();
  /** What the operations of a round do. */
  operate: (round: number) => OperationsRun | void = () => {};
  /** What time alone does. */
  pass: (seconds: number) => void = () => {};

  run(choices: Partial<GateChoices> = {}): Promise<GateEnd> {
    return runGate(
      { ...this.ports(), onRound: () => {}, runOperations: round => this.runOperations(round) },
      { ...CHOICES, ...choices },
    );
  }

  async runOperations(round: number): Promise<OperationsRun> {
    this.#sleep(10);
    return this.operate(round) ?? { kind: 'done', operations: undefined };
  }

  ports(): RoundPorts {
    return {
      connection: {
        target: 'http://localhost:6060',
        via: 'http',
        address: 'http://localhost:6060',
        get: async path => this.#reply(path),
      },
      save: async (path, body) => void this.saved.set(path, body),
      inflate: async body => body,
      sleep: async seconds => this.#sleep(seconds),
      now: () => this.nowSeconds,
      signal: this.stop.signal,
      requestTimeoutSeconds: 5,
      settleSeconds: 2,
      countInSystem: async () =>
        this.process === undefined
          ? undefined
          : { openFiles: 12, threads: 9, besideHeapBytes: this.besideHeapBytes, process: this.process },
    };
  }

  #sleep(seconds: number): void {
    this.nowSeconds += seconds;
    this.pass(seconds);
  }

  #reply(path: string): Reply {
    this.asked.push(path);
    if (this.isDown) return { kind: 'refused', message: 'refused', tls: undefined, tookSeconds: 0 };
    const body = this.#body(path);
    const text = body === undefined ? undefined : encodeText(body);
    const bytes = path === '/debug/pprof/heap?gc=1' ? this.heapProfile : text;
    return {
      kind: 'answer',
      status: bytes === undefined ? 404 : 200,
      headers: { 'content-type': 'text/plain' },
      body: bytes ?? encodeText('404 page not found\n'),
      cut: this.cutPaths.has(path) ? { why: 'too-large', message: 'too large' } : undefined,
      headAtSeconds: this.nowSeconds,
      dateSeconds: undefined,
      tookSeconds: 0,
    };
  }

  #body(path: string): string | undefined {
    if (path === '/metrics')
      return `go_goroutines ${this.stuck + 4}\nprocess_start_time_seconds ${this.startSeconds}\nprocess_open_fds 12\ngo_threads 9\ngo_gc_heap_live_bytes ${this.heapBytes}\n${Array.from(
        { length: this.series },
        (_, i) => `requests_total{path="/${i}"} 1\n`,
      ).join('')}${this.version === '' ? '' : `kubernetes_build_info{git_version="${this.version}"} 1\n`}`;
    if (path === '/debug/pprof/goroutine?debug=1')
      return `goroutine profile: total ${this.stuck + 4}\n4 @ 0x4 0x5\n#	0x5	${this.worker}+0x20	/src/app/main.go:59\n\n${
        this.stuck === 0 ? '' : `${this.stuck} @ 0x1 0x2\n${this.labels}#	0x2	main.forward+0x20	/src/app/main.go:37\n\n`
      }`;
    if (path === '/debug/pprof/heap?gc=1&debug=1') {
      const heapBytes = this.heapBytes + (this.floatingBytes[this.collections++ % this.floatingBytes.length] ?? 0);
      return `heap profile: 1: ${this.sampledBytes} [1: ${this.sampledBytes}] @ heap/1048576\n1: ${this.sampledBytes} [1: ${this.sampledBytes}] @ 0x7 0x8\n#	0x8	${this.heapFrame}+0x20	/src/app/main.go:71\n\n\n# runtime.MemStats\n# Alloc = ${heapBytes}\n# HeapAlloc = ${heapBytes}\n# Sys = 20000000\n# HeapReleased = 1000000\n# HeapObjects = 5000\n# NumGC = ${7 + this.collections}\n`;
    }
    if (path === '/debug/pprof/goroutine?debug=2')
      return `goroutine 1 [select]:\nmain.worker()\n\t/src/app/main.go:59 +0x20\n\n${Array.from(
        { length: this.stuck },
        (_, i) =>
          `goroutine ${this.firstId + i} [chan send, 3 minutes]:\nmain.forward()\n\t/src/app/main.go:37 +0x20\ncreated by main.handle in goroutine 1\n\t/src/app/main.go:43 +0x20\n`,
      ).join('\n')}`;
    if (path === '/debug/pprof/')
      return `<html><table><tr><td>${this.stuck + 4}</td><td><a href='goroutine?debug=1'>goroutine</a></td></tr></table>`;
    return undefined;
  }
}
