/**
 * The processes that a Prometheus has, also those that it has no new sample of. Names of targets tell them apart, and
 * must not change with who answers at the moment:
 *
 *     both answer              eu/worker-1, us/worker-1
 *     that of eu is down       us/worker-1, not worker-1
 */
import { listOf, parseJsonBytes, recordOf, textOf } from '../../base/json.ts';
import { TARGET_LABELS } from '../../evidence/recording/source.ts';
import { PROCESS_START, targetsQuery } from '../../live/history/fleet-queries.ts';
import type { MetricsHistory } from '../../live/ports.ts';

export type ProcessLabels = Readonly<Record<string, string>>;

/** The query looks back a day. */
const ASK_SECONDS = 3600;
const LIMITS = { deadlineSeconds: 60, maxBytes: 64 * 1024 * 1024 };

export class KnownProcesses {
  readonly #history: MetricsHistory;
  readonly #selector: string;
  /** What was seen once is remembered as long as the watch runs. */
  readonly #known = new Map<string, ProcessLabels>();
  #askedAt = -Infinity;

  constructor(history: MetricsHistory, selector: string) {
    this.#history = history;
    this.#selector = selector;
  }

  async at(now: number, signal: AbortSignal): Promise<readonly ProcessLabels[]> {
    if (now - this.#askedAt >= ASK_SECONDS) await this.#ask(now, signal);
    return [...this.#known.values()];
  }

  async #ask(now: number, signal: AbortSignal): Promise<void> {
    const query = targetsQuery(new Set([PROCESS_START]), this.#selector);
    const reply = await this.#history.instant(query, { ...LIMITS, signal });
    // The queries for samples say what is wrong with it.
    if (reply.kind !== 'answer' || reply.status !== 200) return;
    this.#askedAt = now;
    const { data } = recordOf(parseJsonBytes(reply.body, LIMITS.maxBytes));
    for (const one of listOf(recordOf(data)['result'])) {
      const metric = recordOf(recordOf(one)['metric']);
      const labels = Object.fromEntries(TARGET_LABELS.map(label => [label, textOf(metric[label])]));
      this.#known.set(JSON.stringify(labels), labels);
    }
  }
}
