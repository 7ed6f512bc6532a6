/** Starts the thread for the long-running work of a watch, and calls it. */
import { embeddedFiles } from '../../watch/server/web-files.ts';
import { startThread } from '../../store/io/start-thread.ts';
import { packRows } from '../../store/codec/packed-rows.ts';
import type { Background, DetectorRow } from '../../watch/background.ts';
import type { TargetVerdict } from '../../judge/detect/detection.ts';
import { threadBuild } from '../package-files.ts';
import type { BackgroundSettings, KeptVerdicts } from './background-thread.ts';

/** Verdicts per message: those of a large fleet in one message would block the main thread. */
const VERDICTS_AT_ONCE = 250;
const ROWS_AT_ONCE = 500;

/** `died` is called if the thread ends by itself: nothing can be judged any more. */
export function startBackground(settings: BackgroundSettings, died: (why: string) => void): Background {
  const thread = startThread(
    'background-thread',
    import.meta.url,
    settings,
    died,
    embeddedFiles()?.readText('background-thread.js'),
    threadBuild(),
  );
  const sendRows = (method: string, rows: readonly DetectorRow[]): void => {
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
      thread.tell(method, packRows(rows.slice(from, from + ROWS_AT_ONCE)));
  };
  return {
    observe: rows => sendRows('observe', rows),
    describe: rows => thread.tell('describe', rows),
    cohorts: (at, proved) => thread.ask('cohorts', at, proved),
    forget: targets => thread.tell('forget', targets),
    replay: {
      observe: rows => sendRows('observeReplay', rows),
      evaluate: at => thread.ask('evaluateReplay', at),
      join: () => thread.tell('joinReplay'),
    },
    settle: () => thread.ask('settle'),
    evaluate: async at => {
      const { id, count } = await thread.ask<KeptVerdicts>('evaluate', at);
      const verdicts: TargetVerdict[] = [];
      while (verdicts.length < count)
        verdicts.push(...(await thread.ask<TargetVerdict[]>('nextVerdicts', id, VERDICTS_AT_ONCE)));
      return verdicts;
    },
    analyze: evidence => thread.ask('analyze', evidence),
    bundle: evidence => thread.ask('bundle', evidence),
    report: (evidence, audience) => thread.ask('report', evidence, audience),
    close: () => thread.close(),
  };
}
