import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FormatError, assert as assertInvariant, unreachable } from './errors.ts';

it('a FormatError says where', () => {
  assert.equal(new FormatError('bad varint', { offset: 17 }).describe(), 'bad varint at byte 17');
  assert.equal(new FormatError('bad row', { line: 3, offset: 17 }).describe(), 'bad row at line 3');
  assert.equal(new FormatError('bad').describe(), 'bad');
  const cause = new Error('why');
  assert.equal(new FormatError('bad', { cause }).cause, cause);
});

it('a FormatError is one line without control characters', () => {
  assert.equal(new FormatError('a\nb\r\x1b[31mc\x7f\x9bd\te').message, 'a?b??[31mc??d\te');
  assert.equal(new FormatError('x'.repeat(1000)).message, `${'x'.repeat(400)}...`);
});

it('a broken invariant is a bug', () => {
  assertInvariant(true, 'fine');
  assert.throws(() => assertInvariant(0, 'rows differ'), /^Error: bug: rows differ$/);
  assert.throws(() => unreachable('x' as never), /^Error: bug: unexpected x$/);
});
