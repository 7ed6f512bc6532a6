import { after, it } from 'node:test';

after(() => {
  throw new Error('cannot clean up');
});
it('passes', () => {});
