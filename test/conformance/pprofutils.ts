/** felixge/pprofutils' examples: the result of each of its conversions. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { decodeText, encodeText } from '../../src/base/text.ts';
import { readFolded } from '../../src/profile/formats/read-folded.ts';
import { writeFolded } from '../../src/profile/formats/write-folded.ts';
import { decodeProfile } from '../../src/profile/formats/pprof/decode.ts';
import { encodeProfile } from '../../src/profile/formats/pprof/encode.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { rawReport } from '../../src/profile/pprof/reports/raw.ts';
import { CONFORMANCE } from './places.ts';
import { profileFromJson, profileToJson } from './pprofutils-json.ts';
import { withLabelRoots } from './pprofutils-label-roots.ts';
import { firstDifference } from './result.ts';

const EXAMPLES = join(CONFORMANCE, 'felixge-pprofutils', 'examples');

export async function pprofutilsPairs(): Promise<{ name: string; passed: boolean; detail?: string }[]> {
  return [
    await pair('folded.in.txt -> folded.out.pprof', async () => [
      stackLines(await profile('folded.out.pprof')),
      stackLines(readFolded(await bytes('folded.in.txt'))),
    ]),
    await pair('folded.in.pprof -> folded.out.txt', async () => [
      await text('folded.out.txt'),
      decodeText(writeFolded(await profile('folded.in.pprof'))),
    ]),
    await pair('raw.in.pprof -> raw.out.txt', async () => [
      asRawOf2021(await text('raw.out.txt')),
      asRawOf2021(rawReport(await profile('raw.in.pprof'))),
    ]),
    await pair('json.in.pprof -> json.out.json', async () => [
      await text('json.out.json'),
      profileToJson(await profile('json.in.pprof')),
    ]),
    await pair('json.in.json -> json.out.pprof', async () => [
      rawReport(await profile('json.out.pprof')),
      rawReport(decodeProfile(encodeProfile(profileFromJson(await text('json.in.json'))))),
    ]),
    await pair('labelframes.in.pprof -> labelframes.out.pprof', async () => [
      rawReport(await profile('labelframes.out.pprof')),
      rawReport(withLabelRoots(await profile('labelframes.in.pprof'), 'mylabel')),
    ]),
  ];
}

async function pair(
  name: string,
  run: () => Promise<[string, string]>,
): Promise<{ name: string; passed: boolean; detail?: string }> {
  try {
    const [expected, actual] = await run();
    const detail = firstDifference(encodeText(expected), encodeText(actual));
    return detail === undefined ? { name, passed: true } : { name, passed: false, detail };
  } catch (error) {
    return { name, passed: false, detail: String(error) };
  }
}

const bytes = (name: string): Promise<Uint8Array> => readFile(join(EXAMPLES, name));
const text = async (name: string): Promise<string> => decodeText(await bytes(name));

async function profile(name: string): Promise<Profile> {
  const raw = await bytes(name);
  return decodeProfile(raw[0] === 0x1f && raw[1] === 0x8b ? gunzipSync(raw) : raw);
}

/** Types, then every sample in order. Ids differ: pprofutils makes a location per line, we make one per frame. */
function stackLines({ sampleTypes, samples, locations, functions, strings }: Profile): string {
  const lines = sampleTypes.map(({ type, unit }) => `${type}/${unit}`);
  for (let sample = 0; sample < samples.length; sample++) {
    const stack = samples.stackLocations.subarray(samples.stackStart[sample], samples.stackStart[sample + 1]);
    const names = Array.from(stack, at => strings[functions.name[locations.lines.fn[locations.lineStart[at]]]]);
    lines.push(`${samples.values.map(column => column[sample]).join(' ')}: ${names.join(' ')}`);
  }
  return lines.join('\n');
}

/**
 * The golden is from 2021, when pprof printed no columns, and from another time zone, so times are compared as
 * instants.
 */
function asRawOf2021(raw: string): string {
  return raw
    .replace(/:(\d+):\d+ s=/g, ':$1 s=')
    .replace(/^Time: (\S+) (\S+) ([+-]\d\d)(\d\d) \S+$/m, (_, day, time, hours, minutes) => {
      return `Time: ${new Date(`${day}T${time.slice(0, 12)}${hours}:${minutes}`).toISOString()}`;
    });
}
