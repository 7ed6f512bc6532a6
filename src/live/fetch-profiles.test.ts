import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ProfileBuilder } from '../profile/profile-builder.ts';
import type { Profile } from '../profile/profile.ts';
import { parsePprofFlags } from '../profile/pprof/flags.ts';
import { stringLabels } from '../profile/pprof/transform/sample-labels.ts';
import { compileGoRegexp } from '../profile/pprof/go-regexp.ts';
import { fetchProfiles, savedProfilePrefix, symbolizationOff, type MergedProfile } from './fetch-profiles.ts';
import type { ProfileSource } from './ports.ts';
import { Failure } from '../base/errors.ts';

function profileOf(value: number, name = 'main.main', mapping = ''): Profile {
  const b = new ProfileBuilder([{ type: 'inuse_space', unit: 'bytes' }]);
  if (mapping !== '') b.addMapping({ file: mapping });
  b.addSample([b.addLocation({ address: 1n, lines: [{ fn: b.internFunction(name, '') }] })], [value]);
  return b.finish();
}

/** A source with these profiles; every other address fails. */
function sourceOf(profiles: Readonly<Record<string, Profile>>): ProfileSource {
  return {
    async fetch(name) {
      if (!Object.hasOwn(profiles, name)) throw new Failure('not-found', 'not there');
      return {
        profile: profiles[name],
        url: name.startsWith('http') ? name : undefined,
        notes: name === 'noted' ? ['cut'] : [],
      };
    },
  };
}

async function fetch(
  profiles: Readonly<Record<string, Profile>>,
  argv: readonly string[],
  executable?: string,
): Promise<MergedProfile & { warnings: string[] }> {
  const warnings: string[] = [];
  const source = sourceOf(profiles);
  const loaded = async (): Promise<typeof compileGoRegexp> => compileGoRegexp;
  const merged = await fetchProfiles(parsePprofFlags(argv), executable, source, loaded, text => warnings.push(text));
  return { ...merged, warnings };
}

const sum = ({ samples }: Profile): number => Array.from(samples.values[0], Number).reduce((a, b) => a + b, 0);

it('merges all sources', async () => {
  const { profile, remote, warnings } = await fetch({ a: profileOf(1), b: profileOf(2) }, ['a', 'b']);
  assert.deepEqual([sum(profile), profile.samples.length, remote, warnings], [3, 1, false, []]);
});

it('merges more than fit in one round', async () => {
  const names = Array.from({ length: 300 }, (_, i) => `p${i}`);
  const { profile } = await fetch(Object.fromEntries(names.map(name => [name, profileOf(1)])), names);
  assert.deepEqual([sum(profile), profile.samples.length], [300, 1]);
});

it('names missing sources and continues with the rest', async () => {
  const { warnings } = await fetch({ a: profileOf(1) }, ['a', 'gone']);
  assert.deepEqual(warnings, ['gone: not there', 'Fetched 1 source profiles out of 2']);
  await assert.rejects(fetch({}, ['gone']), { message: 'failed to fetch any source profiles' });
  await assert.rejects(fetch({ a: profileOf(1) }, ['-base=gone', 'a']), {
    message: 'failed to fetch any base profiles',
  });
});

it('passes notes on and says whether a profile came over the network', async () => {
  const { warnings, remote } = await fetch({ noted: profileOf(1), 'http://x': profileOf(1) }, ['noted', 'http://x']);
  assert.deepEqual(warnings, ['noted: cut']);
  assert.equal(remote, true);
});

it('-base subtracts, -diff_base keeps the base apart', async () => {
  const profiles = { old: profileOf(3), now: profileOf(10) };
  const base = await fetch(profiles, ['-base=old', 'now']);
  assert.deepEqual([sum(base.profile), base.profile.samples.length], [7, 1]);
  const diff = await fetch(profiles, ['-diff_base=old', 'now']);
  assert.deepEqual([sum(diff.profile), diff.profile.samples.length], [7, 2]);
  assert.deepEqual(stringLabels(diff.profile, 1).get('pprof::base'), ['true']);
  const normalized = await fetch(profiles, ['-base=old', '-normalize', 'now']);
  assert.equal(sum(normalized.profile), 0);
});

it('refuses profiles that cannot be merged', async () => {
  const other = { ...profileOf(1), sampleTypes: [{ type: 'cpu', unit: 'ns' }] };
  await assert.rejects(fetch({ a: profileOf(1), b: other }, ['a', 'b']), {
    message: 'problem fetching source profiles: profiles have empty common sample type list',
  });
});

it('drops the frames that the profile marks as uninteresting, unless all are requested', async () => {
  const b = new ProfileBuilder([{ type: 'x', unit: 'count' }]);
  const at = (name: string): number => b.addLocation({ lines: [{ fn: b.internFunction(name, '') }] });
  b.addSample([at('malloc'), at('main')], [1]);
  const profile = b.finish({ dropFrames: 'malloc' });
  assert.equal((await fetch({ p: profile }, ['p'])).profile.samples.stackLocations.length, 1);
  assert.equal((await fetch({ p: profile }, ['-all_frames', 'p'])).profile.samples.stackLocations.length, 2);
});

it('names the binary, simplifies names, adds the comment', async () => {
  const p = { p: profileOf(1, 'ns::f(int)') };
  const { profile } = await fetch(p, ['-buildid=id', '-add_comment=c', 'p'], '/bin/kubelet');
  assert.deepEqual(
    [profile.mappings[0].file, profile.mappings[0].buildId, profile.comments],
    ['/bin/kubelet', 'id', ['c']],
  );
  assert.ok(profile.strings.includes('ns::f'));
  assert.equal((await fetch(p, ['-symbolize=none', 'p'])).profile.strings.includes('ns::f'), false);
  assert.equal((await fetch({ p: profileOf(1, 'f', 'http://x/y') }, ['p'])).profile.mappings[0].file, '');
});

it('savedProfilePrefix and symbolizationOff', () => {
  assert.equal(savedProfilePrefix(profileOf(1, 'f', '/usr/bin/kubelet')), 'pprof.kubelet.inuse_space.');
  assert.equal(savedProfilePrefix(profileOf(1)), 'pprof.inuse_space.');
  for (const [mode, off] of [
    ['none', true],
    ['No', true],
    ['', false],
    ['local:none', true],
    ['remote', false],
  ] as const) {
    assert.equal(symbolizationOff(mode), off, mode);
  }
});
