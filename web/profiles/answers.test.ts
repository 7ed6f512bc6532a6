import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { encodeText } from '../../src/base/text.ts';
import { compileGoRegexp } from '../../src/pprof/units/go-regexp.ts';
import { profileAnswer } from './profile-answer.ts';
import { buildTree } from '../reader/build-tree.ts';
import { familiesAnswer, functionsAnswer } from './compare-answer.ts';
import { gunzipped } from '../reader/gunzip.ts';
import { openProfile, type Opening } from '../reader/open-profile.ts';
import { ProfileDesk } from '../reader/profile-service.ts';
import type { FlameTree } from '../call-tree/call-tree.ts';

const CAPTURES = new URL('../../test/fixtures/captures/leakdemo/', import.meta.url);
const capture = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(name, CAPTURES)));

async function opening(bytes: Uint8Array): Promise<Opening> {
  return openProfile(await gunzipped(bytes), 'made');
}

function treeOf(after: Opening, before?: Opening): FlameTree {
  const sampleType = after.opened.defaultSampleType;
  const choice = { sampleType, only: '', labels: [], roots: [], widthOf: 'after' } as const;
  return buildTree(after.profile, before?.profile, choice, compileGoRegexp);
}

async function answerOf(bytes: Uint8Array): Promise<string> {
  const read = await opening(bytes);
  return profileAnswer(read.opened, treeOf(read), read.opened.defaultSampleType);
}

async function growthAnswer(before: Uint8Array, after: Uint8Array): Promise<string> {
  const desk = new ProfileDesk(compileGoRegexp);
  await desk.answer('open', { key: 'a', name: 'a', bytes: before });
  await desk.answer('open', { key: 'b', name: 'b', bytes: after });
  return familiesAnswer((await desk.answer('growth', { before: 'a', after: 'b', operations: undefined })).growths);
}

const dump = (count: number, state = 'chan send, 12 minutes'): Uint8Array =>
  encodeText(
    Array.from(
      { length: count },
      (_, i) =>
        `goroutine ${i + 1} [${state}]:\nmain.leak(0x1)\n\t/src/main.go:88 +0x1\ncreated by main.main\n\t/src/main.go:9 +0x1\n`,
    ).join('\n'),
  );

describe('profileAnswer', () => {
  it('says how many goroutines stand where, and for how long', async () => {
    assert.equal(
      await answerOf(dump(50)),
      '50 goroutines in 1 family; 50 blocked in chan send at main.go:88, longest 12m.',
    );
    assert.equal(await answerOf(dump(1, 'running')), '1 goroutine in 1 family; 1 in running at main.go:88.');
  });

  it('says what is live, and in what', async () => {
    assert.match(
      await answerOf(capture('go1.26/t3/heap.debug0.pb.gz')),
      /^[\d.]+ [KM]iB live in \d+ famil(y|ies); [\d.]+ [KM]iB \(\d+ %\) in .+\.$/,
    );
  });

  it('falls back to functions', async () => {
    assert.equal(await answerOf(encodeText('main;a 1\nmain;b 3\n')), '4 of samples; 75 % in b itself.');
  });

  it('survives hostile names', async () => {
    const hostile = new TextDecoder().decode(dump(2)).replaceAll('main.leak', 'main.le\u202e\u0007ak');
    assert.doesNotMatch(await answerOf(encodeText(hostile)), /[\u202e\u0007]/);
  });
});

describe('familiesAnswer', () => {
  it('names what grew and how much of the growth it is', async () => {
    const sentence = await growthAnswer(dump(4), dump(54));
    assert.equal(sentence, '+50 goroutines (100 % of the growth) in main.leak ← chan send; 4 → 54 goroutines in all.');
  });

  it('says when nothing did', async () => {
    assert.equal(await growthAnswer(dump(4), dump(4)), 'Nothing grew: 4 → 4 goroutines in all.');
    assert.equal(await growthAnswer(dump(9), dump(4)), 'Nothing grew: 9 → 4 goroutines in all.');
    assert.match(
      await growthAnswer(dump(4), dump(5)),
      /^Nothing grew beyond chance: 4 → 5 goroutines in all; the most is \+1 goroutine in/,
    );
  });
});

it('functionsAnswer names the function that grew by itself', async () => {
  const [before, after] = await Promise.all(
    ['main;a 1\nmain;b 5\n', 'main;a 8\nmain;b 5\n'].map(text => opening(encodeText(text))),
  );
  assert.equal(functionsAnswer(treeOf(after, before), 'count'), '+7 (100 % of the growth) in a itself; 6 → 13 in all.');
  assert.equal(functionsAnswer(treeOf(before, after), 'count'), 'Nothing grew: 13 → 6 in all.');
});
