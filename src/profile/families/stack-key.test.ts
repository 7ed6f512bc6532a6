import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyNames } from './stack-key.ts';

test('the key of a stack is the part that all formats and releases agree on', () => {
  const mutex119 = [
    'runtime.gopark',
    'runtime.goparkunlock',
    'runtime.semacquire1',
    'sync.runtime_SemacquireMutex',
    'sync.(*Mutex).lockSlow',
    'sync.(*Mutex).Lock',
    'main.f.func1',
    'runtime.goexit',
  ];
  const mutex127 = [
    'internal/sync.runtime_SemacquireMutex',
    'internal/sync.(*Mutex).lockSlow',
    'internal/sync.(*Mutex).Lock',
    'sync.(*Mutex).Lock',
    'main.f.func2',
  ];
  assert.deepEqual(keyNames(mutex119), ['sync.(*Mutex).Lock', 'main.f']);
  assert.deepEqual(keyNames(mutex127), keyNames(mutex119));
  // The write lock is acquired through the mutex inside it.
  assert.deepEqual(keyNames(['sync.(*Mutex).Lock', 'sync.(*RWMutex).Lock', 'main.f']), [
    'sync.(*RWMutex).Lock',
    'main.f',
  ]);
  // The depth of recursion does not count, direct or mutual.
  const turns = Array.from({ length: 180 }, (_, i) => (i % 2 === 0 ? 'main.a' : 'main.b'));
  assert.deepEqual(keyNames(['runtime.gopark', ...turns]), ['main.a', 'main.b']);
  // Frames without a name, wrappers and the runtime do not count.
  assert.deepEqual(keyNames(['', 'main.f', '', 'main.g.gowrap1', 'runtime.goexit']), ['main.f']);
  assert.deepEqual(keyNames(['runtime.gopark', 'runtime.runfinq', 'runtime.goexit']), ['runtime.runFinalizers']);
  assert.deepEqual(keyNames(['', '']), ['(no stack)']);
  // The function a goroutine was started with counts even if it is not exported.
  const readLoop = [
    'internal/poll.runtime_pollWait',
    'net.(*conn).Read',
    'bufio.(*Reader).fill',
    'bufio.(*Reader).Peek',
    'net/http.(*persistConn).readLoop',
  ];
  assert.deepEqual(keyNames(readLoop), ['bufio.(*Reader).Peek', 'net/http.(*persistConn).readLoop']);
});
