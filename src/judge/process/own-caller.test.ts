import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import type { PileItem } from '../../evidence/pile.ts';
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { readPile } from '../../evidence/snapshots/read-pile.ts';
import type { FamilyCaller, Finding } from '../analysis.ts';
import { analyzePile } from './analyze-pile.ts';

const NOW = Date.UTC(2026, 10, 16) / 1000;

const LOOPS = Array.from(
  { length: 200 },
  (_, i) => `goroutine ${i + 20} [chan receive, 30 minutes]:
gopkg.in/natefinch/lumberjack%2ev2.(*Logger).millRun(0xc0000)
\t/go/pkg/mod/gopkg.in/natefinch/lumberjack.v2@v2.2.1/lumberjack.go:379 +0x3c
created by gopkg.in/natefinch/lumberjack%2ev2.(*Logger).mill.func1 in goroutine 1
\t/go/pkg/mod/gopkg.in/natefinch/lumberjack.v2@v2.2.1/lumberjack.go:390 +0x8f
`,
).join('\n');

const main = (place: string): string => `goroutine 1 [select]:
main.main()
\t${place} +0x3c

`;

/** One sample of 512 KiB, with its stack from the allocation to the root. */
const heap = (...frames: string[]): string => `heap profile: 1: 524288 [1: 524288] @ heap/524288
1: 524288 [1: 524288] @ ${frames.map((_, i) => `0x${(i + 1).toString(16)}000`).join(' ')}
${frames.map((frame, i) => `#\t0x${(i + 1).toString(16)}000\t${frame.replace(' ', '+0x1\t\t')}`).join('\n')}

# runtime.MemStats
`;

const MILL =
  'gopkg.in/natefinch/lumberjack%2ev2.(*Logger).mill.func1 /go/pkg/mod/lumberjack.v2@v2.2.1/lumberjack.go:389';

async function findingsOf(goroutines: string, heapText: string): Promise<readonly Finding[]> {
  async function* items(): AsyncGenerator<PileItem> {
    for (const [path, text] of Object.entries({ 'x/goroutine.txt': goroutines, 'x/heap.txt': heapText })) {
      yield { kind: 'member', path, bytes: encodeText(text), mtimeSeconds: NOW, damage: undefined };
    }
  }
  return (await analyzePile(await readPile(items(), { families: familiesOf }), { catalogue: [] })).findings;
}

async function callerOf(goroutines: string, heapText: string): Promise<FamilyCaller | null | undefined> {
  const findings = await findingsOf(goroutines, heapText);
  return findings.find(({ resource }) => resource === 'goroutines')?.family.caller;
}

describe('the caller of a library', () => {
  it('is who called the creator of its goroutines, by the heap', async () => {
    const stack = heap(MILL, 'fmt.Fprintf /usr/local/go/src/fmt/print.go:200', 'main.audit /home/me/app/audit.go:60');
    assert.deepEqual(await callerOf(main('/home/me/app/main.go:21') + LOOPS, stack), {
      function: 'main.audit',
      at: 'app/audit.go:60',
    });
  });

  it('may be any package of the module of main.main', async () => {
    const stack = heap(MILL, 'github.com/acme/app/logs.Open /go/src/github.com/acme/app/logs/open.go:12');
    const dump = main('/go/src/github.com/acme/app/cmd/app/main.go:21') + LOOPS;
    const caller = await callerOf(dump, stack);
    assert.equal(caller?.function, 'github.com/acme/app/logs.Open');
  });

  it('is whoever uses the library, if that is one function', async () => {
    const opened =
      'gopkg.in/natefinch/lumberjack%2ev2.(*Logger).openNew /go/pkg/mod/lumberjack.v2@v2.2.1/lumberjack.go:220';
    const stack = heap(opened, 'main.audit /home/me/app/audit.go:60');
    assert.equal((await callerOf(main('/home/me/app/main.go:21') + LOOPS, stack))?.function, 'main.audit');
  });

  it('is unknown if nothing shows it, and nobody guesses', async () => {
    const stack = heap('bytes.growSlice /usr/local/go/src/bytes/buffer.go:249', 'main.other /home/me/app/other.go:3');
    assert.equal(await callerOf(main('/home/me/app/main.go:21') + LOOPS, stack), null);
    assert.equal(await callerOf(LOOPS, heap(MILL)), null);
  });

  it('is not named where the code of the program leads', async () => {
    const own = LOOPS.replaceAll('gopkg.in/natefinch/lumberjack%2ev2.(*Logger).millRun', 'main.run');
    assert.equal(
      await callerOf(main('/home/me/app/main.go:21') + own, heap(MILL, 'main.audit /home/me/app/a.go:6')),
      null,
    );
  });
});
