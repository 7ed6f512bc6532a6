import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { encodeText } from '../../src/base/text.ts';
import { compileGoRegexp } from '../../src/profile/pprof/go-regexp.ts';
import { familiesAnswer, functionsAnswer, largestChange, profileAnswer } from './answers.ts';
import { gunzipped } from '../reader/gunzip.ts';
import { openProfile, type LoadedProfile } from '../reader/open-profile.ts';
import { ProfileService, buildTree } from '../reader/profile-service.ts';
import type { CallTree } from './call-tree.ts';

const CAPTURES = new URL('../../test/fixtures/captures/leakdemo/', import.meta.url);
const capture = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(name, CAPTURES)));

async function opened(bytes: Uint8Array): Promise<LoadedProfile> {
  return openProfile(await gunzipped(bytes), 'made');
}

function treeOf(after: LoadedProfile, before?: LoadedProfile): CallTree {
  const sampleType = after.opened.defaultSampleType;
  const options = { sampleType, labels: [], roots: [], widthOf: 'after' } as const;
  return buildTree(after.profile, before?.profile, options, compileGoRegexp);
}

async function answerOf(bytes: Uint8Array): Promise<string> {
  const read = await opened(bytes);
  return profileAnswer(read.opened, treeOf(read), read.opened.defaultSampleType);
}

async function growthAnswer(before: Uint8Array, after: Uint8Array, answer = familiesAnswer): Promise<string> {
  const service = new ProfileService(compileGoRegexp);
  await service.handle('open', { key: 'a', name: 'a', bytes: before });
  await service.handle('open', { key: 'b', name: 'b', bytes: after });
  return answer(await service.handle('growth', { before: 'a', after: 'b', operations: undefined }));
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
  it('says where most goroutines are, and for how long', async () => {
    assert.equal(
      await answerOf(dump(50)),
      '50 goroutines in 1 family; 50 blocked in chan send at main.go:88, longest 12m.',
    );
    assert.equal(await answerOf(dump(1, 'running')), '1 goroutine in 1 family; 1 running at main.go:88.');
  });

  it('names the code to blame if the largest family only holds what it makes', async () => {
    const heap = new URL('../../demo/leak-a/heap-1794774072.pb.gz', import.meta.url);
    assert.match(
      await answerOf(new Uint8Array(readFileSync(heap))),
      / It may be kubernetes#139823, made by kubelet\.\(\*podWorkers\)\.startPodSync\.$/,
    );
  });

  it('says how much is live, and where', async () => {
    assert.match(
      await answerOf(capture('go1.26/t3/heap.debug0.pb.gz')),
      /^[\d.]+ [KM]iB live in \d+ famil(y|ies); [\d.]+ [KM]iB \(\d+ %\) in .+\.$/,
    );
  });

  it('falls back to functions', async () => {
    assert.equal(await answerOf(encodeText('main;a 1\nmain;b 3\n')), '4 of samples; 75 % in b itself.');
  });

  it('escapes hostile names', async () => {
    const hostile = new TextDecoder().decode(dump(2)).replaceAll('main.leak', 'main.le\u202e\u0007ak');
    assert.doesNotMatch(await answerOf(encodeText(hostile)), /[\u202e\u0007]/);
  });
});

describe('familiesAnswer', () => {
  it('blames the code that makes what leaks, not the code whose table holds it', async () => {
    const demo = (name: string): Uint8Array =>
      new Uint8Array(readFileSync(new URL(`../../demo/leak-a/${name}`, import.meta.url)));
    assert.match(
      await growthAnswer(demo('heap-1794772045.pb.gz'), demo('heap-1794774072.pb.gz')),
      /^\+[\d.]+ MiB \(\d+ % of the growth of [\d.]+ MiB\) made by kubelet\.\(\*podWorkers\)\.startPodSync, in (?:a family that looks|\d families that look) like kubernetes#139823; /,
    );
  });

  it('names the family that grew, and its share of the growth', async () => {
    const sentence = await growthAnswer(dump(4), dump(54));
    assert.equal(
      sentence,
      '+50 goroutines (100 % of the growth) in main.leak ← chan send; 4 → 54 goroutines in total.',
    );
  });

  it('says so if nothing grew', async () => {
    assert.equal(await growthAnswer(dump(4), dump(4)), 'Nothing grew: 4 → 4 goroutines in total.');
    assert.equal(await growthAnswer(dump(9), dump(4)), 'Nothing grew: 9 → 4 goroutines in total.');
    assert.match(
      await growthAnswer(dump(4), dump(5)),
      /^Not proved by these two alone: the largest change is \+1 goroutine in .+; 4 → 5 goroutines in total\.$/,
    );
  });

  it('names the known leak that two profiles resemble without proving it', async () => {
    const demo = (name: string): Uint8Array =>
      new Uint8Array(readFileSync(new URL(`../../demo/leak-b/${name}`, import.meta.url)));
    assert.match(
      await growthAnswer(demo('heap-1794772855.pb.gz'), demo('heap-1794773935.pb.gz')),
      /^Not proved by these two alone: the largest change is \+8\.5 MiB in 64,223 more objects in \(\*volumeManager\)\.WaitForAttachAndMount → wait\.PollUntilContextTimeout; .* It may be kubernetes#139823, made by kubelet\.\(\*podWorkers\)\.startPodSync\.$/,
    );
  });

  it('names the largest change where other evidence proves the growth', async () => {
    assert.equal(
      await growthAnswer(dump(4), dump(5), largestChange),
      '+1 goroutine in main.leak ← chan send, of 1 in all.',
    );
    assert.equal(await growthAnswer(dump(4), dump(4), largestChange), 'Nothing grew: 4 → 4 goroutines in total.');
  });
});

it('functionsAnswer names the function whose flat value grew', async () => {
  const before = await opened(encodeText('main;a 1\nmain;b 5\n'));
  const after = await opened(encodeText('main;a 8\nmain;b 5\n'));
  assert.equal(
    functionsAnswer(treeOf(after, before), 'count'),
    '+7 (100 % of the growth) in a itself; 6 → 13 in total.',
  );
  assert.equal(functionsAnswer(treeOf(before, after), 'count'), 'Nothing grew: 13 → 6 in total.');
});
