import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { decodeText, encodeText } from '../../base/text.ts';
import { readDebug1 } from './goroutine-text/debug1.ts';
import { readDebug2 } from './goroutine-text/debug2.ts';
import { plainGoroutines } from '../../../test/fuzz/plain-goroutines.ts';
import { stripLogPrefix } from './strip-log-prefixes.ts';

const captures = fileURLToPath(new URL('../../../test/fixtures/captures/', import.meta.url));
const sigquit = readFileSync(`${captures}sigquit/lefthook-go1.27.all.txt`, 'utf8');
const debug1 = readFileSync(`${captures}leakdemo/go1.27/t3/goroutine.debug1.txt`, 'utf8');

const strip = (text: string): string | undefined => {
  const stripped = stripLogPrefix(encodeText(text));
  return stripped && decodeText(stripped.bytes);
};
const prefixed = (text: string, prefix: string): string =>
  text
    .split('\n')
    .slice(0, -1)
    .map(line => `${prefix}${line}\n`)
    .join('');

const prefixes: readonly (readonly [string, string])[] = [
  ['journald', 'Nov 01 12:00:00 worker-17 kubelet[123]: '],
  ['journald', 'Nov  1 12:00:00.123456 worker-17 kubelet[123]: '],
  ['journald', '2026-11-01T12:00:00+0100 worker-17 kubelet[123]: '],
  ['journald', '2026-11-01T12:00:00.123456+01:00 worker-17 kubelet[123]: '],
  ['journald', 'Nov 01 12:00:00 worker-17 kubelet.service[123]: '],
  ['journald', 'Sun 2026-11-01 12:00:00 UTC worker-17 kubelet[123]: '],
  ['journald', '1761998400.123456 worker-17 kubelet[123]: '],
  ['journald', '[12345.678901] worker-17 kubelet[123]: '],
  ['cri', '2026-11-01T12:00:00.123456789Z stderr F '],
  ['rfc3339', '2026-11-01T12:00:00.123456789Z '],
  ['rfc3339', '2026/11/01 12:00:00 '],
  ['klog', 'I1101 12:00:00.000000     123 kubelet.go:12] '],
  ['journald', 'Nov 01 12:00:00 worker-17 kubelet[123]: E1101 12:00:00.000000     123 kubelet.go:12] '],
  ['cri', '2026-11-01T12:00:00.123456789+01:00 stdout F I1101 12:00:00.000000       1 main.go:12] '],
];

for (const [style, prefix] of prefixes) {
  test(`${style}: ${prefix}`, () => {
    for (const text of [sigquit, debug1]) {
      assert.equal(strip(prefixed(text, prefix)), text);
      assert.equal(stripLogPrefix(encodeText(prefixed(text, prefix)))?.style, style);
      // Where trailing spaces are cut, empty payloads end with the prefix.
      assert.equal(strip(prefixed(text, prefix).replaceAll(' \n', '\n')), text);
    }
  });
}

test('docker json-file', () => {
  const entries = (text: string): string[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map(line => `${JSON.stringify({ log: `${line}\n`, stream: 'stderr', time: '2026-11-01T12:00:00Z' })}\n`);
  assert.equal(strip(entries(debug1).join('')), debug1);
  const lines = entries(sigquit);
  assert.equal(strip(lines.join('')), sigquit);
  lines.splice(40, 0, `${JSON.stringify({ log: 'GET /healthz\n', stream: 'stdout', time: 'x' })}\n`);
  assert.equal(strip(lines.join('')), sigquit);
});

test('unprefixed text is left alone', () => {
  for (const text of [sigquit, debug1, '', 'hello\n', 'Nov 01 12:00:00 host a[1]: nothing about goroutine 5 here\n']) {
    assert.equal(strip(text), undefined);
  }
});

test('klog puts its prefix only before the first line of a message', () => {
  const text = `I1101 12:00:00.000000     123 dump.go:12] ${sigquit.slice(sigquit.indexOf('goroutine 1 '))}`;
  assert.equal(strip(text), sigquit.slice(sigquit.indexOf('goroutine 1 ')));
});

test('journalctl indents the other lines of a message; syslog escapes tabs', () => {
  const prefix = 'Nov 01 12:00:00 worker-17 kubelet[123]: ';
  const indented = prefix + prefixed(sigquit, ' '.repeat(prefix.length)).slice(prefix.length);
  assert.equal(strip(indented), sigquit);
  assert.equal(strip(prefixed(sigquit, prefix).replaceAll('\t', '#011')), sigquit);
  assert.equal(strip(prefixed(debug1, prefix).replaceAll('\t', '#011')), debug1);
  const expected = plainGoroutines(readDebug2(encodeText(sigquit)));
  for (const blanks of [' ', '        ']) {
    const spaces = stripLogPrefix(encodeText(prefixed(sigquit, prefix).replaceAll('\t', blanks)));
    assert.deepEqual(plainGoroutines(readDebug2(spaces?.bytes ?? new Uint8Array())), expected);
    const rows = stripLogPrefix(encodeText(prefixed(debug1, prefix).replaceAll('\t', blanks)));
    const dump = readDebug1(rows?.bytes ?? new Uint8Array());
    assert.deepEqual(plainGoroutines(dump), plainGoroutines(readDebug1(encodeText(debug1))));
  }
});

test('lines of other writers are left out', () => {
  const lines = prefixed(sigquit, 'Nov 01 12:00:00 w kubelet[1]: ').split(/(?<=\n)/);
  for (let at = 50; at < lines.length; at += 50) lines.splice(at, 0, 'Nov 01 12:00:00 w containerd[7]: time="x"\n');
  assert.equal(strip(lines.join('')), sigquit);
  const streams = prefixed(sigquit, '2026-11-01T12:00:00Z stderr F ').split(/(?<=\n)/);
  streams.splice(50, 0, '2026-11-01T12:00:00Z stdout F GET /\n');
  assert.equal(strip(streams.join('')), sigquit);
});

test('CRI splits long lines', () => {
  const line = 'main.main(0x1)';
  const text = `goroutine 1 [running]:\n${line}\n\t/m.go:1 +0x1\n`;
  const split = prefixed(text, '2026-11-01T12:00:00Z stderr F ').replace(
    line,
    `main.m\n2026-11-01T12:00:01Z stderr F ${line.slice(6)}`,
  );
  assert.equal(strip(split.replace('F main.m\n', 'P main.m\n')), text);
});

test('a dump deep in a log is found', () => {
  const prefix = 'Nov 01 12:00:00 worker-17 kubelet[123]: ';
  const noise = `${prefix}I1101 12:00:00.000000     123 reconciler.go:1] goroutine count is 5\n`.repeat(2000);
  const stripped = stripLogPrefix(encodeText(noise + prefixed(sigquit, prefix)));
  assert.deepEqual(
    plainGoroutines(readDebug2(stripped?.bytes ?? new Uint8Array())),
    plainGoroutines(readDebug2(encodeText(sigquit))),
  );
});

test('no input makes it fail', () => {
  const piece = fc.constantFrom(
    'Nov 01 12:00:00 host kubelet[1]: ',
    '2026-11-01T12:00:00Z stderr F ',
    '2026-11-01T12:00:00Z',
    '{"log":"',
    'goroutine 1 [running]:',
    ' profile: total 5',
    '\\n","stream":"stderr"}',
    '\n',
    '#011',
    ' ',
    'I1101 12:00:00.000000 1 a.go:1] ',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 20 }), pieces => {
      stripLogPrefix(encodeText(pieces.join('')));
    }),
    { numRuns: 2000 },
  );
});
