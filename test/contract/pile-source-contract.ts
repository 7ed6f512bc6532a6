/** The contract of every PileSource, for files packed in any way. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { decodeText, encodeText } from '../../src/base/text.ts';
import type { PileItem, PileSource } from '../../src/evidence/pile.ts';

export interface PileImplementation {
  readonly name: string;
  /** `name/of/file` -> content; names are in order. */
  make(t: TestContext, files: Readonly<Record<string, Uint8Array>>): Promise<PileUnderTest>;
}

export interface PileUnderTest {
  readonly source: PileSource;
  /** Reads all of the files. */
  readonly path: string;
}

const FILES = {
  'a.prom': encodeText('a 1\n'),
  'b.txt': encodeText(''),
  'profiles/heap.gz': gzipSync('heap'),
  'profiles/twice.gz': gzipSync(gzipSync('twice')),
};

export function pileSourceContract({ name, make }: PileImplementation): void {
  describe(`PileSource: ${name}`, () => {
    it('returns the files in order, decompressed, under the path that the user gave', async t => {
      const { source, path } = await make(t, FILES);
      assert.deepEqual(show(await gathered(source.read([path]))), [
        `${path}/a.prom: a 1\n`,
        `${path}/b.txt: `,
        `${path}/profiles/heap.gz: heap`,
        `${path}/profiles/twice.gz: twice`,
      ]);
    });

    it('reads in the order of the paths, and again on each call', async t => {
      const { source, path } = await make(t, { 'a.txt': encodeText('a') });
      const read = async (): Promise<string[]> => show(await gathered(source.read([path, path])));
      assert.deepEqual(await read(), [`${path}/a.txt: a`, `${path}/a.txt: a`]);
      assert.deepEqual(await read(), [`${path}/a.txt: a`, `${path}/a.txt: a`]);
    });

    it('reports what it cannot read, and goes on', async t => {
      const cut = gzipSync(Buffer.alloc(100_000, 'line of text\n')).subarray(0, 150);
      const broken = Uint8Array.of(0x1f, 0x8b, 8, 0, 1, 2, 3);
      const { source, path } = await make(t, { 'broken.gz': broken, 'cut.gz': cut, 'good.txt': encodeText('good') });
      const [bad, half, good, none] = await gathered(source.read([path, `${path}/none`]));
      assert.ok(bad?.kind === 'problem' && bad.message !== '');
      assert.ok(half?.kind === 'member' && half.bytes.length > 0 && /gzip stream ends/.test(half.damage ?? ''));
      assert.equal(good?.kind === 'member' && decodeText(good.bytes), 'good');
      assert.equal(none?.kind, 'problem');
    });

    it('can be stopped early', async t => {
      const { source, path } = await make(t, FILES);
      for await (const item of source.read([path])) {
        assert.equal(item.path, `${path}/a.prom`);
        break;
      }
      assert.equal((await gathered(source.read([path]))).length, 4);
    });
  });
}

function show(items: readonly PileItem[]): string[] {
  return items.map(item => `${item.path}: ${item.kind === 'member' ? decodeText(item.bytes) : item.message}`);
}

async function gathered(items: AsyncIterable<PileItem>): Promise<PileItem[]> {
  const list: PileItem[] = [];
  for await (const item of items) list.push(item);
  return list;
}
