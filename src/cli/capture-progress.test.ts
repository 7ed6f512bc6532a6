import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { captureProgress } from './capture-progress.ts';

function written(isTTY: boolean): { text: () => string; stderr: { write(text: string): void; isTTY: boolean } } {
  let text = '';
  return { text: () => text, stderr: { isTTY, write: chunk => void (text += chunk) } };
}

describe('the progress of a capture', () => {
  it('counts down in one line of a terminal, and wipes it before anything else', () => {
    const { text, stderr } = written(true);
    const progress = captureProgress(stderr);
    progress.show({ kind: 'waiting', seconds: 300 });
    progress.show({ kind: 'tick', seconds: 300 });
    progress.show({ kind: 'tick', seconds: 61.2 });
    progress.clear();
    progress.clear();
    assert.equal(
      text(),
      '\r\x1b[Knext set in 5m; Ctrl-C keeps what is saved\r\x1b[Knext set in 1m2s; Ctrl-C keeps what is saved\r\x1b[K',
    );
  });

  it('is one line elsewhere', () => {
    const { text, stderr } = written(false);
    const progress = captureProgress(stderr);
    progress.show({ kind: 'waiting', seconds: 300 });
    progress.show({ kind: 'tick', seconds: 299 });
    progress.clear();
    assert.equal(text(), 'waiting 5m for the next set; Ctrl-C keeps what is saved\n');
  });
});
