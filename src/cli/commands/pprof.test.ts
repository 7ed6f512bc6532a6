import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { decodeProfile } from '../../profile/formats/pprof/decode.ts';
import { encodeProfile } from '../../profile/formats/pprof/encode.ts';
import { ProfileBuilder } from '../../profile/profile-builder.ts';
import { memoryIo, type MemoryIoOptions } from '../../../test/double/memory-io.ts';
import { run } from '../run.ts';

process.env['TZ'] = 'UTC';
const CAPTURES = fileURLToPath(new URL('../../../test/fixtures/captures/leakdemo/', import.meta.url));
const HEAP = `${CAPTURES}go1.27/t3/heap.debug0.pb.gz`;
const folder = mkdtempSync(join(tmpdir(), 'oakum-pprof-'));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly bytes: Uint8Array;
}

async function pprof(argv: readonly string[], options: MemoryIoOptions = {}): Promise<Result> {
  const io = memoryIo({ cwd: folder, ...options });
  const code = await run(['pprof', ...argv], io);
  return { code, out: io.out(), err: io.err(), bytes: io.outBytes() };
}

const place = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content);
  return name;
};

describe('an unreadable source', () => {
  const FAILED = 'failed to fetch any source profiles\n';

  it("fails with pprof's message and exits 2", async () => {
    mkdirSync(join(folder, 'dir'));
    const heap = readFileSync(HEAP);
    const cases: readonly (readonly [source: string, err: RegExp])[] = [
      ['nofile', /^nofile: stat nofile: no such file or directory\n/],
      ['dir', /^dir: read dir: is a directory\n/],
      [place('empty', ''), /^empty: parsing profile: empty input file\n/],
      [place('empty.gz', gzipSync('')), /^empty\.gz: parsing profile: empty input file\n/],
      [
        place('text', 'No profile\n'),
        /^text: parsing profile: unrecognized profile format \(at line 1: expected a pprof/,
      ],
      [place('cut.pb.gz', heap.subarray(0, 500)), /^cut\.pb\.gz: decompressing profile: unexpected EOF at byte \d+\n/],
      [
        place('cut.pb', gunzipSync(heap).subarray(0, 700)),
        /^cut\.pb: parsing profile: unrecognized profile format \(at byte \d+: .*\)\n/,
      ],
      [
        place('two.pb.gz', Buffer.concat([heap, heap])),
        /^two\.pb\.gz: parsing profile: concatenated profiles detected/,
      ],
      [
        place('nil.pb', Uint8Array.of(0x0a, 0, 0x12, 4, 8, 1, 0x10, 1, 0x32, 0)),
        /^nil\.pb: malformed profile: sample has nil location\n/,
      ],
    ];
    for (const [source, err] of cases) {
      const result = await pprof(['-top', source]);
      assert.equal(result.code, 2, source);
      assert.match(result.err, err);
      assert.ok(result.err.endsWith(FAILED), result.err);
      assert.equal(result.err.split('\n').length, 3, result.err);
      assert.equal(result.out, '');
    }
  });

  it('permission denied', { skip: process.getuid?.() === 0 && 'root may read everything' }, async () => {
    chmodSync(join(folder, place('secret', 'x')), 0);
    assert.match((await pprof(['-top', 'secret'])).err, /^secret: open secret: permission denied\n/);
  });

  it('does not stop the others', async () => {
    const { code, out, err } = await pprof(['-top', '-nodecount=1', HEAP, 'nofile']);
    assert.equal(code, 0);
    assert.equal(err, 'nofile: stat nofile: no such file or directory\nFetched 1 source profiles out of 2\n');
    assert.match(out, /^File: ld127\n/);
    const base = await pprof(['-top', '-base=nofile', HEAP]);
    assert.equal(base.code, 2);
    assert.equal(base.err, 'nofile: stat nofile: no such file or directory\nfailed to fetch any base profiles\n');
  });

  it('a gzip bomb stops at the cap', async () => {
    const bomb = place('bomb.gz', gzipSync(new Uint8Array(32 << 20)));
    const { code, err } = await pprof(['-top', bomb], { env: { OAKUM_MAX_BYTES: '1000000' } });
    assert.equal(code, 2);
    assert.match(err, /^bomb\.gz: larger than 1000000 bytes when decompressed; set OAKUM_MAX_BYTES to read more/);
  });
});

describe('a bug', () => {
  it('is not a usage error: it is reported as a bug', async () => {
    const stdin = {
      [Symbol.asyncIterator]: (): never => {
        throw new TypeError('x is undefined');
      },
    };
    const io = { ...memoryIo({ cwd: folder }), stdin };
    assert.equal(await run(['pprof', '-top', '-'], { ...io, env: { OAKUM_DEBUG: '1' } }), 70);
    assert.match(io.err(), /TypeError: x is undefined\n {4}at .*\n[^]*oakum: internal error: x is undefined\n$/);
  });

  it('is not raised by a wrong time or key', async () => {
    const key = place('no-key', 'not a key');
    for (const [argv, err] of [
      [['-timeout=99999999999'], /connection refused/],
      [['-seconds=99999999999'], /connection refused/],
      [[`-tls_cert=${folder}/${key}`, `-tls_key=${folder}/${key}`], /Get "https:.*PEM/],
      [['-tls_ca=no-such-file'], /no-such-file: no such file or directory/],
    ] as const) {
      const scheme = argv[0].startsWith('-tls') ? 'https' : 'http';
      const result = await pprof(['-top', ...argv, `${scheme}://127.0.0.1:1/debug/pprof/heap`]);
      assert.equal(result.code, 2, argv.join(' '));
      assert.match(result.err, err);
      assert.match(result.err, /failed to fetch any source profiles\n$/);
    }
  });
});

describe('the command line', () => {
  it('takes exactly one report', async () => {
    assert.match((await pprof([HEAP])).err, /^no report chosen: put one of -top .* first\n$/);
    assert.match(
      (await pprof([HEAP, '-top'])).err,
      /^no report chosen before the sources, and -top is after them: put one of -top .* first\n$/,
    );
    assert.equal((await pprof([HEAP])).code, 2);
    for (const [argv, err] of [
      [['-top', '-tree', HEAP], 'must set at most one output format\n'],
      [['-nope', HEAP], 'flag provided but not defined: -nope; see oakum pprof -help\n'],
      [['-top'], 'no profile source specified; see oakum pprof -help\n'],
      [['-cum', '-flat', '-top', HEAP], 'conflicting options set: [cum flat]\n'],
      [['-http=8080', HEAP], '-http: expected HOST:PORT, such as localhost:7777, not "8080"\n'],
      [['-http=:0', '-top', HEAP], '-http is not compatible with an output format on the command line\n'],
      [['-http=:0', '-sample_index=9', HEAP], 'sample_index 9 is outside the range [0..3]\n'],
      [['-http=192.0.2.1:0', HEAP], '192.0.2.1 is not an address of this machine\n'],
      [['-top', '-focus=(', HEAP], 'parsing focus regexp: error parsing regexp: missing closing ): `(`\n'],
      [['-peek=(', HEAP], 'parsing argument regexp (: error parsing regexp: missing closing ): `(`\n'],
      [['-peek=zzz', HEAP], 'no matches found for regexp: zzz\n'],
      [['-list=zzz', HEAP], 'no matches found for regexp: zzz\n'],
      [['-top', '-divide_by=0', HEAP], 'zero divisor specified\n'],
      [['-top', '-sample_index=9', HEAP], 'sample_index 9 is outside the range [0..3]\n'],
      [['-top', '-tagfocus=(', HEAP], 'parsing tagfocus regexp: error parsing regexp: missing closing ): `(`\n'],
    ] as const) {
      const result = await pprof(argv);
      assert.deepEqual([result.code, result.err, result.out], [2, err, ''], argv.join(' '));
    }
  });

  it('answers -help', async () => {
    const { code, out, err } = await pprof(['-help']);
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /-top/);
  });

  it('warns and continues', async () => {
    for (const [flags, err] of [
      [['-focus=zzz'], 'Focus expression matched no samples\n'],
      [['-ignore=zzz'], 'Ignore expression matched no samples\n'],
      [['-hide=zzz'], 'Hide expression matched no samples\n'],
      [['-show=zzz'], 'Show expression matched no samples\n'],
      [['-show_from=zzz'], 'ShowFrom expression matched no samples\n'],
      [['-tagfocus=zzz'], 'TagFocus expression matched no samples\n'],
      [['-tagignore=zzz'], 'TagIgnore expression matched no samples\n'],
      [['-tagshow=zzz'], 'TagShow expression matched no samples\n'],
      [['-taghide=zzz'], 'TagHide expression matched no samples\n'],
      [['-tagroot=zzz'], 'TagRoot expression matched no samples\n'],
      [['-tagleaf=zzz'], 'TagLeaf expression matched no samples\n'],
      [['-inuse_space', '-alloc_space'], 'Multiple value selections, ignoring -alloc_space\n'],
    ] as const) {
      const result = await pprof(['-top', ...flags, HEAP]);
      assert.deepEqual([result.code, result.err], [0, err], flags.join(' '));
    }
  });

  it('writes to -output', async () => {
    const { code, out, err } = await pprof(['-top', '-output=report.txt', HEAP]);
    assert.deepEqual([code, out, err], [0, '', 'Generating report in report.txt\n']);
    assert.equal(readFileSync(join(folder, 'report.txt'), 'utf8'), (await pprof(['-top', HEAP])).out);
    const failed = await pprof(['-top', '-output=no/such/folder/x', HEAP]);
    assert.equal(failed.code, 2);
    assert.match(
      failed.err,
      /^Generating report in no\/such\/folder\/x\nopen no\/such\/folder\/x: no such file or directory\n$/,
    );
  });

  it('takes stdin, a binary, comments and a build id', async () => {
    const heap = readFileSync(HEAP);
    const want = (await pprof(['-top', HEAP])).out;
    assert.equal((await pprof(['-top', '-'], { stdin: heap })).out, want);
    assert.equal((await pprof(['-top', '-'], { stdin: gunzipSync(heap) })).out, want);
    place('binary', Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0));
    assert.match((await pprof(['-top', 'binary', HEAP])).out, /^File: binary\n/);
    assert.equal((await pprof(['-comments', '-add_comment=hi', HEAP])).out, 'hi\n');
  });

  it('stdin stops at the cap too', async () => {
    const result = await pprof(['-top', '-'], { stdin: new Uint8Array(2_000_000), env: { OAKUM_MAX_BYTES: '1000' } });
    assert.equal(result.code, 2);
    assert.match(result.err, /larger than 1000 bytes/);
  });
});

it('-proto writes gzip that reads back as the input', async () => {
  const { code, bytes } = await pprof(['-proto', HEAP]);
  assert.equal(code, 0);
  place('again.pb.gz', bytes);
  for (const report of ['-raw', '-top', '-traces']) {
    assert.equal((await pprof([report, 'again.pb.gz'])).out, (await pprof([report, HEAP])).out);
  }
});

it('-diff_base of a profile with itself is empty', async () => {
  const { out } = await pprof(['-top', `-diff_base=${HEAP}`, HEAP]);
  assert.match(out, /Showing nodes accounting for 0, 0% of /);
});

it('-list shows the source', async () => {
  mkdirSync(join(folder, 'tree/pkg'), { recursive: true });
  place('tree/pkg/a.go', Array.from({ length: 30 }, (_, i) => `line ${i + 1}`).join('\r\n') + '\n');
  const b = new ProfileBuilder([{ type: 'samples', unit: 'count' }]);
  const fn = b.internFunction('pkg.F', '/build/pkg/a.go', 'pkg.F', 8);
  b.addSample([b.addLocation({ lines: [{ fn, line: 10 }] })], [3]);
  b.addSample([b.addLocation({ lines: [{ fn: b.internFunction('pkg.G', 'gone.go'), line: 1 }] })], [1]);
  place('list.pb', encodeProfile(b.finish()));
  const { code, out } = await pprof(['-list=F', '-trim_path=/build', `-source_path=${folder}/tree`, 'list.pb']);
  assert.equal(code, 0);
  const lines = out.split('\n');
  assert.equal(lines[0], 'Total: 4');
  assert.match(lines[1], /^ROUTINE =+ pkg\.F in pkg\/a\.go$/);
  assert.equal(lines[2], '         3          3 (flat, cum) 75.00% of Total');
  assert.equal(lines[3], '         .          .      8:line 8');
  assert.equal(lines[5], '         3          3     10:line 10');
  assert.equal(lines.length, 12);
  assert.match((await pprof(['-list=G', 'list.pb'])).out, / Error: could not find file gone\.go on path /);
});

describe('the leaking program, debug=0, as every release writes it', () => {
  const total = (out: string, name: string): number =>
    Number(
      new RegExp(`^ +\\d+ .* +(\\d+) +[\\d.]+%  ${name.replaceAll(/[.*()]/g, '\\$&')}( \\(inline\\))?$`, 'm').exec(
        out,
      )?.[1],
    );
  const leaked: Readonly<Record<string, number>> = {
    'main.(*listener).pop': 150,
    'main.(*listener).run': 150,
    'main.leakSend.func1': 50,
    'main.leakRecv.func1': 54,
    'main.leakSelect.func1': 50,
    'main.leakNil.func1': 4,
    'main.leakMutex.func1': 4,
    'main.leakRW.func1': 4,
    'main.leakWG.func1': 4,
    'main.leakCond.func1': 4,
    'main.leakEmpty.func1': 4,
  };

  for (const release of ['go1.19', 'go1.23', 'go1.26', 'go1.26-leakexp-labels', 'go1.27']) {
    it(`${release}: 485 goroutines, of which 478 leaked`, async () => {
      const file = `${CAPTURES}${release}/t3/goroutine.debug0.pb.gz`;
      const { out } = await pprof(['-top', '-cum', '-nodefraction=0', file]);
      assert.match(out, /of 485 total\n/);
      const found = Object.fromEntries(Object.keys(leaked).map(name => [name, total(out, name)]));
      assert.deepEqual(found, leaked);
      assert.equal(
        Object.values(found).reduce((a, b) => a + b),
        478,
      );
      const tags = (await pprof(['-tags', '-tagshow=logicalcluster', file])).out;
      assert.match(tags, /Total 300 of 485 \(61\.86%\)/);
      // Round r adds three clusters with 5 (r + 1) handlers of two goroutines each.
      for (let cluster = 0; cluster < 12; cluster++) {
        const count = 10 * (Math.floor(cluster / 3) + 1);
        assert.match(tags, new RegExp(`^ +${count} \\([ \\d.]+%\\): lc${cluster}$`, 'm'));
      }
      const profile = decodeProfile(gunzipSync(readFileSync(file)));
      assert.equal(
        Array.from(profile.samples.values[0], Number).reduce((a, b) => a + b),
        485,
      );
    });

    it(`${release}: debug=0, debug=1 and debug=2 agree`, async () => {
      for (const name of ['main.leakSend.func1', 'main.(*listener).run', 'main.leakCond.func1']) {
        for (const source of ['goroutine.debug0.pb.gz', 'goroutine.debug1.txt', 'goroutine.debug2.txt']) {
          const { out } = await pprof(['-top', '-cum', '-nodefraction=0', `${CAPTURES}${release}/t3/${source}`]);
          assert.match(out, /of 485 total\n/, source);
          assert.equal(total(out, name), leaked[name], `${source} ${name}`);
        }
      }
    });

    it(`${release}: 7 threads`, async () => {
      const { out } = await pprof(['-top', `${CAPTURES}${release}/t3/threadcreate.debug0.pb.gz`]);
      assert.match(out, /of 7 total\n/);
    });
  }

  it("the runtime's own leak profile finds 177 and 174 of them", async () => {
    for (const [release, found] of [
      ['go1.27', 177],
      ['go1.26-leakexp-labels', 174],
    ] as const) {
      const { out } = await pprof(['-top', `${CAPTURES}${release}/t3/goroutineleak.debug0.pb.gz`]);
      assert.match(out, new RegExp(`of ${found} total\n`));
    }
  });

  it('grew from t0 to t3 by what three more rounds add', async () => {
    for (const release of ['go1.26', 'go1.27']) {
      const { out } = await pprof([
        '-top',
        '-cum',
        '-nodefraction=0',
        `-base=${CAPTURES}${release}/t0/goroutine.debug0.pb.gz`,
        `${CAPTURES}${release}/t3/goroutine.debug0.pb.gz`,
      ]);
      assert.deepEqual([total(out, 'main.(*listener).run'), total(out, 'main.leakSend.func1')], [135, 45]);
    }
  });
});
