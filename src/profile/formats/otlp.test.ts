/** The fixtures were written by the OpenTelemetry Collector's own marshalers, pdata v0.164.0. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { FormatError } from '../../base/errors.ts';
import { parseJson } from '../../base/json.ts';
import { decodeText, encodeText } from '../../base/text.ts';
import { ROOT } from '../../../test/places.ts';
import { encodeProfile } from './pprof/encode.ts';
import { decodeProfile } from './pprof/decode.ts';
import { readOtlp, sniffOtlp } from './otlp.ts';

const fixture = (name: string): Uint8Array => new Uint8Array(readFileSync(join(ROOT, 'test/fixtures/otlp', name)));
const PROTO = fixture('heap.otlp.pb');
const JSON_TEXT = fixture('heap.otlp.json');
const sniff = (bytes: Uint8Array): boolean => sniffOtlp(bytes, () => parseJson(decodeText(bytes)));

describe('profiles of OpenTelemetry', () => {
  it('are recognised as protobuf and as JSON, and profile.proto is not', () => {
    assert.ok(sniff(PROTO));
    assert.ok(sniff(JSON_TEXT));
    assert.ok(!sniff(encodeProfile(readOtlp(PROTO))));
    assert.ok(!sniff(encodeText('{"resourceSpans":[]}')));
  });

  it('are the same profile from both', () => {
    assert.deepEqual(encodeProfile(readOtlp(JSON_TEXT)), encodeProfile(readOtlp(PROTO)));
  });

  it('have the sample types of all profiles as columns, stacks with inlined lines, labels and the binary', () => {
    const profile = decodeProfile(encodeProfile(readOtlp(PROTO)));
    assert.deepEqual(profile.sampleTypes, [
      { type: 'inuse_objects', unit: 'count' },
      { type: 'inuse_space', unit: 'bytes' },
    ]);
    assert.equal(profile.timeNanos, 1794772045000000000n);
    assert.equal(profile.mappings[0]?.file, '/usr/bin/our-daemon');
    const { samples, strings } = profile;
    assert.equal(samples.length, 2);
    assert.deepEqual(
      samples.values.map(column => [Number(column[0]), Number(column[1])]),
      [
        [7, 2],
        [28672, 1024],
      ],
    );
    const keys = Array.from(samples.labels.key, at => strings[at]);
    assert.deepEqual(keys, ['tenant', 'bytes']);
    const names = Array.from(profile.functions.name, at => strings[at]).filter(name => name !== '');
    assert.deepEqual(names, ['main.newSession', 'main.(*server).open', 'main.(*server).serve', 'main.main']);
  });

  it('that are damaged are refused with a place, wherever they are cut', () => {
    for (let cut = 2; cut < PROTO.length; cut++) {
      try {
        readOtlp(PROTO.subarray(0, cut));
      } catch (error) {
        assert.ok(error instanceof FormatError, `cut at ${cut}: ${String(error)}`);
      }
    }
    const wrong = decodeText(JSON_TEXT).replace('"stackIndex":1', '"stackIndex":99');
    assert.throws(() => readOtlp(encodeText(wrong)), /a sample refers to stack 99, of 3/);
    assert.throws(() => readOtlp(encodeText('{"resourceProfiles":[],"dictionary":{}}')), /without a profile/);
  });
});
