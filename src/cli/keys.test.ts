import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keysIn } from './full-screen.ts';

describe('keys of a terminal', () => {
  it('have names, several in one chunk', () => {
    assert.deepEqual(keysIn('a/\x1b[A\x1bOB\x1b[6~\r\x7f\t\x03é'), [
      ...['a', '/', 'up', 'down', 'page-down', 'enter', 'backspace', 'tab', 'ctrl-c', 'é'],
    ]);
  });

  it('are Escape alone, and not the beginning of an unknown sequence', () => {
    assert.deepEqual(keysIn('\x1b'), ['escape']);
    assert.deepEqual(keysIn('\x1b[1;5Cq\x1b[200~x'), ['q', 'x']);
    assert.deepEqual(keysIn('\x1b\x1b'), ['escape', 'escape']);
    assert.deepEqual(keysIn('\x1bl'), ['escape', 'l']);
  });

  it('are never control characters', () => {
    assert.deepEqual(keysIn('\x00\x01\x1f'), []);
  });
});
