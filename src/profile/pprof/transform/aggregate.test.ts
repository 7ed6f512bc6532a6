import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertSound, smallProfile, sums } from '../../../../test/fuzz/sound-profile.ts';
import { profileOf, stacksOf } from '../../../../test/fuzz/stack-profile.ts';
import { buildNodes } from '../node-table.ts';
import { aggregate } from './aggregate.ts';

describe('aggregate', () => {
  const granularities = ['', 'functions', 'filefunctions', 'files', 'lines', 'addresses'] as const;

  it('distinguishes less and less, and keeps every value', () => {
    fc.assert(
      fc.property(smallProfile, fc.boolean(), (any, inlines) => {
        const counts = granularities.map(granularity => {
          const out = aggregate(any, { granularity, inlines, columns: false });
          assertSound(out);
          assert.deepEqual(sums(out), sums(any));
          return buildNodes(out, { objectNames: false }).infos.length;
        });
        const [, functions, fileFunctions, , lines, addresses] = counts;
        assert.ok(functions <= fileFunctions && fileFunctions <= lines && lines <= addresses);
      }),
    );
  });

  it('keeps the outermost line without inlines', () => {
    const out = aggregate(profileOf([['in+out;main', 1]]), {
      granularity: 'functions',
      inlines: false,
      columns: false,
    });
    assert.deepEqual(stacksOf(out), ['out;main']);
  });

  it('leaves addresses alone', () => {
    const any = profileOf([['in+out;main', 1]]);
    assert.equal(aggregate(any, { granularity: 'addresses', inlines: true, columns: false }), any);
  });
});
