import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeText } from '../../base/text.ts';
import { isSearchable, MIN_ANYWHERE_BYTES, searchFor, tellingParts } from './find-originals.ts';

const find = (originals: readonly string[], text: string, minLength?: number): string | undefined =>
  searchFor(originals).find(encodeText(text), minLength);

describe('searching for originals', () => {
  it('finds them in every encoding and at every offset', () => {
    const marker = fc
      .string({ unit: 'grapheme', minLength: 3, maxLength: 20 })
      .map(text => `mark-${text}-er`)
      .filter(text => !/\p{Cs}/u.test(text));
    const encoders: readonly ((text: string) => string)[] = [
      text => text,
      text => JSON.stringify(text),
      text => encodeURIComponent(text),
      text => Buffer.from(text).toString('base64'),
      text => Buffer.from(`x${text}`).toString('base64'),
      text => Buffer.from(`xy${text}z`).toString('base64url'),
      text =>
        JSON.stringify(text).replace(/[^\x00-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ];
    fc.assert(
      fc.property(marker, fc.constantFrom(...encoders), fc.string(), fc.string(), (text, encode, before, after) => {
        assert.equal(find(['other-name', text], before + encode(text) + after), text);
      }),
    );
  });

  it('finds nothing in text without originals', () => {
    const originals = Array.from({ length: 500 }, (_, i) => `web-7f9c-${i.toString(36).padStart(5, '0')}`);
    const text = Array.from({ length: 500 }, (_, i) => `web-7f9c-z${i.toString(36).padStart(4, '0')}`).join(' ');
    assert.equal(find(originals, text), undefined);
    assert.equal(find(originals, `${text} web-7f9c-0007b`), 'web-7f9c-0007b');
  });

  it('finds short ones only as whole words', () => {
    assert.equal(find(['core'], 'coredns is up'), undefined);
    assert.equal(find(['core'], 'the core pod'), 'core');
    assert.equal(find(['core'], 'the core pod', MIN_ANYWHERE_BYTES), undefined);
    assert.deepEqual(searchFor(['core', 'nothing']).findAll(encodeText('coredns')), new Set(['core']));
  });

  it('says which originals can be searched for', () => {
    for (const text of ['a', 'lab', '12345', '1794772585', '0.25', '99.5%', '10:30'])
      assert.equal(isSearchable(text), false, text);
    for (const text of ['core', '10.0.0.5', '10.0.0.5:6443', '123456789012', 'a1b2'])
      assert.equal(isSearchable(text), true, text);
    assert.deepEqual(tellingParts('https://10.0.0.5:6443/x'), ['10.0.0.5']);
    assert.deepEqual(tellingParts('pod_b2878164-8e01-4ab2-b4a9-95cfe4ce5c13/'), []);
    assert.deepEqual(tellingParts('pod b2878164-8e01-4ab2-b4a9-95cfe4ce5c13/'), [
      'b2878164-8e01-4ab2-b4a9-95cfe4ce5c13',
    ]);
  });
});
