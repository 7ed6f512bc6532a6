import { it } from 'node:test';

it('passes', () => {
  setImmediate(() => {
    throw new Error('too late');
  });
});
