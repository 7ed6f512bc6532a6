/** A triage by a clock of its own: what is said when, and when it ends. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { kubeletAnswer } from '../../../test/double/kubelet-answers.ts';
import { replayedProcess } from '../../../test/double/replayed-process.ts';
import type { RecordedSet } from '../../../test/double/recording.ts';
import { scratchFolder } from '../io/capture-folder.ts';
import { encodeText } from '../../base/text.ts';
import { BUNDLED_LEAKS } from '../../knowledge/bundled.ts';
import type { PileItem } from '../../evidence/pile.ts';
import type { TargetConnection } from '../ports.ts';
import { captureGate, GATE_LIMITS } from '../capture/capture-gate.ts';
import { DEFAULT_CHOICES } from '../capture/capture-steps.ts';
import type { Reply } from '../reply.ts';
import { runTriage, type TriageChoices, type TriageEvent, type TriageOutcome } from './run-triage.ts';

const FROM = 1_794_772_400;

interface Ran extends TriageOutcome {
  /** `so-far 1`, `waiting`, `tick`: what was said, by seconds since the first request. */
  readonly said: readonly { readonly what: string; readonly seconds: number; readonly event: TriageEvent }[];
  readonly lastedSeconds: number;
}

interface Wanted {
  readonly sets?: number;
  readonly untilProved?: boolean;
  readonly stopAt?: number;
  readonly scrapeEverySeconds?: number;
}

interface Observed {
  readonly target: string;
  readonly startSeconds: number;
  readonly get: (path: string, nowSeconds: number, set: number) => Reply;
}

/** `momentAt`: which of the recorded moments it is at, by the set. */
function kubelet(momentAt: (set: number) => RecordedSet): Observed {
  return {
    target: 'node/worker-17',
    startSeconds: FROM,
    get: (path, now, set) => {
      const { status, headers, body } = kubeletAnswer(new URL(path, 'https://kubelet'), momentAt(set), false);
      const common = { cut: undefined, headAtSeconds: now, dateSeconds: now, tookSeconds: 0.1 };
      return { kind: 'answer', status, headers, body, ...common };
    },
  };
}

async function triage(
  observed: Observed,
  { sets = 4, untilProved = true, stopAt = Infinity, scrapeEverySeconds }: Wanted = {},
): Promise<Ran> {
  const folder = scratchFolder('./out');
  const controller = new AbortController();
  const said: { what: string; seconds: number; event: TriageEvent }[] = [];
  const from = observed.startSeconds;
  let now = from;
  let set = 1;
  const connection: TargetConnection = {
    target: observed.target,
    via: 'api-server-proxy',
    address: 'https://10.0.0.1:6443',
    get: async path => observed.get(path, now, set),
  };
  async function* readFolder(): AsyncGenerator<PileItem> {
    const manifest = await folder.readManifest();
    const member = (path: string, bytes: Uint8Array): PileItem => {
      return { kind: 'member', path, bytes, mtimeSeconds: undefined, damage: undefined };
    };
    for (const { file = '' } of manifest?.entries ?? []) {
      const bytes = await folder.inflate(folder.content(file) ?? new Uint8Array(), 1e9);
      if (bytes !== undefined) yield member(`out/${file}`, bytes);
    }
    yield member('out/MANIFEST.json', encodeText(JSON.stringify(manifest)));
  }
  const choices: TriageChoices = {
    capture: {
      ...DEFAULT_CHOICES,
      sets,
      listsEachSet: true,
      ...(scrapeEverySeconds === undefined ? {} : { scrapeEverySeconds }),
    },
    untilProved,
    requestTimeoutSeconds: 60,
    prometheusMatch: '',
    memoryLimitBytes: undefined,
  };
  const outcome = await runTriage(
    {
      ref: { kind: 'node', name: 'worker-17' },
      capture: {
        connection,
        folder,
        gate: captureGate({ ...GATE_LIMITS, random: () => 0, sleep: async () => {} }),
        oakumVersion: '0.0.0',
        now: () => now,
        sleep: async seconds => {
          now += seconds;
          if (now - from >= stopAt) controller.abort();
        },
        signal: controller.signal,
      },
      cluster: undefined,
      history: undefined,
      readFolder,
      catalogue: BUNDLED_LEAKS,
      program: 'oakum',
      onEvent: event => {
        const what = event.kind === 'capture' ? event.event.kind : event.kind;
        if (event.kind === 'capture' && event.event.kind === 'waiting') set += 1;
        const shown = event.kind === 'so-far' ? `so-far ${event.soFar.set} ${event.soFar.verdict}` : what;
        said.push({ what: shown, seconds: now - from, event });
      },
    },
    choices,
  );
  return { ...outcome, said, lastedSeconds: now - from };
}

function answers({ said }: Ran): string[] {
  return said.filter(({ what }) => what.startsWith('so-far') || what === 'waiting').map(({ what }) => what);
}

describe('a triage', () => {
  it('ends with the first set where that proves a leak', async () => {
    const ran = await triage(kubelet(() => 'second'));
    assert.equal(ran.triage.verdict, 'leak');
    assert.deepEqual(answers(ran), ['so-far 1 leak']);
    assert.equal(ran.lastedSeconds, 0);
    assert.equal(ran.triage.evidence?.setCount, 1);
    assert.equal(ran.capture?.end, 'whole');
  });

  it('says what is known after the first set, counts down, and ends with the set that proves it', async () => {
    const ran = await triage(kubelet(set => (set === 1 ? 'first' : 'second')));
    assert.equal(ran.triage.verdict, 'leak');
    assert.deepEqual(answers(ran), ['so-far 1 watch', 'waiting', 'so-far 2 leak']);
    const first = ran.said.find(({ what }) => what === 'so-far 1 watch');
    assert.equal(first?.seconds, 0, 'at once, before it waits');
    assert.ok(first.event.kind === 'so-far');
    assert.deepEqual(
      first.event.soFar.largest.map(({ unit }) => unit),
      ['bytes', 'count'],
    );
    assert.match(first.event.soFar.decides.join(), /^set 2: which stacks grow/);
    const ticks = ran.said.flatMap(({ event }) =>
      event.kind === 'capture' && event.event.kind === 'tick' ? [event.event.seconds] : [],
    );
    assert.deepEqual([ticks.length, ticks[0], ticks.at(-1)], [300, 300, 1]);
    assert.equal(ran.lastedSeconds, 300);
  });

  it('calls nothing healthy before ten minutes, and ends with the set that shows it', async () => {
    const ran = await triage(replayedProcess('sessions-ok'), { scrapeEverySeconds: 15 });
    assert.deepEqual(answers(ran), ['so-far 1 unknown', 'waiting', 'so-far 2 unknown', 'waiting', 'so-far 3 healthy']);
    assert.equal(ran.triage.verdict, 'healthy');
    assert.equal(ran.lastedSeconds, 600);
  });

  it('takes more sets for a quarter of an hour while nothing is proved', async () => {
    const ran = await triage(kubelet(() => 'first'));
    assert.notEqual(ran.triage.verdict, 'leak');
    assert.equal(ran.triage.evidence?.setCount, 4);
    assert.equal(ran.lastedSeconds, 900);
    assert.equal(answers(ran).filter(what => what.startsWith('so-far')).length, 3, 'the last is the result');
  });

  it('takes as many sets as were asked for, proved or not', async () => {
    const ran = await triage(
      kubelet(() => 'second'),
      { sets: 2, untilProved: false },
    );
    assert.equal(ran.triage.evidence?.setCount, 2);
    assert.equal(ran.lastedSeconds, 300);
  });

  it('tells what is known when it is stopped', async () => {
    const ran = await triage(
      kubelet(() => 'first'),
      { stopAt: 20 },
    );
    assert.equal(ran.capture?.end, 'stopped');
    assert.deepEqual([ran.triage.verdict, ran.triage.evidence?.setCount], ['watch', 1]);
    assert.equal(ran.lastedSeconds, 20);
  });
});
