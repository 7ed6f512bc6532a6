import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeText } from '../../base/text.ts';
import type { PileItem } from '../../evidence/pile.ts';
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { readPile } from '../../evidence/snapshots/read-pile.ts';
import { BUNDLED_LEAKS } from '../../knowledge/bundled.ts';
import type { Analysis } from '../analysis.ts';
import { analyzePile } from '../process/analyze-pile.ts';
import { subjectOf } from './explain-pile.ts';

async function analyze(text: string): Promise<Analysis> {
  async function* items(): AsyncGenerator<PileItem> {
    await Promise.resolve();
    yield {
      kind: 'member',
      path: 'Downloads/issue.txt',
      bytes: encodeText(text),
      mtimeSeconds: undefined,
      damage: undefined,
    };
  }
  const pile = await readPile(items(), { families: familiesOf, subject: subjectOf });
  return analyzePile(pile, { catalogue: BUNDLED_LEAKS });
}

const TOP = `File: kafka-controller
Type: inuse_space
Showing nodes accounting for 3151.20MB, 96.71% of 3258.49MB total
      flat  flat%   sum%        cum   cum%
 1823.11MB 55.95% 55.95%  1823.11MB 55.95%  example.com/metrics.newSample (inline)
  302.19MB  9.27% 65.22%   500.22MB 15.35%  example.com/client.(*client).update
         0     0% 65.22%  2500.22MB 76.00%  example.com/operator.(*reconciler).Reconcile
`;

describe('a pasted table of functions', () => {
  it('names the leaf, the code above it, what is missing and the command of the program', async () => {
    const { verdict, sentence, shown } = await analyze(TOP);
    assert.equal(verdict, 'unknown');
    assert.match(
      sentence,
      /^knative-eventing-kafka, from the paste: most of the live heap is in example\.com\/metrics\.newSample \(1\.78 GiB, 56%\)/,
    );
    const [one] = shown;
    assert.match(
      one?.what ?? '',
      /^pprof -top: 3 functions by the live heap \(inuse_space\) of knative-eventing-kafka$/,
    );
    assert.match(
      one?.shows.join('\n') ?? '',
      /under example\.com\/operator\.\(\*reconciler\)\.Reconcile \(2\.44 GiB, 77%\)/,
    );
    assert.match(one?.lacks.join('\n') ?? '', /no stacks/);
    assert.match(one?.decides?.command ?? '', /8008\/debug\/pprof\/heap/);
  });

  it('calls most only what is more than half, and names the code above small leaves', async () => {
    const sentenceOf = async (text: string): Promise<string> => (await analyze(text)).sentence;
    assert.match(
      await sentenceOf(TOP.replace('1823.11MB 55.95%', '823.11MB 25.26%')),
      /most of the live heap is under example\.com\/operator\.\(\*reconciler\)\.Reconcile \(2\.44 GiB, 77%\)/,
    );
    const flat = TOP.replace('1823.11MB 55.95%', '823.11MB 25.26%').replace(/^.*Reconcile\n/m, '');
    assert.match(await sentenceOf(flat), /the largest part of the live heap is in example\.com\/metrics\.newSample/);
    assert.match(
      await sentenceOf(TOP.replace(/^.*(?:update|Reconcile)\n/gm, '')),
      /newSample \(1\.78 GiB, 56%\) is the only function of the live heap that was pasted/,
    );
  });

  it('says what grew in a difference, whose total is not the heap', async () => {
    const diff = TOP.replace(' 302.19MB  9.27%', '-302.19MB  9.27%').replace('  500.22MB 15.35%', ' -302.19MB  9.27%');
    const { sentence, shown } = await analyze(diff);
    assert.match(sentence, /newSample \(1\.78 GiB, 56%\) has grown most between the two profiles\.$/);
    assert.doesNotMatch(shown[0]?.shows.join('\n') ?? '', /live heap in all/);
  });

  it('of CPU time is not said to grow, and counted stacks are goroutines', async () => {
    const cpu = await analyze(TOP.replace('inuse_space', 'cpu').replaceAll('MB', 's'));
    assert.match(cpu.sentence, /; a CPU profile shows what runs, not what is kept\.$/);
    const counted = await analyze(
      '  31244 example.com/rpc.(*Client).receive(0xc000a\n   1200 net/http.(*conn).read(0xc1\n',
    );
    assert.match(
      counted.sentence,
      /the largest group of goroutines is in example\.com\/rpc\.\(\*Client\)\.receive \(31,244\)/,
    );
    assert.match(counted.shown[0]?.decides?.command ?? '', /goroutine\?debug=2/);
  });

  it('may be a known leak if it has its functions, whatever of the library was inlined', async () => {
    const table = (own: string): string =>
      `kubelet 1.36.1:\n 15914.58kB 39.56% 39.56% 21035.13kB 52.29%  context.(*cancelCtx).propagateCancel\n 6656.51kB 16.55% 56.10% 27707.36kB 69.16%  ${own}\n`;
    const { sentence, shown } = await analyze(table('k8s.io/kubernetes/pkg/kubelet.(*podWorkers).startPodSync'));
    assert.match(sentence, /; it may be kubernetes#139823\.$/);
    assert.deepEqual(
      shown[0]?.matches.map(({ ref, grade, affected }) => [ref, grade, affected]),
      [['kubernetes#139823', 'possible', 'affected']],
    );
    assert.deepEqual((await analyze(table('k8s.io/kubernetes/pkg/kubelet.(*Kubelet).syncLoop'))).shown[0]?.matches, []);
  });

  it('says that allocations are not what is in use', async () => {
    const { shown } = await analyze(TOP.replace('inuse_space', 'alloc_space'));
    assert.match(shown[0]?.shows[0] ?? '', /freed long ago/);
  });

  it('ends the question of a heap that is too small', async () => {
    const { sentence } = await analyze(TOP.replaceAll('MB', 'kB'));
    assert.match(sentence, /only 3\.18 MiB of live heap: memory that grows is not in the Go heap/);
  });

  it('compares before and after', async () => {
    const { shown } = await analyze(
      `Before:\n\`\`\`\n${TOP.replace('1823.11MB 55', '200.00MB 55')}\`\`\`\nAfter:\n\`\`\`\n${TOP}\`\`\`\n`,
    );
    assert.match(shown[0]?.shows.join('\n') ?? '', /newSample: 200 MiB, then 1\.78 GiB/);
  });
});

describe('pasted numbers', () => {
  it('hold what is resident against the live heap', async () => {
    const { sentence, shown } = await analyze(
      'Name:\tkubelet\nVmRSS:  85699360 kB\nRssAnon:  85675400 kB\nRssFile:  23960 kB\n\npprof shows that inuse_space is 360MB.\n',
    );
    assert.match(
      sentence,
      /^kubelet, from the paste: 81\.7 GiB resident against 360 MiB of live heap: most of it is no live heap/,
    );
    assert.match(shown[0]?.shows.join('\n') ?? '', />99% of what is resident is anonymous memory/);
  });

  it('need three samples for a trend, and tell a sawtooth and a plateau', async () => {
    const sentenceOf = async (values: readonly number[]): Promise<string> =>
      (await analyze(`$ ps -o rss -C etcd\n${values.join('\n')}\n`)).sentence;
    assert.match(await sentenceOf([90_000, 180_000]), /two points are no trend/);
    assert.match(await sentenceOf([90_000, 180_000, 270_000]), /grows in each sample/);
    assert.match(await sentenceOf([90_000, 90_000, 90_001]), /stays at/);
    assert.match(await sentenceOf([90_000, 180_000, 95_000, 185_000]), /comes and goes between/);
    assert.match(
      await sentenceOf([10_000, 90_000, 180_000, 190_000, 190_000, 190_100, 190_000, 190_000]),
      /rose from .* and stays/,
    );
  });

  it('of counts are told in the plural, growth before size', async () => {
    const { sentence } = await analyze(
      '2026-11-19 10:00:00 go_goroutines 93696\n2026-11-19 10:01:00 go_goroutines 93806\n2026-11-19 10:02:00 go_goroutines 93927\n',
    );
    assert.match(sentence, /: goroutines grow in each sample: 93,696 to 93,927 in 3 samples\.$/);
  });

  it('of a few metrics without their help are told, too', async () => {
    const { sentence } = await analyze(
      'container_memory_working_set_bytes{pod="thanos-0"} 8123456789\ngo_memstats_heap_inuse_bytes{pod="thanos-0"} 3e+09\n',
    );
    assert.match(sentence, /^thanos, from the paste: 7\.57 GiB resident against 2\.79 GiB of live heap/);
  });

  it('of several processes each have their own name and command', async () => {
    const { shown } = await analyze(
      'traefik:\nPID USER PR NI VIRT RES SHR S %CPU %MEM TIME+ COMMAND\n' +
        '1893 root 20 0 12.9g 9.8g 21440 S 6.3 63.2 412:33.12 traefik\n' +
        '1290 root 20 0 3124512 412320 31220 S 1.0 2.5 120:01.00 containerd\n' +
        '1291 root 20 0 3124512 12320 31220 S 1.0 2.5 120:01.00 redis-server\n',
    );
    assert.deepEqual(
      shown.map(({ what, decides }) => [what, /traefik|:8080|containerd|HOST/.exec(decides?.command ?? '')?.[0]]),
      [
        ['numbers of traefik, from top', ':8080'],
        ['numbers of containerd, from top', 'containerd'],
        ['numbers of redis-server, from top', 'HOST'],
      ],
    );
  });

  it('of the whole node are of no process', async () => {
    const { sentence, shown } = await analyze(
      'etcd 3.5.4 eats it\n      total  used  free  shared  buff/cache  available\nMem:  64216  60112  812  33  3292  3401\n',
    );
    assert.match(sentence, /: the whole node uses 58\.7 GiB of 62\.7 GiB\.$/);
    assert.match(shown[0]?.what ?? '', /^numbers of the node, from free$/);
    assert.match(shown[0]?.decides?.command ?? '', /^ps /);
  });

  it('of a node are not of the program that the text names', async () => {
    const { shown } = await analyze(
      'NAME  CPU(cores)  CPU%  MEMORY(bytes)  MEMORY%\nw-1  812m  20%  28412Mi  91%\nkubelet takes most of it\n',
    );
    assert.equal(shown[0]?.what, 'numbers of the node w-1, from kubectl top');
    assert.equal(shown[0]?.headline, 'the node w-1: working set 27.7 GiB');
  });

  it('with many goroutines ask for their stacks, however little of it is live heap', async () => {
    const { sentence, shown } = await analyze('etcd: 92,311 goroutines. RSS 3.1 GiB, heap inuse 600 MiB.\n');
    assert.match(sentence, /: 92,311 goroutines: far more/);
    assert.match(shown[0]?.shows.join('\n') ?? '', /3\.1 GiB resident against 600 MiB of live heap/);
    assert.match(shown[0]?.decides?.command ?? '', /goroutine\?debug=2/);
  });

  it('of a pod whose container was killed say so first', async () => {
    const { sentence } = await analyze(
      'Last State: Terminated\n  Reason: OOMKilled\nRestart Count: 47\nLimits:\n  memory: 1Gi\n',
    );
    assert.match(sentence, /: its last container was OOM-killed; limit 1 GiB, restarts 47\.$/);
  });

  it('of docker info are of its daemon, without the memory of the host', async () => {
    const { sentence, shown } = await analyze(
      ' Server Version: 20.10.7\n Storage Driver: overlay2\n  File Descriptors: 31\n  Goroutines: 21822\n Total Memory: 31.2GiB\n',
    );
    assert.match(sentence, /^dockerd 20\.10\.7, from the paste: 21,822 goroutines/);
    assert.doesNotMatch(shown[0]?.shows.join('\n') ?? '', /31\.2/);
  });

  it('that were logged with times are samples of the process', async () => {
    const line = (minute: number, count: number): string =>
      `2026-11-19T10:${String(minute).padStart(2, '0')}:00Z goroutines=${count}\n`;
    const { inputs } = await analyze([0, 1, 2, 3].map(minute => line(minute, 1000 + minute * 50)).join(''));
    assert.deepEqual(
      [inputs[0]?.kind, inputs[0]?.since, inputs[0]?.takenAt],
      ['metrics', '2026-11-19T10:00:00.000Z', '2026-11-19T10:03:00.000Z'],
    );
  });
});

describe('a pasted stack', () => {
  const STACK = `goroutine 833 [chan receive, 42 minutes]:
main.(*Agent).getHealthChecks.func1()
\t/src/agent.go:513 +0x30
created by main.(*Agent).getHealthChecks
\t/src/agent.go:500 +0x10
`;

  it('is explained: where it is, how long it has waited and what that means', async () => {
    const { shown } = await analyze(`> ${STACK.replaceAll('\n', '\n> ')}`);
    const says = shown[0]?.shows.join('\n') ?? '';
    assert.match(says, /main\.\(\*Agent\)\.getHealthChecks\.func1 /);
    assert.match(says, /it has waited 42m in chan receive/);
    assert.match(says, /A receive that nothing answers/);
  });

  it('is of the program that its main package lies in', async () => {
    const { sentence } = await analyze(`> ${STACK.replaceAll('/src/', '/build/consul-esm/').replaceAll('\n', '\n> ')}`);
    assert.match(sentence, /^consul-esm, from the paste: /);
  });

  it('is compared with the next one, never added to it', async () => {
    const profile = (count: number): string =>
      `goroutine profile: total ${count}\n${count} @ 0x1 0x2\n#\t0x1\tmain.leak+0x1\t/src/a.go:1\n`;
    const { findings } = await analyze(
      `Before:\n\`\`\`\n${profile(100)}\`\`\`\nAfter an hour:\n\`\`\`\n${profile(900)}\`\`\`\n`,
    );
    assert.deepEqual([findings[0]?.count, findings[0]?.growth?.from, findings[0]?.growth?.to], [900, 100, 900]);
  });

  it('that was pasted with a later one is no lack of a second one', async () => {
    const profile = (count: number): string =>
      `goroutine profile: total ${count + 9}\n${count} @ 0x1 0x2\n#\t0x1\tmain.leak+0x1\t/src/a.go:1\n`;
    const { shown } = await analyze(
      `Before:\n\`\`\`\n${profile(1000)}\`\`\`\nAfter:\n\`\`\`\n${profile(9000)}\`\`\`\n`,
    );
    const told = shown.flatMap(({ shows, lacks }) => [...shows, ...lacks]);
    assert.deepEqual(
      told.filter(text => /pasted|cut|lost|whether/.test(text)),
      ['1,000 of 1,009 goroutines were pasted', '9,000 of 9,009 goroutines were pasted'],
    );
  });

  it('without its creator is no cut dump', async () => {
    const { shown } = await analyze(`> ${STACK.split('created by')[0]?.trim().replaceAll('\n', '\n> ')}\n`);
    assert.doesNotMatch(shown[0]?.shows.join('\n') ?? '', /cut/);
  });

  it('that goleak printed is of a test, which has no address', async () => {
    const leaked = (id: number): string =>
      `Goroutine ${id} in state select, with a/b.(*T).pop on top of the stack:\na/b.(*T).pop(0x1)\n\t/a/b.go:34 +0x1\n`;
    const { sentence, shown } = await analyze(`found unexpected goroutines:\n[${leaked(63)} ${leaked(64)}]\n`);
    assert.match(sentence, /: 2 goroutines outlived a test in /);
    assert.match(shown[0]?.decides?.command ?? '', /^go test /);
  });

  it('counts the part of the whole that was pasted', async () => {
    const { shown } = await analyze(
      '```\ngoroutine profile: total 1005\n274 @ 0x1 0x2\n#\t0x1\tmain.leak+0x1\t/src/a.go:1\n```\n',
    );
    assert.match(shown[0]?.headline ?? '', /274 goroutines of 1,005 \(27%\)/);
  });
});

describe('text without evidence', () => {
  it('that asks about a program gets its command', async () => {
    const { sentence, shown } = await analyze('Our etcd 3.5.9 looks like a memory leak, it is restarted every day.\n');
    assert.match(sentence, /^etcd 3\.5\.9, from the paste: a description about etcd 3\.5\.9/);
    assert.match(shown[0]?.decides?.command ?? '', /2379\/debug\/pprof\/heap/);
  });

  it('that asks about nothing is not understood', async () => {
    assert.deepEqual((await analyze('Lorem ipsum dolor sit amet.\n')).shown, []);
  });
});
