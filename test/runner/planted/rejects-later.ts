import { it } from 'node:test';

it('passes', () => {
  setImmediate(() => void Promise.reject(new Error('nobody listens')));
});
