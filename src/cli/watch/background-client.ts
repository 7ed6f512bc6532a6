/** The way to the thread that does watch's long work. */
import { startThread } from '../../adapters/threads/start-thread.ts';
import type { Background } from '../../ports/background.ts';
import type { TargetVerdict } from '../../model/detection.ts';
import type { KnownLeak } from '../../model/known-leak.ts';
import type { LeastGrowth } from '../options/detector.ts';

export interface BackgroundSettings {
  readonly timeScale: number;
  readonly leastGrowth: LeastGrowth;
  /** Where no metric tells: by target, and of all others. */
  readonly limitBytesByTarget: Readonly<Record<string, number>>;
  readonly limitBytes: number | undefined;
  readonly catalogue: readonly KnownLeak[];
  readonly oakumVersion: string;
}

/** What an evaluation said, waiting to be fetched. */
export interface KeptVerdicts {
  readonly id: number;
  readonly count: number;
}

/** At once. */
const VERDICTS = 250;

/** `died`: the thread ended by itself; nothing can be judged any more. */
export function startBackground(settings: BackgroundSettings, died: (why: string) => void): Background {
  const thread = startThread('background-thread', import.meta.url, settings, died);
  return {
    observe: rows => thread.tell('observe', rows),
    reset: () => thread.tell('reset'),
    settle: () => thread.ask('settle'),
    evaluate: async at => {
      // Of a large fleet in parts: taking all at once would hold up everything else.
      const { id, count } = await thread.ask<KeptVerdicts>('evaluate', at);
      const verdicts: TargetVerdict[] = [];
      while (verdicts.length < count)
        verdicts.push(...(await thread.ask<TargetVerdict[]>('nextVerdicts', id, VERDICTS)));
      return verdicts;
    },
    analyze: evidence => thread.ask('analyze', evidence),
    bundle: evidence => thread.ask('bundle', evidence),
    report: (evidence, audience) => thread.ask('report', evidence, audience),
    close: () => thread.close(),
  };
}
