import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeText } from '../../base/text.ts';
import type { LogEvent } from '../cycle/cycle.ts';
import { type NodeLogRecord, readNodeLog, goDurationSeconds } from './node-log.ts';
import { resolveStamp } from './log-stamp.ts';

const read = (text: string): NodeLogRecord[] => [...readNodeLog(encodeText(text))];
const KILL =
  'Memory cgroup out of memory: Killed process 989 (kubelet) total-vm:9kB, anon-rss:7kB, file-rss:0kB, shmem-rss:0kB';
const AT = Date.UTC(2026, 10, 15, 7, 12, 25) / 1000;

describe('a node log', () => {
  const forms: readonly (readonly [name: string, line: string, host: string])[] = [
    ['dmesg', `[12345.500000] ${KILL}`, ''],
    ['dmesg -T', `[Sun Nov 15 07:12:25 2026] ${KILL}`, ''],
    ['dmesg -x', `kern  :err   : [12345.500000] ${KILL}`, ''],
    ['dmesg --time-format=iso', `2026-11-15T07:12:25,000000+00:00 ${KILL}`, ''],
    ['/dev/kmsg', `3,7021,12345500000,-;${KILL}`, ''],
    ['journald short', `Nov 15 07:12:25 worker-17 kernel: ${KILL}`, 'worker-17'],
    ['syslog', `Nov 15 07:12:25 worker-17 kernel: [12345.500000] ${KILL}`, 'worker-17'],
    ['journald short-iso', `2026-11-15T07:12:25+0000 worker-17 kernel: ${KILL}`, 'worker-17'],
    ['journald short-unix', `1794726745.000000 worker-17 kernel: ${KILL}`, 'worker-17'],
    ['journald short-monotonic', `[12345.500000] worker-17 kernel: ${KILL}`, 'worker-17'],
    [
      'journald json',
      JSON.stringify({
        __REALTIME_TIMESTAMP: '1794726745000000',
        _HOSTNAME: 'worker-17',
        SYSLOG_IDENTIFIER: 'kernel',
        MESSAGE: KILL,
      }),
      'worker-17',
    ],
  ];
  for (const [name, line, host] of forms) {
    it(`${name}: who, when, where`, () => {
      const [record, ...rest] = read(`\n${line}\r\n`);
      assert.deepEqual(rest, []);
      assert.equal(record.host, host);
      assert.equal(record.line, 2);
      const event = record.event as Extract<LogEvent, { kind: 'oom-kill' }>;
      assert.equal(event.kind, 'oom-kill');
      assert.deepEqual([event.kill.process, event.kill.pid, event.kill.scope], ['kubelet', 989, 'memcg']);
      const context = { referenceSeconds: AT, bootSeconds: AT - 12345.5, utcOffsetSeconds: 0 };
      assert.equal(resolveStamp(record.stamp, context), AT);
    });
  }

  it('journald: a message that is not UTF-8 comes as bytes, and a new boot is told', () => {
    const entry = (bootId: string): string =>
      JSON.stringify({
        __REALTIME_TIMESTAMP: '1794726745000000',
        _BOOT_ID: bootId,
        SYSLOG_IDENTIFIER: 'kernel',
        MESSAGE: [...encodeText(KILL)],
      });
    const events = read(`${entry('a')}\n${entry('a')}\n${entry('b')}\n`).map(({ event }) => event.kind);
    assert.deepEqual(events, ['boot', 'oom-kill', 'oom-kill', 'boot', 'oom-kill']);
  });

  it('only the kernel speaks for the kernel, and systemd for units', () => {
    assert.deepEqual(read(`Nov 15 07:12:25 worker-17 my-app[7]: ${KILL}`), []);
    assert.deepEqual(
      read('Nov 15 07:12:25 w my-app[7]: kubelet.service: Main process exited, code=killed, status=9/KILL'),
      [],
    );
    assert.equal(
      read('Nov 15 07:12:25 w systemd[1]: kubelet.service: Main process exited, code=killed, status=9/KILL').length,
      1,
    );
  });

  it("journalctl's mark between boots takes the time of the next line", () => {
    const [record] = read('-- Boot 0123456789abcdef0123456789abcdef --\nNov 15 07:12:25 w kernel: hello\n');
    assert.deepEqual(record.event, { kind: 'boot', bootId: '' });
    assert.equal(record.stamp.kind, 'yearless');
  });

  it('deaths of the Go runtime, through klog, container logs and plain', () => {
    const causes = (text: string): unknown[] =>
      read(text).map(({ event }) => (event.kind === 'go-death' ? event.cause : event.kind));
    assert.deepEqual(causes('fatal error: runtime: out of memory'), ['go-out-of-memory']);
    assert.deepEqual(causes('2026-11-15T07:12:25.1Z stderr F runtime: program exceeds 10000-thread limit'), [
      'go-threads',
    ]);
    assert.deepEqual(causes('Nov 15 07:12:25 w kubelet[9]: fatal error: thread exhaustion'), ['go-threads']);
    assert.deepEqual(causes('Nov 15 07:12:25 w kubelet[9]: panic: send on closed channel'), ['crash']);
    assert.deepEqual(causes('panic: whose?'), []);
    assert.deepEqual(causes('{"log":"fatal error: runtime: out of memory\\n","time":"2026-11-15T07:12:25Z"}'), [
      'go-out-of-memory',
    ]);
  });

  it('PLEG, starts and repairs in the daemons’ own words', () => {
    const klog = 'E1115 07:12:25.000000     989 kubelet.go:2412] ';
    const [pleg] = read(
      `${klog}"Skipping pod synchronization" err="PLEG is not healthy: pleg was last seen active 3m7.5s ago; threshold is 3m0s"`,
    );
    assert.deepEqual(pleg.event, { kind: 'pleg-stalled', ageSeconds: 187.5 });
    assert.equal(pleg.stamp.kind, 'yearless');
    const [started] = read(
      'Nov 15 07:12:25 w kubelet[9]: I1115 07:12:25.000000       9 server.go:1] "Kubelet version" kubeletVersion="v1.36.0"',
    );
    assert.deepEqual(started.event, { kind: 'process-started', process: 'kubelet' });
    const [repair] = read('Nov 15 07:12:25 w health-checker[5]: kubelet cooldown period of 2m0s exceeded, repairing');
    assert.equal(repair.event.kind === 'repair' && repair.event.acts, true);
  });

  it('reports of two hosts in one log do not mix', () => {
    const line = (host: string, text: string): string => `Nov 15 07:12:25 ${host} kernel: ${text}`;
    const kills = read(
      [
        line('a', 'kubelet invoked oom-killer: gfp_mask=0x0, order=0, oom_score_adj=0'),
        line('b', 'java invoked oom-killer: gfp_mask=0x0, order=0, oom_score_adj=0'),
        line('a', KILL),
        line('b', KILL.replace('989 (kubelet)', '7 (java)')),
      ].join('\n'),
    ).map(({ host, event }) => [host, event.kind === 'oom-kill' ? event.kill.invokedBy : '']);
    assert.deepEqual(kills, [
      ['a', 'kubelet'],
      ['b', 'java'],
    ]);
  });

  it('no bytes make it fail', () => {
    const piece = fc.oneof(
      fc.constantFrom(...forms.map(([, line]) => line), '\n', '{"MESSAGE":', '-- Reboot --\n', 'audit(', '[1.000000] '),
      fc.string(),
    );
    fc.assert(fc.property(fc.array(piece, { maxLength: 10 }), pieces => void read(pieces.join(''))));
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), bytes => void [...readNodeLog(bytes)]));
  });

  it('durations as Go prints them', () => {
    assert.equal(goDurationSeconds('1h2m3.5s'), 3723.5);
    assert.equal(goDurationSeconds('250ms'), 0.25);
    assert.equal(goDurationSeconds('soon'), undefined);
  });
});
