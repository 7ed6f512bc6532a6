import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FormatError, EXIT, expected, expectedFailure, Failure, FAILURES, systemReason } from './errors.ts';

const systemError = (code: string, more: object = {}): Error =>
  Object.assign(new Error(`${code}: something, open 'a'`), { code, syscall: 'open', ...more });

describe('expected failures', () => {
  it('each have an exit code and an HTTP status', () => {
    for (const [code, { exitCode, httpStatus }] of Object.entries(FAILURES)) {
      assert.ok(
        [EXIT.usage, EXIT.couldNotObserve, EXIT.actionFailed].some(known => known === exitCode),
        code,
      );
      assert.ok(httpStatus >= 400 && httpStatus < 600, code);
    }
  });

  it('name the input if the error does not', () => {
    const error = new FormatError('bad varint', { offset: 17 });
    assert.equal(expectedFailure(error)?.sentence, 'bad varint at byte 17');
    assert.equal(expectedFailure(error, 'heap.pb')?.sentence, 'heap.pb: bad varint at byte 17');
    assert.equal(expectedFailure(new Failure('cannot-write', 'open b: full'), 'a')?.sentence, 'open b: full');
  });

  it('of the system give its reason without its code', () => {
    const { code, sentence, exitCode } = expectedFailure(systemError('ENOENT', { path: 'x' }), 'y')!;
    assert.deepEqual([code, sentence, exitCode], ['not-found', 'x: no such file or directory', EXIT.couldNotObserve]);
    assert.equal(expectedFailure(systemError('EACCES'), 'y')?.sentence, 'y: permission denied');
    assert.equal(expectedFailure(systemError('ENOSPC'))?.exitCode, EXIT.actionFailed);
    assert.match(expectedFailure(systemError('EMFILE'))?.hint ?? '', /ulimit/);
    assert.equal(expectedFailure(systemError('EWHATEVER'))?.code, 'system');
    assert.equal(systemReason(systemError('EWHATEVER')), 'something');
  });

  it('are never bugs', () => {
    const bug = new TypeError('x is undefined');
    for (const error of [bug, 'text', undefined, Object.assign(new Error('a'), { code: 'ERR_OUT_OF_RANGE' })])
      assert.equal(expectedFailure(error), undefined);
    assert.throws(() => expected(bug), bug);
    const failure = new Failure('usage', 'a');
    assert.equal(expected(failure), failure);
  });
});
