import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import type { Reply } from '../reply.ts';
import { createTop } from './create-top.ts';

const T0 = 1_794_772_000;

interface Process {
  readonly requests: string[];
  atSeconds: number;
  startSeconds: number;
  stuck: number;
  pool: number;
  minutes: number;
  isDown: boolean;
  hasMetrics: boolean;
  tookSeconds: number;
}

function startProcess(changes: Partial<Process> = {}): Process {
  return {
    requests: [],
    atSeconds: T0,
    startSeconds: T0 - 3600,
    stuck: 20,
    pool: 8,
    minutes: 12,
    isDown: false,
    hasMetrics: true,
    tookSeconds: 0.01,
    ...changes,
  };
}

function metrics({ stuck, pool, startSeconds }: Process): string {
  return `go_goroutines ${stuck + pool}\nprocess_start_time_seconds ${startSeconds}\nprocess_resident_memory_bytes 5e7\n`;
}

function counted({ stuck, pool }: Process): string {
  return `goroutine profile: total ${stuck + pool}
${stuck} @ 0x1 0x2 0x3
# labels: {"controller":"gc"}
#	0x2	main.forward+0x20	/src/app/main.go:37

${pool} @ 0x4 0x5
#	0x5	main.worker+0x20	/src/app/main.go:59

`;
}

function listed({ stuck, pool, minutes }: Process): string {
  const one = (id: number, wait: string, name: string, line: number): string =>
    `goroutine ${id} [${wait}]:\nmain.${name}(0x1)\n\t/src/app/main.go:${line} +0x20\ncreated by main.start in goroutine 1\n\t/src/app/main.go:9 +0x1\n\n`;
  const forward = Array.from({ length: stuck }, (_, i) =>
    one(100 + i, `chan send, ${Math.max(1, minutes - i)} minutes`, 'forward', 37),
  );
  const workers = Array.from({ length: pool }, (_, i) => one(10 + i, `chan receive, ${minutes} minutes`, 'worker', 59));
  return forward.join('') + workers.join('');
}

function take(process: Process): ReturnType<typeof createTop> {
  const reply = (path: string): Reply => {
    process.requests.push(path);
    if (process.isDown) {
      return { kind: 'refused', message: 'connect ECONNREFUSED', tls: undefined, tookSeconds: 0.001 };
    }
    const body = path.endsWith('debug=2') ? listed : path.endsWith('debug=1') ? counted : metrics;
    const exists = body === metrics ? path === '/metrics' && process.hasMetrics : true;
    return {
      kind: 'answer',
      status: exists ? 200 : 404,
      headers: { 'content-type': 'text/plain' },
      body: encodeText(exists ? body(process) : '404 page not found\n'),
      cut: undefined,
      headAtSeconds: process.atSeconds,
      dateSeconds: undefined,
      tookSeconds: process.tookSeconds,
    };
  };
  return createTop({
    connection: {
      target: 'http://localhost:6060',
      via: 'http',
      address: 'http://localhost:6060',
      get: async path => reply(path),
    },
    catalogue: [],
    now: () => process.atSeconds,
    inflate: async body => body,
    requestTimeoutSeconds: 5,
    signal: new AbortController().signal,
  });
}

describe('the samples of top', () => {
  it('show every family with its count, its change, its ages, its place and its labels', async () => {
    const process = startProcess();
    const sample = take(process);
    const { frame: first } = await sample();
    const [forward, worker] = first?.goroutines ?? [];
    assert.deepEqual([forward?.title, forward?.count, forward?.perMinute], ['main.forward ← chan send', 20, null]);
    assert.deepEqual(
      [forward?.wait, forward?.places, forward?.createdAt],
      ['chan send', ['app/main.go:37'], 'app/main.go:9'],
    );
    assert.equal(forward?.longestWaitMinutes, 12);
    assert.equal(
      forward?.ages?.bins.reduce((a, b) => a + b),
      20,
    );
    assert.deepEqual([worker?.count, worker?.ages?.bins.at(-1)], [8, 8]);
    assert.deepEqual(first?.labels, [{ labels: { controller: 'gc' }, count: 20, perMinute: null, families: 1 }]);
    process.atSeconds += 30;
    process.stuck += 5;
    const { frame: second } = await sample();
    assert.deepEqual([second?.goroutines[0]?.count, second?.goroutines[0]?.perMinute], [25, 10]);
    assert.equal(second?.labels[0]?.perMinute, 10);
    assert.deepEqual([second?.process.goroutines, second?.process.goroutinesPerMinute], [33, 10]);
    assert.equal(second?.process.residentBytes, 5e7);
  });

  it('keep ages and waits from the last list, which is taken less often', async () => {
    const process = startProcess();
    const sample = take(process);
    await sample();
    process.atSeconds += 5;
    process.stuck += 1;
    const { frame } = await sample();
    assert.equal(process.requests.filter(path => path.endsWith('debug=2')).length, 1);
    assert.equal(process.requests.filter(path => path.endsWith('debug=1')).length, 2);
    const [forward] = frame?.goroutines ?? [];
    assert.deepEqual([forward?.count, forward?.longestWaitMinutes], [21, 12]);
    assert.equal(forward?.title, 'main.forward ← chan send');
  });

  it('spare a process that answers slowly: at most 5 % of its time for profiles, 1 % for lists', async () => {
    const process = startProcess({ tookSeconds: 1 });
    const sample = take(process);
    for (let i = 0; i < 41; i++) {
      await sample();
      process.atSeconds += 5;
    }
    const count = (end: string): number => process.requests.filter(path => path.endsWith(end)).length;
    // 200 seconds: every 20 of them, and every 100.
    assert.deepEqual([count('debug=1'), count('debug=2')], [11, 3]);
  });

  it('never list more than 10,000 goroutines, and say so', async () => {
    const process = startProcess({ stuck: 12_000 });
    const { frame } = await take(process)();
    assert.ok(!process.requests.some(path => path.endsWith('debug=2')));
    assert.match(frame?.notes.join('\n') ?? '', /no ages: listing 12,008 goroutines would stop the process/);
  });

  it('ask once for what is not there, and still say that it is missing', async () => {
    const process = startProcess({ hasMetrics: false });
    const sample = take(process);
    await sample();
    process.atSeconds += 60;
    const { frame } = await sample();
    assert.equal(process.requests.filter(path => path === '/metrics').length, 1);
    assert.match(frame?.notes.join('\n') ?? '', /metrics/);
    assert.equal(frame?.process.goroutines, 28);
  });

  it('say why there is no answer, keep the last frame, and go on when it is back', async () => {
    const process = startProcess({ isDown: true });
    const sample = take(process);
    const down = await sample();
    assert.equal(down.frame, undefined);
    assert.match(down.problem ?? '', /refuses the connection/);
    process.isDown = false;
    process.atSeconds += 5;
    assert.equal((await sample()).frame?.samples, 1);
    process.isDown = true;
    process.atSeconds += 30;
    const lost = await sample();
    assert.equal(lost.frame?.goroutines[0]?.count, 20);
    assert.match(lost.problem ?? '', /refuses the connection/);
  });

  it('compare nothing across a restart', async () => {
    const process = startProcess({ stuck: 500 });
    const sample = take(process);
    await sample();
    process.atSeconds += 60;
    process.startSeconds = process.atSeconds - 5;
    process.stuck = 10;
    const { frame } = await sample();
    assert.deepEqual([frame?.goroutines[0]?.count, frame?.goroutines[0]?.perMinute], [10, null]);
    process.atSeconds += 60;
    process.stuck = 12;
    assert.equal((await sample()).frame?.goroutines[0]?.perMinute, 2);
  });

  it('judge as triage does: a rise over minutes is worth watching, one of seconds is not', async () => {
    const process = startProcess({ pool: 30 });
    const sample = take(process);
    const verdicts: string[] = [];
    for (let i = 0; i < 25; i++) {
      verdicts.push((await sample()).frame?.verdict ?? '');
      process.atSeconds += 10;
      process.stuck += 10;
    }
    assert.equal(verdicts[0], 'unknown');
    assert.equal(verdicts.at(-1), 'watch');
  });
});
