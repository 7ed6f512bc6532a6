/**
 * A folder as a user may have it, from the recorded leak of a kubelet, with secrets in every kind of member and in the
 * names of files and folders.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import { decodeProfile } from '../../src/profile/formats/pprof/decode.ts';
import { encodeProfile } from '../../src/profile/formats/pprof/encode.ts';
import type { Profile } from '../../src/profile/profile.ts';
import { recordedBody, RECORDED_SET_SECONDS, type RecordedSet } from '../double/recording.ts';
import { Random } from '../fuzz/random.ts';
import {
  plantedConfigz,
  plantedEvents,
  plantedManifest,
  plantedNodes,
  plantedPods,
  plantedSummary,
  plantedVersion,
} from './plant-json.ts';
import {
  logLine,
  plantedDebug1,
  plantedDebug2,
  plantedFolded,
  plantedHeapText,
  plantedMetrics,
  plantedScrapes,
  type NextSecret,
} from './plant-text.ts';
import { asFileName, SECRET_KINDS, secretOf, WRITINGS, type Secret } from './secrets.ts';

export interface PlantedPile {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly secrets: readonly Secret[];
}

/** Twice all kinds of dumps, as first and second; `moments` may leave one out. */
export function plantedPile(seed: number, moments: readonly RecordedSet[] = ['first', 'second']): PlantedPile {
  const secrets: Secret[] = [];
  const writings = Object.values(WRITINGS);
  const random = new Random(seed, 0);
  // Kinds and writings have no common divisor, so every kind comes in every writing.
  const next: NextSecret = () => {
    const number = secrets.length + seed * 131;
    const secret = secretOf(SECRET_KINDS[number % SECRET_KINDS.length], random);
    secrets.push(secret);
    return writings[number % writings.length](secret.text);
  };
  const files = new Map<string, Uint8Array>();
  const add = (name: string, content: string | object | Uint8Array): void => {
    const text =
      typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content, null, 1);
    files.set(name, typeof text === 'string' ? Buffer.from(text) : text);
  };
  const node = asFileName(next());
  for (const moment of moments) addMoment(moment, `${node}/${moment}`, add, next);
  add(`${node}/nodes.json`, plantedNodes(next));
  add(`${node}/pods.json`, plantedPods(next));
  add(`${node}/events.json`, plantedEvents(next));
  add(`${node}/configz.json`, plantedConfigz(next));
  add(`${node}/stats-summary.json`, plantedSummary(next));
  add(`${node}/version.json`, plantedVersion(next));
  add(`${node}/version.txt`, `v1.36.0-${next().replace(/[^\w.+-]/g, '.')}\n`);
  add(`${node}/heap-1794772500.txt`, plantedHeapText(next));
  add(`${node}/folded-1794772501.txt`, plantedFolded(next));
  add(`scrapes/metrics-1794772000.prom`, plantedScrapes(next));
  add(`${node}/kubelet.log`, Array.from({ length: 8 }, (_, i) => logLine(next, i)).join('\n'));
  add(`${node}/notes.md`, next());
  add(`${node}/other.json`, { [next()]: next() });
  add(`${node}/${asFileName(next())}-heap-1794772700.pb.gz`, plantedProfile(recordedBody('first', 'heap.pb.gz'), next));
  add(`${node}/heap-${asFileName(next())}.txt`, plantedHeapText(next));
  return { files, secrets };
}

function addMoment(
  moment: RecordedSet,
  folder: string,
  add: (name: string, content: string | object | Uint8Array) => void,
  next: NextSecret,
): void {
  const at = RECORDED_SET_SECONDS[moment];
  const text = (file: string): string => Buffer.from(recordedBody(moment, file)).toString();
  const name = `goroutine-${at}.pb.gz`;
  add(`${folder}/${name}`, plantedProfile(recordedBody(moment, 'goroutine.pb.gz'), next));
  add(`${folder}/heap-${at}.pb.gz`, plantedProfile(recordedBody(moment, 'heap.pb.gz'), next));
  add(`${folder}/goroutine-d1-${at}.txt`, plantedDebug1(text('goroutine-d1.txt.gz'), next));
  add(`${folder}/goroutine-d2-${at}.txt`, plantedDebug2(text('goroutine-d2.txt.gz'), next));
  add(`${folder}/metrics-${at}.prom`, plantedMetrics(text('metrics.prom.gz'), next));
  add(`${folder}/MANIFEST.json`, plantedManifest(next, name));
}

/** Labels, files, mappings, comments and the URL of the docs name things. */
function plantedProfile(bytes: Uint8Array, next: NextSecret): Uint8Array {
  const profile = decodeProfile(gunzipSync(bytes));
  const { functions, samples } = profile;
  const strings = [...profile.strings];
  const add = (text: string): number => strings.push(text) - 1;
  const filename = functions.filename.slice();
  if (filename.length > 1) filename[0] = add(`/home/${next()}/src/${next()} x.go`);
  const name = functions.name.slice();
  // The one that is least likely to be part of a finding.
  const last = name.length - 1;
  if (last > 0) name[last] = add(`token=${next()}`);
  const labels = {
    length: samples.length,
    key: new Uint32Array(samples.length).map((_, i) => (i === 0 ? add(next()) : add('controller'))),
    str: new Uint32Array(samples.length).map((_, i) => (i < 3 ? add(next()) : add('x'))),
    num: new Float64Array(samples.length),
    unit: new Uint32Array(samples.length),
  };
  const planted: Profile = {
    ...profile,
    strings,
    functions: { ...functions, filename, name },
    samples:
      samples.labels.length > 0
        ? samples
        : {
            ...samples,
            labelStart: Uint32Array.from({ length: samples.length + 1 }, (_, i) => i),
            labels,
          },
    mappings: profile.mappings.map(mapping => ({ ...mapping, file: `/opt/${next()}/${next()}`, buildId: next() })),
    comments: [next()],
    docUrl: next(),
    dropFrames: next(),
    keepFrames: next(),
  };
  return gzipSync(encodeProfile(planted));
}
