import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refusal } from './refusal.ts';
import { readNote } from './api.ts';

describe('the body of a note', () => {
  it('is read', () => {
    assert.deepEqual(readNote('{"by":" kim ","text":"drained it"}'), {
      by: 'kim',
      text: 'drained it',
      acknowledges: false,
    });
    assert.deepEqual(readNote('{"by":"kim","acknowledges":true}'), { by: 'kim', text: '', acknowledges: true });
  });

  it('is refused with a sentence if it is wrong', () => {
    for (const body of [
      '',
      '[]',
      'null',
      '{"text":"who?"}',
      '{"by":"","text":"x"}',
      '{"by":"kim","text":""}',
      '{"by":"kim","text":1}',
      '{"by":"kim","text":"x","acknowledges":"yes"}',
      '{"by":"kim","text":"x","role":"admin"}',
      JSON.stringify({ by: 'k'.repeat(81), text: 'x' }),
      JSON.stringify({ by: 'kim', text: 'x'.repeat(2001) }),
    ]) {
      assert.throws(
        () => readNote(body),
        (error: unknown) => error instanceof Refusal && error.status === 400,
        body.slice(0, 60),
      );
    }
  });
});
