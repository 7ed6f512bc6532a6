/** Everywhere that something can be put into a bundle: with the digests made to fit, `bundle verify` refuses each. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { concatBytes, decodeText, encodeText } from '../base/text.ts';
import type { ArchiveMember, BundlePorts } from '../evidence/bundle.ts';
import { digestsFor } from '../evidence/io/digests.ts';
import { tarGzArchive } from '../evidence/io/tar-gz.ts';
import type { PileItem } from '../evidence/pile.ts';
import { decodeProfile } from '../profile/formats/pprof/decode.ts';
import { encodeProfile } from '../profile/formats/pprof/encode.ts';
import { ProfileBuilder } from '../profile/profile-builder.ts';
import { buildBundle } from './build-bundle.ts';
import { verifyBundle } from './verify-bundle.ts';

const MAKER = { oakumVersion: '1.0.0', catalogue: [] };
const SECRET = 'secret-host.corp.example';
const PORTS: BundlePorts = { archive: tarGzArchive(), digests: digestsFor(encodeText('a key of sixteen bytes')) };
const ROOT = '/evidence/worker-17';

const DUMP =
  'goroutine 7 [select]:\nmain.f(0xc000116000)\n\t/src/ok.go:7 +0x1\ncreated by main.main\n\t/src/ok.go:2 +0x1\n';
const METRICS = '# TYPE go_goroutines gauge\ngo_goroutines{node="worker-17"} 5\n';

function profile(): Uint8Array {
  const builder = new ProfileBuilder([{ type: 'goroutine', unit: 'count' }]);
  const fn = builder.internFunction('main.main', '/home/kim/app/main.go');
  builder.addSample([builder.addLocation({ lines: [{ fn, line: 3 }] })], [7]);
  return encodeProfile(builder.finish({ timeNanos: 1794772585000000000n })).slice();
}

async function* evidence(): AsyncGenerator<PileItem> {
  const files = {
    'goroutine-1794772585.pb.gz': profile(),
    'goroutine-1794772587.txt': encodeText(DUMP),
    'metrics-1794772589.prom': encodeText(METRICS),
    'kubelet.log': encodeText('I0817 03:12:01.000000 1 kubelet.go:1] "SyncLoop ADD"\n'),
  };
  for (const [name, bytes] of Object.entries(files))
    yield { kind: 'member', path: `${ROOT}/${name}`, bytes, mtimeSeconds: undefined, damage: undefined };
}

type Json = Record<string, any>;

interface Parts {
  readonly manifest: Json;
  /** Without the manifest. */
  readonly members: readonly ArchiveMember[];
}

/** The digests and sizes of the files as they are now. */
function sealed({ manifest, members }: Parts): ArchiveMember[] {
  const files = (manifest['files'] as Json[]).map(file => {
    const bytes = members.find(({ path }) => path === file['path'])?.bytes ?? new Uint8Array();
    return { ...file, bytes: bytes.length, sha256: PORTS.digests.sha256(bytes) };
  });
  const text = `${JSON.stringify({ ...manifest, files }, undefined, 1)}\n`;
  return [{ path: 'MANIFEST.json', bytes: encodeText(text), mtimeSeconds: 0 }, ...members];
}

const pack = (parts: Parts): Promise<Uint8Array> => PORTS.archive.pack(sealed(parts));

/** A change of the member whose path has the word. */
function member(word: string, change: (bytes: Uint8Array) => Uint8Array): (parts: Parts) => Promise<Uint8Array> {
  return ({ manifest, members }) =>
    pack({
      manifest,
      members: members.map(one => (one.path.includes(word) ? { ...one, bytes: change(one.bytes) } : one)),
    });
}

const text =
  (change: (text: string) => string) =>
  (bytes: Uint8Array): Uint8Array =>
    encodeText(change(decodeText(bytes)));

const manifest =
  (change: (manifest: Json) => Json) =>
  (parts: Parts): Promise<Uint8Array> =>
    pack({ ...parts, manifest: change(structuredClone(parts.manifest)) });

/** The manifest as text, after everything else fits. */
const manifestText =
  (change: (text: string) => string) =>
  async (parts: Parts): Promise<Uint8Array> => {
    const [first, ...rest] = sealed(parts);
    return PORTS.archive.pack([{ ...first, bytes: text(change)(first.bytes) }, ...rest]);
  };

const outer =
  (change: (bytes: Uint8Array) => Uint8Array) =>
  async (parts: Parts): Promise<Uint8Array> =>
    change(await pack(parts));

type Entry = Parameters<typeof packTar>[0][number];

const tar =
  (change: (entry: Entry, index: number) => Entry) =>
  async (parts: Parts): Promise<Uint8Array> => {
    const entries = sealed(parts).map(({ path, bytes, mtimeSeconds }, index) => {
      const times = { mode: 0o644, mtime: new Date(mtimeSeconds * 1000), uid: 0, gid: 0, uname: '', gname: '' };
      return change({ header: { name: path, size: bytes.length, type: 'file', ...times }, body: bytes }, index);
    });
    return PORTS.archive.gzip(await packTar(entries));
  };

const header = (entry: Entry, more: object): Entry => ({ ...entry, header: { ...entry.header, ...more } });

/** The header of gzip with a flag and the field that it announces. */
function gzipWith(bytes: Uint8Array, flag: number, field: Uint8Array): Uint8Array {
  const out = concatBytes([bytes.subarray(0, 10), field, bytes.subarray(10)]);
  out[3] = flag;
  return out;
}

const NAME = encodeText(`${SECRET}\0`);
const EXTRA = concatBytes([Uint8Array.of(NAME.length, 0), NAME]);
const after = (bytes: Uint8Array, more: Uint8Array): Uint8Array => concatBytes([bytes, more]);

function recoded(bytes: Uint8Array, more: object): Uint8Array {
  const plain = decodeProfile(gunzipSync(bytes));
  return PORTS.archive.gzip(encodeProfile({ ...plain, ...more }).slice());
}

const VARIANTS: readonly (readonly [string, (parts: Parts) => Promise<Uint8Array>])[] = [
  [
    'metrics: a comment',
    member(
      '.prom',
      text(all => `# ${SECRET}\n${all}`),
    ),
  ],
  [
    'metrics: a HELP line',
    member(
      '.prom',
      text(all => `# HELP go_goroutines ${SECRET}\n${all}`),
    ),
  ],
  [
    'metrics: an exemplar',
    member(
      '.prom',
      text(all => all.replace(' 5\n', ` 5 # {trace="${SECRET}"} 1\n`)),
    ),
  ],
  [
    'metrics: a label',
    member(
      '.prom',
      text(all => all.replace(/node="[^"]*"/, `node="${SECRET}"`)),
    ),
  ],
  [
    'metrics: a label of its own',
    member(
      '.prom',
      text(all => all.replace('{', '{zone_of_kim="x",')),
    ),
  ],
  [
    'metrics: spaces at the end',
    member(
      '.prom',
      text(all => `${all} \t \t\n`),
    ),
  ],
  [
    'dump: arguments',
    member(
      '.txt',
      text(all => all.replace('main.f()', 'main.f(0x73656372)')),
    ),
  ],
  [
    'dump: a label',
    member(
      '.txt',
      text(all => all.replace('[select]:', `[select] {node: "${SECRET}"}:`)),
    ),
  ],
  [
    'dump: a line of a log',
    member(
      '.txt',
      text(all => `panic: ${SECRET}\n\n${all}`),
    ),
  ],
  [
    'dump: a path',
    member(
      '.txt',
      text(all => all.replace(/\t\S+ok\.go/, `\t/home/kim/${SECRET}/ok.go`)),
    ),
  ],
  [
    'dump: an offset',
    member(
      '.txt',
      text(all => all.replace('+0x1', '+0x736563726574')),
    ),
  ],
  ['profile: a comment', member('.pb.gz', bytes => recoded(bytes, { comments: [SECRET] }))],
  ['profile: a link', member('.pb.gz', bytes => recoded(bytes, { docUrl: `https://${SECRET}/` }))],
  ['profile: dropped frames', member('.pb.gz', bytes => recoded(bytes, { dropFrames: SECRET }))],
  ['profile: the name in gzip', member('.pb.gz', bytes => gzipWith(bytes, 8, NAME))],
  ['profile: the comment in gzip', member('.pb.gz', bytes => gzipWith(bytes, 16, NAME))],
  ['profile: after gzip', member('.pb.gz', bytes => after(bytes, NAME))],
  [
    'profile: an unknown field',
    member('.pb.gz', bytes => PORTS.archive.gzip(after(gunzipSync(bytes), Uint8Array.of(0xa0, 6, 7)))),
  ],
  ['archive: the name in gzip', outer(bytes => gzipWith(bytes, 8, NAME))],
  ['archive: the comment in gzip', outer(bytes => gzipWith(bytes, 16, NAME))],
  ['archive: an extra field in gzip', outer(bytes => gzipWith(bytes, 4, EXTRA))],
  ['archive: a time in gzip', outer(bytes => bytes.map((byte, i) => (i === 4 ? 77 : byte)))],
  ['archive: a second stream of gzip', outer(bytes => after(bytes, gzipSync(NAME)))],
  ['archive: after gzip', outer(bytes => after(bytes, NAME))],
  ['tar: an owner', tar(entry => header(entry, { uname: 'kim', gname: 'ops' }))],
  ['tar: numbers of an owner', tar(entry => header(entry, { uid: 1234, gid: 1234 }))],
  ['tar: a pax record', tar((entry, i) => (i === 0 ? header(entry, { pax: { comment: SECRET } }) : entry))],
  ['tar: a mode', tar((entry, i) => (i === 1 ? header(entry, { mode: 0o751 }) : entry))],
  ['tar: another order', parts => PORTS.archive.pack(sealed(parts).toReversed())],
  ['tar: a file more', parts => PORTS.archive.pack([...sealed(parts), { path: 'x', bytes: NAME, mtimeSeconds: 0 }])],
  ['manifest: the sentence', manifest(all => ({ ...all, analysis: { ...all['analysis'], sentence: SECRET } }))],
  ['manifest: the verdict', manifest(all => ({ ...all, analysis: { ...all['analysis'], verdict: 'leak' } }))],
  [
    'manifest: a finding',
    manifest(all => ({ ...all, analysis: { ...all['analysis'], findings: [{ target: SECRET }] } })),
  ],
  [
    'manifest: the path of what is left out',
    manifest(all => ({ ...all, leftOut: [{ ...all['leftOut'][0], path: SECRET }] })),
  ],
  ['manifest: why it is left out', manifest(all => ({ ...all, leftOut: [{ ...all['leftOut'][0], reason: SECRET }] }))],
  [
    'manifest: a key of what is left out',
    manifest(all => ({ ...all, leftOut: [{ ...all['leftOut'][0], by: SECRET }] })),
  ],
  ['manifest: the version', manifest(all => ({ ...all, oakumVersion: SECRET }))],
  ['manifest: the catalogue', manifest(all => ({ ...all, catalogue: { ...all['catalogue'], entries: 7 } }))],
  [
    'manifest: a format',
    manifest(all => ({ ...all, files: all['files'].map((file: Json) => ({ ...file, format: SECRET })) })),
  ],
  [
    'manifest: a kind of redaction',
    manifest(all => ({ ...all, redaction: { ...all['redaction'], originals: { [SECRET]: 1 } } })),
  ],
  [
    'manifest: a word for a number',
    manifest(all => ({ ...all, redaction: { ...all['redaction'], searched: SECRET } })),
  ],
  ['manifest: a key', manifest(all => ({ ...all, note: SECRET }))],
  ['manifest: __proto__', manifestText(all => all.replace('{', `{"__proto__": {"note": "${SECRET}"},`))],
  ['manifest: a key twice', manifestText(all => all.replace('{', `{"schema": "${SECRET}",`))],
  ['manifest: spaces', manifestText(all => `${all} \t\n`)],
];

describe('a bundle that was tampered with', () => {
  let parts: Parts;
  before(async () => {
    const options = { redact: true, includeUnknown: false, privateModules: [], ...MAKER };
    const made = await buildBundle({ items: evidence, roots: [ROOT], output: `${ROOT}/out.tar.gz`, ...options }, PORTS);
    assert.ok(made.kind === 'made');
    const members: ArchiveMember[] = [];
    for await (const one of PORTS.archive.unpack(made.bytes)) members.push(one);
    parts = { manifest: JSON.parse(decodeText(members[0].bytes)) as Json, members: members.slice(1) };
    // As it is, and put together again by this test.
    for (const bytes of [made.bytes, await pack(parts), await tar(entry => entry)(parts)])
      assert.deepEqual((await verifyBundle(bytes, MAKER, PORTS)).problems, []);
  });

  for (const [name, tamper] of VARIANTS)
    it(`is refused: ${name}`, async () => {
      const { problems } = await verifyBundle(await tamper(parts), MAKER, PORTS);
      assert.notDeepEqual(problems, []);
      assert.ok(problems.every(line => !line.includes('\n')));
    });
});

/** Two writers on one stream: pieces of a log between those of a dump. */
function interleaved(seed: number): string {
  let state = seed;
  const random = (below: number): number => (state = (state * 1103515245 + 12345) & 0x7fffffff) % below;
  const goroutine = (id: number, name: string): string =>
    `goroutine ${id} [chan receive, 5 minutes]:\nmain.${name}(0xc000116000)\n\t/src/web-1/ok.go:7 +0x1\n` +
    `k8s.io/kubernetes/pkg/kubelet.(*podWorkers).${name}(0xc)\n\t/go/src/k8s.io/kubernetes/pkg/kubelet/pod_workers.go:900 +0x1\n` +
    `created by main.main in goroutine 1\n\t/src/ok.go:2 +0x1\n\n`;
  const dump = goroutine(7, 'worker') + goroutine(8, 'forward') + goroutine(9, 'worker');
  const line = 'I1116 06:00:00.100000       1 kubelet.go:2430] "SyncLoop UPDATE" source="api" pods=["shop/web-1"]\n';
  const log = line + line;
  let [text, x, y] = ['', 0, 0];
  while (x < dump.length || y < log.length) {
    const count = 1 + random(random(2) === 0 ? 200 : 12);
    if (random(3) > 0) text += dump.slice(x, (x += count));
    else text += log.slice(y, (y += count));
  }
  return text;
}

describe('a bundle of a pile in which one dump is torn', () => {
  it('is made and sound; what cannot leave is left out and listed', async () => {
    const reasons: string[] = [];
    for (let seed = 1; seed <= 40; seed++) {
      async function* items(): AsyncGenerator<PileItem> {
        yield* evidence();
        const bytes = encodeText(interleaved(seed));
        yield { kind: 'member', path: `${ROOT}/torn.txt`, bytes, mtimeSeconds: undefined, damage: undefined };
      }
      const options = { redact: true, includeUnknown: false, privateModules: [], ...MAKER };
      const made = await buildBundle({ items, roots: [ROOT], output: `${ROOT}/out.tar.gz`, ...options }, PORTS);
      assert.ok(made.kind === 'made', JSON.stringify(made));
      reasons.push(...made.leftOut.filter(({ path }) => path.endsWith('torn.txt')).map(({ reason }) => reason));
      assert.equal(made.manifest.files.length + made.leftOut.length, 5);
      assert.deepEqual((await verifyBundle(made.bytes, MAKER, PORTS)).problems, [], String(seed));
    }
    assert.ok(reasons.includes('a name would be left in it'), reasons.join(', '));
  });
});
