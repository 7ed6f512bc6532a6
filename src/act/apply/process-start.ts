/** When the kubelet's process started, by its own metrics: a restart is what moves it. */
import { factsOfMetrics } from '../../evidence/scrape-facts.ts';
import type { WatchClock } from '../../base/clock.ts';
import type { TargetConnection } from '../../live/ports.ts';

const LIMITS = { deadlineSeconds: 10, maxBytes: 64 * 1024 * 1024 };
const PAUSE_SECONDS = 2;
/** Start times are read with fractions of a second, but some exporters round. */
const SLACK_SECONDS = 1.5;

/** A sentence if it cannot be read. */
export async function readProcessStart(connection: TargetConnection): Promise<number | string> {
  const reply = await connection.get('/metrics', LIMITS);
  const where = `the metrics of ${connection.target}`;
  if (reply.kind !== 'answer') return `${where} cannot be read: ${reply.message}`;
  if (reply.status !== 200) return `${where} cannot be read: status ${reply.status}`;
  const { startTimeSeconds } = factsOfMetrics(reply.body);
  return startTimeSeconds ?? `${where} have no process_start_time_seconds`;
}

export type Seen =
  | { readonly kind: 'restarted'; readonly startSeconds: number }
  | { readonly kind: 'not-seen'; readonly why: string }
  | { readonly kind: 'stopped' };

export interface WaitOptions {
  readonly clock: WatchClock;
  readonly read: () => Promise<number | string>;
  readonly startBefore: number;
  readonly untilSeconds: number;
  readonly signal: AbortSignal;
  /** Ends the wait early with a reason. */
  readonly giveUp?: () => Promise<string | undefined>;
}

/** Waits until the start time has moved. */
export async function waitForRestart(options: WaitOptions): Promise<Seen> {
  const { clock, read, startBefore, untilSeconds, signal, giveUp } = options;
  for (;;) {
    if (signal.aborted) return { kind: 'stopped' };
    const start = await read();
    if (typeof start === 'number' && hasMoved(startBefore, start)) return { kind: 'restarted', startSeconds: start };
    const why = await giveUp?.();
    if (why !== undefined) return { kind: 'not-seen', why };
    if (clock.now() >= untilSeconds)
      return { kind: 'not-seen', why: typeof start === 'string' ? start : 'the process is still the same' };
    await clock.sleep(PAUSE_SECONDS, signal);
  }
}

export function hasMoved(before: number, now: number): boolean {
  return now > before + SLACK_SECONDS;
}
