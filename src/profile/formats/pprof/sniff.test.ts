import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { arbitraryProfile } from '../../../../test/fuzz/arbitrary-profile.ts';
import { encodeText } from '../../../base/text.ts';
import { encodeProfile } from './encode.ts';
import { sniffPprof } from './decode.ts';

const CAPTURES = fileURLToPath(new URL('../../../../test/fixtures/captures/leakdemo/', import.meta.url));
const captures = readdirSync(CAPTURES, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('.pb.gz'));
const capture = (name: string): Uint8Array => gunzipSync(readFileSync(CAPTURES + name));

it('sniffPprof tells a profile from text', () => {
  for (const name of captures) assert.ok(sniffPprof(capture(name).subarray(0, 65536)), name);
  fc.assert(fc.property(arbitraryProfile(), profile => assert.ok(sniffPprof(encodeProfile(profile)))));
  const texts = [
    'goroutine 1 [running]:',
    'a;b 1',
    '--- mutex:',
    '# x',
    '',
    'x',
    'hi',
    'p1',
    'heap profile: 1: 2 [3: 4] @',
  ];
  for (const text of [...texts, '\ngo_goroutines 5\n', 'process_start_time_seconds 5\n']) {
    assert.ok(!sniffPprof(encodeText(text)), text);
  }
});
