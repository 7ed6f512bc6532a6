import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkPile } from './check-pile.ts';
import { plantedPile } from './planted-pile.ts';
import { SECRET_KINDS } from './secrets.ts';

/** One moment only, and no `go tool pprof`: `npm run redaction` has two and opens the profiles. */
const MOMENTS = ['second'] as const;

describe('planted secrets', () => {
  it('of every kind are in no bundle, manifest or report, and the answer is the same', async () => {
    const pile = plantedPile(1, MOMENTS);
    assert.ok(pile.secrets.length >= 500 && new Set(pile.secrets.map(({ kind }) => kind)).size >= 30);
    assert.ok(SECRET_KINDS.length >= 30);
    const { leaks, problems, members } = await checkPile(pile);
    assert.deepEqual(leaks, []);
    assert.deepEqual(problems, []);
    assert.ok(members >= 17, `${members} members`);
  });

  it('are found if nothing is redacted', async () => {
    const pile = plantedPile(2, MOMENTS);
    const { leaks } = await checkPile(pile, { redact: false });
    assert.ok(leaks.length > 500, `${leaks.length} places`);
  });
});
