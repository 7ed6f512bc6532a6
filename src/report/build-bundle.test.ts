import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { digestsFor } from '../evidence/io/digests.ts';
import { tarGzArchive } from '../evidence/io/tar-gz.ts';
import { decodeText, encodeText } from '../base/text.ts';
import { BUNDLED_LEAKS } from '../knowledge/bundled.ts';
import { decodeProfile } from '../profile/formats/pprof/decode.ts';
import { encodeProfile } from '../profile/formats/pprof/encode.ts';
import { ProfileBuilder } from '../profile/profile-builder.ts';
import type { CaptureManifest } from '../evidence/capture.ts';
import type { PileItem } from '../evidence/pile.ts';
import { buildBundle, type BundleRequest, type BundleResult } from './build-bundle.ts';
import { verifyBundle } from './verify-bundle.ts';
import type { BundlePorts } from '../evidence/bundle.ts';

const MAKER = { oakumVersion: '0.0.0', catalogue: BUNDLED_LEAKS };
const CAPTURES = fileURLToPath(new URL('../../test/fixtures/captures/', import.meta.url));
const BUILD_ID = '0123456789abcdef0123456789abcdef01234567';
const ROOT = '/evidence/worker-17';

function ports(key = 'a key of sixteen bytes'): BundlePorts {
  return { archive: tarGzArchive(), digests: digestsFor(encodeText(key)) };
}

type Files = Readonly<Record<string, Uint8Array | string>>;

async function* items(files: Files): AsyncGenerator<PileItem> {
  for (const [name, content] of Object.entries(files)) {
    const bytes = typeof content === 'string' ? encodeText(content) : content;
    yield { kind: 'member', path: `${ROOT}/${name}`, bytes, mtimeSeconds: undefined, damage: undefined };
  }
}

async function build(files: Files, options: Partial<BundleRequest> = {}, with_ = ports()): Promise<BundleResult> {
  const request: BundleRequest = {
    items: () => items(files),
    roots: [ROOT],
    output: `${ROOT}/out.tar.gz`,
    redact: true,
    includeUnknown: false,
    privateModules: [],
    catalogue: BUNDLED_LEAKS,
    oakumVersion: '0.0.0',
    ...options,
  };
  return buildBundle(request, with_);
}

async function made(
  files: Files,
  options: Partial<BundleRequest> = {},
): Promise<Extract<BundleResult, { kind: 'made' }>> {
  const result = await build(files, options);
  assert.equal(result.kind, 'made', JSON.stringify(result));
  return result as Extract<BundleResult, { kind: 'made' }>;
}

/** Everything in an archive: the archive, its tar, and each member as stored and decompressed. */
async function layers(bytes: Uint8Array): Promise<Buffer[]> {
  const { archive } = ports();
  const all = [Buffer.from(bytes), Buffer.from(archive.gunzip(bytes))];
  for await (const member of archive.unpack(bytes)) {
    all.push(Buffer.from(member.path), Buffer.from(member.bytes), Buffer.from(archive.gunzip(member.bytes)));
  }
  return all;
}

function profileWith(marker: string): Uint8Array {
  const builder = new ProfileBuilder([{ type: 'goroutine', unit: 'count' }]);
  builder.addMapping({ file: `/opt/${marker}/bin/${marker}`, buildId: BUILD_ID });
  const fn = builder.internFunction('main.main', `/home/${marker}/app/main.go`);
  const location = builder.addLocation({ mapping: 0, lines: [{ fn, line: 3 }] });
  builder.addSample([location], [7], [{ key: 'tenant', str: marker }]);
  return encodeProfile(
    builder.finish({ timeNanos: 1794772585000000000n, comments: [marker], docUrl: `https://${marker}/` }),
  ).slice();
}

function manifestWith(marker: string): CaptureManifest {
  return {
    schema: 'oakum.capture/v1',
    target: `node/${marker}`,
    oakumVersion: '0.1.0',
    startedAtSeconds: 1794772585,
    endedAtSeconds: 1794772590,
    version: 'v1.36.0',
    goVersion: 'go1.26.7',
    buildId: BUILD_ID,
    processStartSeconds: [1794770000],
    entries: [
      {
        kind: 'goroutine',
        set: 1,
        file: 'goroutine-1794772585.pb.gz',
        request: `/api/v1/nodes/${encodeURIComponent(marker)}/proxy/debug/pprof/goroutine`,
        takenAtSeconds: 1794772585,
        tookSeconds: 0.1,
        skewSeconds: 0,
        status: 200,
        bytes: 100,
        sha256: 'aa',
        truncated: undefined,
        error: `node ${marker} said no`,
      },
    ],
    notes: [`about ${marker}`],
  };
}

/** A capture with a marker everywhere a name can be. */
function seeded(marker: string): Files {
  const label = JSON.stringify(marker).replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) => `?${hex}`);
  const metricLabel = marker.replace(/[\\"\n]/g, char => (char === '\n' ? '\\n' : `\\${char}`));
  const plain = marker.replace(/[^\w-]/g, '_');
  return {
    'MANIFEST.json': JSON.stringify(manifestWith(marker)),
    'goroutine-1794772585.pb.gz': profileWith(marker),
    'goroutine-d1-1794772586.txt': `goroutine profile: total 2\n2 @ 0x1 0x2\n# labels: {"tenant":${label}}\n#\t0x1\tmain.f+0x1\t/home/${plain}/main.go:7\n`,
    'goroutine-d2-1794772587.txt': `panic: ${plain}\n\ngoroutine 7 [select, 2 minutes] {tenant: ${label}}:\nmain.f(0xc000116000, {"${plain}", 0x2})\n\t/home/${plain}/main.go:7 +0x1\ncreated by main.main\n\t/home/${plain}/main.go:2 +0x1\n`,
    'heap-1794772588.txt': `heap profile: 1: 8 [1: 8] @ heap/1048576\n1: 8 [1: 8] @ 0x1\n#\t0x1\tmain.f+0x1\t/home/${plain}/main.go:3\n\n# runtime.MemStats\n# ${plain}\n`,
    'metrics-1794772589.prom': `# HELP go_goroutines of ${plain}\n# TYPE go_goroutines gauge\ngo_goroutines 5\nkube_pod_info{node="${metricLabel}",code="${metricLabel}"} 1 # {trace="${plain}"} 1\nkube_pod_labels{label_${plain.replace(/-/g, '_')}="x"} 1\n`,
    'events.json': JSON.stringify({
      kind: 'EventList',
      apiVersion: 'v1',
      items: [
        {
          kind: 'Event',
          metadata: {
            name: marker,
            namespace: marker,
            annotations: { [marker]: marker },
            labels: { [marker]: marker },
          },
          message: `pod ${marker} failed`,
          reason: 'Failed',
          type: 'Warning',
          source: { component: 'kubelet', host: marker },
        },
      ],
    }),
    [`${plain}/log.txt`]: `I0817 03:12:01.000000 1 kubelet.go:1] "SyncLoop ADD" pod="${plain}"\n`,
    [`${plain}-heap-1794772590.pb.gz`]: profileWith(marker),
  };
}

const ENCODINGS: readonly ((text: string) => string)[] = [
  text => text,
  text => encodeURIComponent(text),
  text => JSON.stringify(text).slice(1, -1),
  text =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[^\x00-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ...[0, 1, 2].map(shift => (text: string) => {
    const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)]);
    return bytes.toString('base64').slice(Math.ceil((shift * 8) / 6), Math.floor((bytes.length * 8) / 6));
  }),
];

describe('a bundle', () => {
  it('contains no name in any encoding, whatever the names are', async () => {
    const marker = fc
      .tuple(fc.stringMatching(/^[a-z]{4}$/), fc.string({ unit: 'grapheme', maxLength: 8 }))
      .map(([head, tail]) => `zq${head}-${tail}-qz`)
      .filter(text => !/\p{Cs}|[\u0000-\u001f\u007f]/u.test(text));
    await fc.assert(
      fc.asyncProperty(marker, async text => {
        const { bytes, manifest } = await made(seeded(text));
        assert.equal(manifest.files.length, 8);
        const forms = new Set(
          [text, text.replace(/[^\w-]/g, '_')].flatMap(form => ENCODINGS.map(encode => encode(form))),
        );
        for (const layer of await layers(bytes)) {
          for (const form of forms) assert.equal(layer.includes(form), false, `${form} is there`);
        }
        assert.deepEqual((await verifyBundle(bytes, MAKER, ports('another key, of no concern'))).problems, []);
      }),
      { numRuns: 25 },
    );
  });

  it('keeps what findings need', async () => {
    const { bytes, manifest } = await made(seeded('secret-marker'));
    const members = new Map<string, Uint8Array>();
    for await (const member of ports().archive.unpack(bytes)) members.set(member.path, member.bytes);
    const [target] = manifest.files[0].path.split('/');
    assert.match(target, /^redacted-[a-z]{11}$/);
    const profile = decodeProfile(gunzipSync(members.get(`${target}/goroutine-1794772585.pb.gz`)!));
    assert.equal(Number(profile.samples.values[0][0]), 7);
    assert.equal(profile.mappings[0].buildId, BUILD_ID);
    assert.ok(profile.strings.includes('main.main') && profile.strings.includes('tenant'));
    const capture = JSON.parse(decodeText(members.get(`${target}/MANIFEST.json`)!)) as CaptureManifest;
    assert.equal(capture.version, 'v1.36.0');
    assert.equal(capture.entries[0].file, 'goroutine-1794772585.pb.gz');
    assert.match(capture.entries[0].request, /^\/api\/v1\/nodes\/redacted-\w+\/proxy\/debug\/pprof\/goroutine$/);
    // A name has the same token everywhere.
    const token = capture.target.slice('node/'.length);
    for (const name of ['metrics-1794772589.prom', 'events.json', 'goroutine-d1-1794772586.txt']) {
      assert.ok(decodeText(members.get(`${target}/${name}`)!).includes(token), name);
    }
    assert.deepEqual(
      manifest.leftOut.map(({ reason }) => reason),
      ['a log: free text cannot be redacted'],
    );
  });

  it('has the same bytes for the same key, and no token in common with another key', async () => {
    const files = seeded('secret-marker');
    const one = await made(files);
    const again = await made(files);
    assert.deepEqual(again.bytes, one.bytes);
    const other = await build(files, {}, ports('some other key, long enough'));
    assert.ok(
      other.kind === 'made' &&
        other.manifest.files.every(({ path }) => !one.manifest.files.some(file => file.path === path)),
    );
  });

  it('has the same findings as the originals', async () => {
    for (const name of ['go1.23', 'go1.27']) {
      const folder = join(CAPTURES, 'leakdemo', name);
      const files = Object.fromEntries(
        readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter(entry => entry.isFile())
          .map(entry => {
            const path = join(entry.parentPath, entry.name);
            const bytes = readFileSync(path);
            return [path.slice(folder.length + 1), bytes[0] === 0x1f ? gunzipSync(bytes) : bytes];
          }),
      );
      const { manifest } = await made(files);
      assert.ok(manifest.files.length > 3, name);
      assert.equal(manifest.analysis.sameAsOriginals, true, name);
    }
  });

  it('hides private modules when asked', async () => {
    const builder = new ProfileBuilder([{ type: 'goroutine', unit: 'count' }]);
    const fn = builder.internFunction(
      'corp.example/pay/ledger.(*Book).Close',
      '/go/src/corp.example/pay/ledger/book.go',
    );
    builder.addSample([builder.addLocation({ lines: [{ fn, line: 1 }] })], [60]);
    const bytes = encodeProfile(builder.finish()).slice();
    const { bytes: archive } = await made({ 'goroutine.pb.gz': bytes }, { privateModules: ['corp.example/*'] });
    for (const layer of await layers(archive)) assert.equal(layer.includes('corp.example'), false);
    const { bytes: open } = await made({ 'goroutine.pb.gz': bytes });
    assert.ok((await layers(open)).some(layer => layer.includes('corp.example/pay/ledger.(*Book).Close')));
  });

  it('is refused if a name is left, and says where but not which', async () => {
    const dump = 'goroutine 7 [select]:\nmain.f()\n\t/src/ok.go:7 +0x1\ncreated by main.main\n\t/src/ok.go:2 +0x1\n';
    const hash = digestsFor(encodeText('key')).keyedHash;
    const leaky: BundlePorts = {
      archive: tarGzArchive(),
      // Broken: it reveals the name.
      digests: { sha256: () => 'worker-seventeen', keyedHash: hash },
    };
    const result = await build(
      { 'goroutine-1.txt': dump, 'm.prom': 'go_goroutines{node="worker-seventeen"} 1\n' },
      {},
      leaky,
    );
    assert.ok(result.kind === 'refused');
    assert.equal(result.problem, 'MANIFEST.json still holds a name after redaction; nothing was written');
  });

  it('keeps everything as it is only with --no-redact', async () => {
    const files = { ...seeded('secret-marker'), 'notes.bin': Uint8Array.of(0, 1, 2) };
    const plain = await made(files, { redact: false });
    assert.equal(plain.manifest.redaction, null);
    assert.deepEqual(
      plain.manifest.leftOut.map(({ path }) => path),
      ['worker-17/notes.bin'],
    );
    assert.ok((await layers(plain.bytes)).some(layer => layer.includes('secret-marker')));
    const all = await made(files, { redact: false, includeUnknown: true });
    assert.deepEqual(all.manifest.leftOut, []);
    assert.deepEqual((await verifyBundle(all.bytes, MAKER, ports())).problems, []);
  });

  it('does not contain an earlier bundle', async () => {
    const files = { 'm.prom': 'go_goroutines 1\n', 'out.tar.gz/m.prom': 'go_goroutines 2\n' };
    assert.equal((await made(files)).manifest.files.length, 1);
  });

  it('is not made without evidence', async () => {
    const result = await build({ 'notes.bin': Uint8Array.of(0, 1, 2) });
    assert.ok(result.kind === 'empty' && result.leftOut.length === 1);
  });
});

describe('verifying a bundle', () => {
  const { archive } = ports();
  const unpack = async (bytes: Uint8Array): Promise<{ path: string; bytes: Uint8Array; mtimeSeconds: number }[]> => {
    const members = [];
    for await (const member of archive.unpack(bytes)) members.push(member);
    return members;
  };
  const problemsOf = async (bytes: Uint8Array): Promise<readonly string[]> =>
    (await verifyBundle(bytes, MAKER, ports())).problems;

  it('finds every change', async () => {
    const { bytes } = await made(seeded('secret-marker'));
    const members = await unpack(bytes);
    const [manifest, first, ...rest] = members;
    const changed = { ...first, bytes: first.bytes.map((byte, i) => (i === 20 ? byte ^ 1 : byte)) };
    const cases: readonly (readonly [Uint8Array, RegExp])[] = [
      [await archive.pack([manifest, changed, ...rest]), /was changed: its SHA-256 differs/],
      [await archive.pack([manifest, ...rest]), /is missing/],
      [
        await archive.pack([...members, { path: 'extra', bytes: encodeText('x'), mtimeSeconds: 0 }]),
        /extra is not in the manifest/,
      ],
      [
        await archive.pack([...members, { path: '../evil', bytes: encodeText('x'), mtimeSeconds: 0 }]),
        /not a path inside/,
      ],
      [await archive.pack([first, ...rest]), /no MANIFEST.json/],
      [bytes.subarray(0, bytes.length / 2), /gzip stream ends early/],
      [encodeText('nonsense'), /not a tar archive|no MANIFEST/],
    ];
    for (const [broken, message] of cases) assert.match((await problemsOf(broken)).join('\n'), message);
  });

  it('finds an added name even if the hashes are right', async () => {
    const { bytes } = await made(seeded('secret-marker'));
    const cases: readonly (readonly [RegExp, string, RegExp])[] = [
      [/metrics-.*prom$/, 'go_goroutines{node="worker-17"} 5\n', /holds a label that is not redacted/],
      [
        /goroutine-d2/,
        'goroutine 7 [select]:\nmain.f(0xc000116000)\n\t/go/src/x.go:1 +0x1\n\n',
        /holds the arguments of calls/,
      ],
    ];
    for (const [path, text, message] of cases) {
      const members = await unpack(bytes);
      const manifest = JSON.parse(decodeText(members[0].bytes)) as {
        files: { path: string; bytes: number; sha256: string }[];
      };
      const index = members.findIndex(member => path.test(member.path));
      members[index] = { ...members[index], bytes: encodeText(text) };
      const file = manifest.files.find(one => one.path === members[index].path)!;
      file.bytes = members[index].bytes.length;
      file.sha256 = ports().digests.sha256(members[index].bytes);
      members[0] = { ...members[0], bytes: encodeText(JSON.stringify(manifest)) };
      assert.match((await problemsOf(await archive.pack(members))).join('\n'), message);
    }
  });
});
