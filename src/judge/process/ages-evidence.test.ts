/** What single dumps of programs whose truth is known are called. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { readPile } from '../../evidence/snapshots/read-pile.ts';
import type { Analysis, Finding } from '../analysis.ts';
import type { PileItem } from '../../evidence/pile.ts';
import { encodeText } from '../../base/text.ts';
import { analyzePile } from './analyze-pile.ts';

const CAPTURES = new URL('../../../test/fixtures/captures/', import.meta.url);

function contentOf(path: string): Uint8Array {
  const bytes = readFileSync(new URL(path, CAPTURES));
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

async function analyze(...files: readonly (readonly [path: string, bytes: Uint8Array])[]): Promise<Analysis> {
  async function* items(): AsyncGenerator<PileItem> {
    for (const [path, bytes] of files)
      yield { kind: 'member', path, bytes, mtimeSeconds: undefined, damage: undefined };
  }
  return analyzePile(await readPile(items(), { families: familiesOf, keepStacks: false }), { catalogue: [] });
}

const suspects = ({ findings }: Analysis): string[] =>
  findings.filter(({ verdict }) => verdict === 'leak' || verdict === 'watch').map(({ family }) => family.title);

const kinds = ({ ledger }: Finding): string[] => ledger.entries.map(({ kind }) => kind);

describe('one dump of a leaking program', () => {
  for (const [time, verdict] of [
    ['t06', 'watch'],
    ['t12', 'leak'],
    ['t20', 'leak'],
  ] as const) {
    const file = `ages/leaky/${time}/goroutine.debug2.txt.gz`;
    it(`is ${verdict} at ${time}, at the rate that is true`, async () => {
      const truth = JSON.parse(readFileSync(new URL(`ages/leaky/${time}/truth.json`, CAPTURES), 'utf8')) as {
        leaked: number;
        uptimeSeconds: number;
      };
      const found = await analyze([file, contentOf(file)]);
      assert.equal(found.verdict, verdict);
      assert.deepEqual(suspects(found), ['main.forward ← chan send']);
      const [{ ages, ledger }] = found.findings;
      const [low, middle, high] = ages!.perHour!;
      const rate = (truth.leaked / truth.uptimeSeconds) * 3600;
      assert.ok(Math.abs(middle / rate - 1) < 0.15, `${middle} is not ${rate}`);
      assert.ok(low < rate && rate < high);
      assert.equal(
        ages!.bins.reduce((sum, count) => sum + count),
        truth.leaked,
      );
      assert.ok(ledger.entries.some(({ kind }) => kind === 'ages'));
    });

    it(`suspects nothing in the healthy one at ${time}`, async () => {
      const path = `ages/healthy/${time}/goroutine.debug2.txt.gz`;
      const found = await analyze([path, contentOf(path)]);
      assert.equal(found.verdict, 'unknown');
      assert.deepEqual(suspects(found), []);
    });
  }

  it('is not asked for a second one where it proves the leak', async () => {
    const path = 'ages/leaky/t12/goroutine.debug2.txt.gz';
    const { missing } = await analyze([path, contentOf(path)]);
    assert.ok(!missing.some(({ what }) => what.startsWith('a second goroutine profile')));
  });

  it('is a leak after days, too few as there are to exclude by their ages alone that a few leave', async () => {
    const dump = (days: number): Uint8Array => {
      const blocks = Array.from({ length: 36 }, (_, i) => {
        const minutes = Math.floor((days * 1440 * (35.5 - i + 0.4 * Math.sin(i * 9))) / 36);
        return `goroutine ${100 + i * 50} [select, ${minutes} minutes]:\nmain.watch(...)\n\t/a/m.go:7 +0x1\ncreated by main.main in goroutine 1\n\t/a/m.go:3 +0x1\n`;
      });
      return encodeText(`${blocks.join('\n')}`);
    };
    const after = async (days: number): Promise<string> => (await analyze(['d2.txt', dump(days)])).verdict;
    assert.equal(await after(3), 'leak');
    assert.equal(await after(0.2), 'watch');
  });

  it('is proof no more where the dump is cut: the youngest are missing', async () => {
    const path = 'ages/leaky/t20/goroutine.debug2.txt.gz';
    const bytes = contentOf(path);
    const found = await analyze([path, bytes.subarray(0, bytes.length - 60_000)]);
    assert.notEqual(found.verdict, 'leak');
  });
});

describe('two dumps', () => {
  it('show that the same goroutines are still there', async () => {
    const [t06, t12] = ['t06', 't12'].map(time => `ages/leaky/${time}/goroutine.debug2.txt.gz`);
    const found = await analyze([t06, contentOf(t06)], [t12, contentOf(t12)]);
    assert.equal(found.verdict, 'leak');
    const [leak] = found.findings;
    assert.deepEqual(kinds(leak).sort(), ['ages', 'profile-growth', 'survivors', 'wait']);
    assert.ok(leak.reasons.includes('725 of 725 goroutines are still there 6m later'), leak.reasons.join('\n'));
  });

  it('prove a leak that is too young for one where nothing else can wake them', async () => {
    const verdictOf = async (state: string, arrivals: (minute: number) => number): Promise<string> => {
      const dumpAt = (minutes: number): Uint8Array => {
        const blocks = Array.from({ length: minutes }, (_, minute) =>
          Array.from({ length: arrivals(minute) }, (__, i) => {
            const age = minutes - 1 - minute;
            const wait = age === 0 ? '' : `, ${age} minutes`;
            const at = 'created by main.start in goroutine 1\n\t/src/main.go:9 +0x2a\n';
            return `goroutine ${1000 * (minute + 1) + i} [${state}${wait}]:\nmain.work()\n\t/src/main.go:10 +0x1d\n${at}`;
          }),
        );
        return encodeText(blocks.flat().join('\n'));
      };
      return (await analyze(['p/1/goroutine.debug2.txt', dumpAt(5)], ['p/2/goroutine.debug2.txt', dumpAt(11)])).verdict;
    };
    assert.equal(await verdictOf('chan send', () => 40), 'leak');
    // Work or a timeout may still come for these.
    assert.equal(await verdictOf('chan receive', () => 40), 'watch');
    assert.equal(await verdictOf('chan receive', minute => Math.round(100 * Math.exp(-minute / 8))), 'watch');
    assert.equal(await verdictOf('IO wait', () => 40), 'watch');
  });
});

describe('what else arrives and stays', () => {
  const steady = (state: string, frames: string, minutes = 30): Uint8Array => {
    const blocks = Array.from({ length: minutes * 6 }, (_, i) => {
      const age = minutes - 1 - Math.floor(i / 6);
      return `goroutine ${100 + 20 * i} [${state}${age === 0 ? '' : `, ${age} minutes`}]:\n${frames}\ncreated by main.start in goroutine 1\n\t/src/main.go:9 +0x2a\n`;
    });
    return encodeText(`${blocks.join('\n')}`);
  };
  const own = 'main.work()\n\t/src/main.go:10 +0x1d';
  const transport = 'net/http.(*persistConn).writeLoop(0xc0001)\n\t/usr/local/go/src/net/http/transport.go:2421 +0xe5';
  const verdictOf = async (...given: Parameters<typeof steady>): Promise<string> =>
    (await analyze(['p/goroutine.debug2.txt', steady(...given)])).verdict;

  it('is a leak within the hour only where nothing but a receiver can wake it', async () => {
    assert.equal(await verdictOf('chan send', own), 'leak');
    assert.equal(await verdictOf('select', own), 'watch');
    assert.equal(await verdictOf('sync.WaitGroup.Wait', own), 'watch');
    assert.equal(await verdictOf('IO wait', own), 'watch');
    assert.equal(await verdictOf('syscall', own), 'watch');
    // Idle connections of a client, which it would use again.
    assert.equal(await verdictOf('select', transport), 'leak');
    assert.equal(await verdictOf('sleep', own), 'unknown');
    assert.equal(await verdictOf('chan send', own, 7), 'watch');
  });

  it('is to be watched where a timeout would look the same', async () => {
    const main = encodeText('\ngoroutine 1 [select, 600 minutes]:\nmain.main()\n\t/src/main.go:5 +0x1d\n');
    const since = async (state: string, minutes: number): Promise<string> => {
      const bytes = new Uint8Array([...steady(state, own, minutes), ...main]);
      return (await analyze(['p/goroutine.debug2.txt', bytes])).verdict;
    };
    assert.equal(await since('select', 30), 'watch');
    assert.equal(await since('chan send', 30), 'leak');
    assert.equal(await since('select', 180), 'leak');
  });
});

describe('the leak profile of the runtime, alone', () => {
  for (const [release, count] of [
    ['go1.27', 177],
    ['go1.26-leakexp-labels', 174],
  ] as const) {
    const found = `the Go runtime found ${count} goroutines that can never run again, 54 of them in main.leakRecv`;
    for (const file of ['goroutineleak.debug0.pb.gz', 'goroutineleak.debug1.txt', 'goroutineleak.debug2.txt']) {
      const path = `leakdemo/${release}/t3/${file}`;
      it(`is proof: ${path}`, async () => {
        const { verdict, sentence } = await analyze([path, contentOf(path)]);
        assert.equal(verdict, 'leak');
        assert.ok(sentence.startsWith(`${release} leaks goroutines: ${found}`), sentence);
      });
    }
  }
});

it('a dump without ages says why it has none, and how to get them', async () => {
  const one = (id: number): string =>
    `goroutine ${id} [chan receive]:\nmain.stream()\n\t/a/m.go:7 +0x1\ncreated by main.main in goroutine 1\n\t/a/m.go:9 +0x2\n`;
  const dump = (count: number): Uint8Array =>
    encodeText(Array.from({ length: count }, (_, i) => one(i + 1)).join('\n'));
  const [many, few] = [await analyze(['d2.txt', dump(140)]), await analyze(['d2.txt', dump(3)])];
  assert.equal(many.verdict, 'unknown');
  assert.ok(many.reasons.some(reason => /^goroutines: the dump has no ages, .*heap\?gc=1/.test(reason)));
  assert.ok(few.reasons.some(reason => reason.startsWith('goroutines: one snapshot shows')));
});
