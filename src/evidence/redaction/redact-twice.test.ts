import assert from 'node:assert/strict';
import fc from 'fast-check';
import { it } from 'node:test';
import { plainRedactor } from '../../../test/redaction/plain-redactor.ts';
import { decodeText, encodeText } from '../../base/text.ts';
import { redactMemberPath, storedName, uniquePath } from './member-path.ts';
import { redactMember } from './redact-member.ts';
import { hasOriginal, planSearch } from './find-originals.ts';

it('ids of goroutines are written in digits, so that redacting twice changes nothing', () => {
  const big = '9'.repeat(26);
  const dump = `goroutine ${big} [select]:\nmain.f()\n\t/m.go:7 +0x1\ncreated by main.g in goroutine ${big}\n\t/m.go:9 +0x1\n`;
  const once = redactMember(encodeText(dump), plainRedactor()).bytes;
  assert.doesNotMatch(decodeText(once), /e\+/);
  const again = plainRedactor();
  assert.equal(decodeText(redactMember(once, again).bytes), decodeText(once));
  assert.deepEqual([...again.originals], []);
});

it('a folder that only a hidden one explains is hidden, too', () => {
  for (const root of ['go-alice', 'go1.19x', 'go']) {
    const dump = `goroutine 1 [select]:\nsync.runtime_Semacquire()\n\t/usr/lib/${root}/src/runtime/sema.go:77 +0x1\n`;
    const once = redactMember(encodeText(dump), plainRedactor()).bytes;
    const again = plainRedactor();
    assert.equal(decodeText(redactMember(once, again).bytes), decodeText(once));
    assert.deepEqual([...again.originals], [], root);
  }
});

it('a call without a package is hidden, not left without a name', () => {
  const dump = `goroutine 6 [chan receive]:\n(*Server).run(...)\n\t/m.go:7 +0x1\n`;
  const once = redactMember(encodeText(dump), plainRedactor()).bytes;
  assert.match(decodeText(once), /^redacted-[a-z]{11}\.hidden\(\.\.\.\)$/m);
  const again = plainRedactor();
  assert.equal(decodeText(redactMember(once, again).bytes), decodeText(once));
  assert.deepEqual([...again.originals], []);
});

it('a call that lost its package in a dump of a crash is no call', () => {
  const registers = 'fp=0x3f4e24663eb8 sp=0x3f4e24663dc8 pc=0x522294';
  const dump = `goroutine 1 gp=0x3f4e245d41e0 m=nil [sleep]:\ntime.Sleep(0x1)\n\t/go/src/runtime/time.go:368 +0x165 ${registers}\nmain()\n\t/src/main.go:153 +0x534 ${registers}\nruntime.main()\n\t/go/src/runtime/proc.go:302 +0x427 ${registers}\n`;
  const once = redactMember(encodeText(dump), plainRedactor()).bytes;
  assert.match(decodeText(once), /^time\.Sleep\(\)$[^]*^runtime\.main\(\)$/m);
  const first = plainRedactor();
  redactMember(encodeText(dump), first);
  assert.equal(hasOriginal(once, 'debug2', planSearch(first)), false, 'main() is also the end of runtime.main()');
  const again = plainRedactor();
  assert.equal(decodeText(redactMember(once, again).bytes), decodeText(once));
  assert.deepEqual([...again.originals], []);
});

it('dumps of a log stay apart, also where one was cut', () => {
  const dump = (ids: readonly number[]): string =>
    ids.map(id => `goroutine ${id} [select]:\nmain.f()\n\t/m.go:7 +0x1\n`).join('\n');
  const cut = dump([1, 2]).slice(0, -9);
  const log = `${cut}\n\n${dump([1, 2])}`.replace(/^/gm, '2026-11-01T12:00:00Z stderr F ');
  const once = redactMember(encodeText(log), plainRedactor()).bytes;
  for (const line of decodeText(once).split('\n')) assert.ok(line.lastIndexOf('2026-') <= 0, line);
  assert.deepEqual(decodeText(redactMember(once, plainRedactor()).bytes), decodeText(once));
});

it('paths of files stay as they are, also those of files with one path', () => {
  const word = fc.constantFrom(
    ...['heap', 'heap-1', 't3', '7', 'worker-17', 'go1.19', 'go1.27.1', '1794771200', '2026-11-01T12.00.00Z', 'after'],
    ...['.', '..', '-', '_', '.pb', '.gz', '.txt', '.PROM', 'alice', 'copy2', '', 'redacted', 'v1.36.0', '/'],
  );
  const paths = fc.array(word, { minLength: 1, maxLength: 8 }).map(words => words.join('-').replaceAll('-/-', '/'));
  fc.assert(
    fc.property(paths, fc.constantFrom('pprof' as const, 'debug1' as const), (path, format) => {
      const taken = new Set<string>();
      for (let copies = 0; copies < 3; copies++) {
        taken.add(uniquePath(storedName(redactMemberPath(path, plainRedactor()), format), taken));
      }
      for (const stored of taken) {
        const again = plainRedactor();
        assert.equal(redactMemberPath(stored, again), stored);
        assert.deepEqual([...again.originals], []);
      }
    }),
  );
});

it('a path of which only the end looks imported keeps no folder', () => {
  for (const folder of ['k8s.io/clie\\t-go/rest', 'k8s.io/clie t-go/rest', 'k8s.io/client-go@x y/rest']) {
    const dump = `goroutine 1 [select]:\nmain.f()\n\t${folder}/request.go:1228 +0x1\n`;
    const once = redactMember(encodeText(dump), plainRedactor()).bytes;
    const again = plainRedactor();
    assert.equal(decodeText(redactMember(once, again).bytes), decodeText(once));
    assert.deepEqual([...again.originals], [], folder);
  }
});
