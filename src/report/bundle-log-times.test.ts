import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { digestsFor } from '../evidence/io/digests.ts';
import { tarGzArchive } from '../evidence/io/tar-gz.ts';
import { decodeText, encodeText } from '../base/text.ts';
import type { PileItem } from '../evidence/pile.ts';
import { buildBundle, type BundleResult } from './build-bundle.ts';
import { verifyBundle } from './verify-bundle.ts';
import type { BundlePorts } from '../evidence/bundle.ts';

const MAKER = { oakumVersion: '0.0.0', catalogue: [] };
const ROOT = '/evidence/worker-17';

function ports(): BundlePorts {
  return { archive: tarGzArchive(), digests: digestsFor(encodeText('a key of sixteen bytes')) };
}

async function bundleOf(log: string): Promise<Extract<BundleResult, { kind: 'made' }>> {
  async function* items(): AsyncGenerator<PileItem> {
    const mtimeSeconds = Date.UTC(2026, 10, 16, 8) / 1000;
    yield { kind: 'member', path: `${ROOT}/kubelet.log`, bytes: encodeText(log), mtimeSeconds, damage: undefined };
  }
  const result = await buildBundle(
    {
      items,
      roots: [ROOT],
      output: `${ROOT}/out.tar.gz`,
      redact: true,
      includeUnknown: false,
      privateModules: [],
      catalogue: [],
      oakumVersion: '0.0.0',
    },
    ports(),
  );
  assert.equal(result.kind, 'made', JSON.stringify(result));
  return result as Extract<BundleResult, { kind: 'made' }>;
}

/** The one member besides the manifest. */
async function textIn(bytes: Uint8Array): Promise<{ path: string; text: string }> {
  for await (const member of ports().archive.unpack(bytes)) {
    if (member.path !== 'MANIFEST.json') return { path: member.path, text: decodeText(member.bytes) };
  }
  return assert.fail('nothing in the bundle');
}

const dump = (first: number, waiting: number): string =>
  Array.from({ length: waiting }, (_, i) => {
    const head = i === 0 ? `goroutine ${first} [running]` : `goroutine ${i} [select]`;
    return `${head}:\nmain.leak(0x1)\n\t/m.go:7 +0x1\n`;
  }).join('\n');
const log = (prefix: (minute: string) => string): string =>
  [dump(901, 40), dump(902, 400), dump(903, 4000)]
    .map((text, i) => text.replace(/^/gm, prefix(String(10 * i).padStart(2, '0'))))
    .join('\n');

describe('a log with several dumps', () => {
  /** What logged it, its prefix, and what is left of that after the time. */
  const prefixes: readonly (readonly [name: string, prefix: (minute: string) => string, left: string])[] = [
    ['of a container runtime', minute => `2026-11-16T06:${minute}:00.123456789Z stderr F `, 'stderr F'],
    [
      'of journald',
      minute => `2026-11-16T06:${minute}:00+00:00 secret-host.example kubelet[123]: `,
      'redacted-[a-z0-9]{11} stderr:',
    ],
    [
      'of journald without a year',
      minute => `Nov 16 06:${minute}:00 secret-host kubelet[123]: `,
      'redacted-[a-z0-9]{11} stderr:',
    ],
  ];
  for (const [name, prefix, left] of prefixes) {
    it(`${name} keeps its times, its host under another name, and nothing else of its prefixes`, async () => {
      const { bytes, manifest } = await bundleOf(log(prefix));
      assert.equal(manifest.analysis.sameAsOriginals, true);
      const { text } = await textIn(bytes);
      assert.ok(new RegExp(`^2026-11-16T06:10:00\\.\\d{3}Z ${left} goroutine 902 \\[running\\]:$`, 'm').test(text));
      assert.doesNotMatch(text, /secret-host|kubelet/);
      assert.deepEqual((await verifyBundle(bytes, MAKER, ports())).problems, []);
    });
  }

  it('whose prefixes are not redacted is found', async () => {
    const { bytes, manifest } = await bundleOf(log(minute => `2026-11-16T06:${minute}:00Z stderr F `));
    const { archive, digests } = ports();
    const { path, text } = await textIn(bytes);
    const content = encodeText(text.replaceAll(/^\S+ stderr F /gm, 'Nov 16 06:00:00 secret-host kubelet[1]: '));
    const file = { path, format: 'debug2', bytes: content.length, sha256: digests.sha256(content) };
    const forged = await archive.pack([
      { path: 'MANIFEST.json', bytes: encodeText(JSON.stringify({ ...manifest, files: [file] })), mtimeSeconds: 0 },
      { path, bytes: content, mtimeSeconds: 0 },
    ]);
    assert.match((await verifyBundle(forged, MAKER, ports())).problems.join('\n'), /holds a name that is not redacted/);
  });
});
