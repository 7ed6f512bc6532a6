import { it } from 'node:test';

it('loops', () => {
  for (;;);
});
