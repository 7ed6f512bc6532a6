import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FormatError } from '../../base/errors.ts';
import { encodeText } from '../../base/text.ts';
import { ProfileBuilder } from '../profile-builder.ts';
import type { Profile } from '../profile.ts';
import { readFolded, sniffFolded } from './read-folded.ts';
import { type FoldedOptions, writeFolded } from './write-folded.ts';

const read = (text: string): Profile => readFolded(encodeText(text));
const write = (profile: Profile, options: FoldedOptions = {}): string =>
  Buffer.from(writeFolded(profile, options)).toString();

function failure(text: string): string {
  try {
    read(text);
  } catch (error) {
    assert.ok(error instanceof FormatError);
    return error.describe();
  }
  return assert.fail(`accepted ${JSON.stringify(text)}`);
}

test('reads stacks and writes them back, the largest first', () => {
  const profile = read('main;foo 5\nmain;foo;bar 3\n\nmain;foo bar 4\r\nmain;foo 2');
  assert.deepEqual(profile.sampleTypes, [{ type: 'samples', unit: 'count' }]);
  assert.equal(profile.samples.length, 3);
  assert.equal(profile.functions.length, 4);
  assert.equal(write(profile), 'main;foo 7\nmain;foo bar 4\nmain;foo;bar 3\n');
});

test('a header names several types', () => {
  const text = 'alloc_objects/count alloc_space/bytes\nmain;a b 3 9007199254740993\nmain;c 1 -12\n';
  const profile = read(text);
  assert.deepEqual(profile.sampleTypes[1], { type: 'alloc_space', unit: 'bytes' });
  assert.equal(write(profile, { allTypes: true }), text);
  assert.equal(write(profile, { sampleIndex: 0 }), 'main;a b 3\nmain;c 1\n');
});

test('keeps 64-bit counts exact, alone and summed', () => {
  assert.equal(write(read('a 9223372036854775807\nb -9223372036854775808\n')).split('\n')[0], 'b -9223372036854775808');
  assert.equal(write(read('a;b 9007199254740991\na;b 2\n')), 'a;b 9007199254740993\n');
  assert.equal(write(read('a;b 9007199254740993\na;b -9007199254740990\n')), 'a;b 3\n');
  assert.equal(failure('a 9223372036854775808\n'), 'a count exceeds 64 bits at line 1');
  assert.equal(failure('a 9223372036854775807\na 1'), 'the sum of equal stacks exceeds 64 bits at byte 0');
});

test('a bad line is named', () => {
  assert.equal(
    failure('a;b 1\n\nmain;foo\n'),
    'expected "root;...;leaf COUNT", found "main;foo" for a count at line 3',
  );
  assert.equal(failure('a 1.5\n'), 'expected "root;...;leaf COUNT", found "1.5" for a count at line 1');
  assert.equal(failure('7\n'), 'expected "root;...;leaf COUNT" at line 1');
  assert.equal(failure('a/b c/d\nx 1\n'), 'expected "root;...;leaf COUNT COUNT", found "x" for a count at line 2');
  assert.match(failure(`a ${'9'.repeat(100_000)}\n`), /for a count at line 1$/);
});

test('keeps bytes that are not UTF-8', () => {
  const bytes = Uint8Array.of(0x61, 0xff, 0x3b, 0xc3, 0xa9, 0x20, 0x31, 0x0a);
  assert.deepEqual(writeFolded(readFolded(bytes)), bytes);
});

test('expands inlined frames, names what has no name, and puts labels before the root', () => {
  const b = new ProfileBuilder([{ type: 'goroutine', unit: 'count' }]);
  const inner = b.internFunction('inner;x', 'a.go');
  const outer = b.internFunction('outer\n', 'a.go');
  const inlined = b.addLocation({ lines: [{ fn: inner }, { fn: outer }] });
  const bare = b.addLocation({ address: 0x40n, mapping: b.addMapping({ file: '/bin/prog' }) });
  b.addSample([inlined, bare], [2], [{ key: 'controller', str: 'quota' }]);
  b.addSample([inlined, bare], [3], [{ key: 'bytes', num: 16, unit: 'bytes' }]);
  b.addSample([], [1]);
  const profile = b.finish();
  assert.equal(write(profile), '0x40;outer;inner:x 5\n[no stack] 1\n');
  assert.equal(
    write(profile, { labelRoots: ['controller', 'bytes'] }),
    'bytes=16bytes;0x40;outer;inner:x 3\ncontroller=quota;0x40;outer;inner:x 2\n[no stack] 1\n',
  );
});

test('sniffs folded stacks and nothing like them', () => {
  const sniff = (text: string): boolean => sniffFolded(encodeText(text));
  assert.ok(sniff('main;foo 5\nmain;foo;bar 3\n'));
  assert.ok(sniff('samples/count\nmain 5\n'));
  assert.ok(sniff('main;foo 5\nmain;fo'));
  assert.ok(!sniff('goroutine profile: total 485\n5 @ 0x1 0x2\n'));
  assert.ok(!sniff('go_goroutines 12\n'));
  assert.ok(!sniff('# HELP x y;z 1\nx 1\n'));
  assert.ok(!sniff('{"a;b": 1}\n'));
  assert.ok(!sniff('a;b 1\n\0'));
  assert.ok(!sniff(''));
});

test('what was written reads back the same', () => {
  const frame = fc.stringMatching(/^[^\s;][^;\r\n]{0,8}[^\s;\uD800-\uDFFF]$/u).filter(name => !name.includes('\uFEFF'));
  const row = fc.tuple(
    fc.array(frame, { minLength: 1, maxLength: 6 }),
    fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }),
  );
  fc.assert(
    fc.property(fc.uniqueArray(row, { maxLength: 20, selector: ([stack]) => stack.join(';') }), rows => {
      const text = rows.map(([stack, value]) => `${stack.join(';')} ${value}\n`).join('');
      const once = write(read(text));
      assert.equal(write(read(once)), once);
      const expected = rows.filter(([, value]) => value !== 0n).map(([stack, value]) => `${stack.join(';')} ${value}`);
      assert.deepEqual(once.split('\n').slice(0, -1).sort(), expected.sort());
    }),
    { numRuns: 200 },
  );
});
