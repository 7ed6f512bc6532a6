/**
 * Notices on their way: kept in the store until their destination took them, in order, each destination on its own.
 *
 *     put -> store -> deliver -+-> delivered: dropped
 *               ^              +-> failed: again after 1, 2, 4 ... 600 s
 *               +--------------+   refused: dropped and logged
 */
import { exactTimeText } from '../../base/say.ts';
import { oneLine } from '../../base/text-layout.ts';
import { nodeName, parseTargetRef } from '../../evidence/target.ts';
import type { Alert, DestinationStatus, Notice, NoticedIncident } from '../../store/notification.ts';
import type { WatchClock } from '../../base/clock.ts';
import { type NoticeDestination, type NotifyOptions, type RaisedAlert, sleepOrWoken } from './destination.ts';
import type { Delivery } from '../../live/reply.ts';
import type { RecordStore } from '../../store/ports.ts';

/** For one destination; beyond it, the oldest are dropped. */
const MAX_WAITING = 1000;
const FIRST_PAUSE_SECONDS = 1;
const MAX_PAUSE_SECONDS = 600;
/** An older one says nothing new: the incidents themselves are kept. */
const MAX_AGE_SECONDS = 3 * 86_400;

export interface OutboxParts {
  readonly clock: WatchClock;
  readonly random: () => number;
  readonly store: Pick<RecordStore, 'put'>;
  readonly log: (line: string) => void;
}

export class Outbox {
  readonly #parts: OutboxParts;
  readonly #destination: NoticeDestination;
  #waiting: Notice[] = [];
  #delivered = 0;
  #dropped = 0;
  #lastDeliveredAt: number | null = null;
  #trouble: string | null = null;
  #wake: AbortController = new AbortController();

  constructor(destination: NoticeDestination, parts: OutboxParts) {
    this.#destination = destination;
    this.#parts = parts;
  }

  /** Those of an earlier run. */
  load(notices: readonly Notice[]): void {
    this.#waiting = [...notices];
  }

  put(notice: Notice): void {
    const { store } = this.#parts;
    const destination = this.#destination.name;
    if (!store.put({ kind: 'notice', record: { destination, notice } }))
      this.#parts.log(`${destination}: the queue on disk is full`);
    this.#waiting.push(notice);
    while (this.#waiting.length > MAX_WAITING) this.#drop('too many wait');
    this.#wake.abort();
  }

  status(): DestinationStatus {
    return {
      name: this.#destination.name,
      kind: this.#destination.kind,
      delivered: this.#delivered,
      waiting: this.#waiting.length,
      dropped: this.#dropped,
      lastDeliveredAt: this.#lastDeliveredAt,
      trouble: this.#trouble,
    };
  }

  /** Until the signal aborts. */
  async run(stopping: AbortSignal): Promise<void> {
    const { clock, random } = this.#parts;
    let failures = 0;
    while (!stopping.aborted) {
      const [notice] = this.#waiting;
      if (notice === undefined) {
        this.#wake = new AbortController();
        await sleepOrWoken(clock, MAX_PAUSE_SECONDS, this.#wake, stopping);
        continue;
      }
      if (clock.now() - notice.at > MAX_AGE_SECONDS) {
        this.#drop('it waited for three days');
        continue;
      }
      const retryAfter = await this.#deliver(notice, stopping);
      if (retryAfter === undefined) {
        failures = 0;
        continue;
      }
      const pause = Math.min(MAX_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** Math.min(failures++, 20));
      // Not all at once when a server is back.
      await clock.sleep(Math.max(retryAfter, pause * (0.75 + 0.5 * random())), stopping);
    }
  }

  /** Undefined if the notice is done with; otherwise the least number of seconds to wait. */
  async #deliver(notice: Notice, signal: AbortSignal): Promise<number | undefined> {
    const { clock, store, log } = this.#parts;
    const { name } = this.#destination;
    const result = await this.#destination
      .deliver(notice, signal)
      .catch((error: Error): Delivery => ({ kind: 'failed', why: oneLine(error.message) }));
    if (signal.aborted) return 0;
    if (result.kind === 'delivered') {
      if (this.#trouble !== null) log(`${name}: works again`);
      this.#trouble = null;
      this.#delivered++;
      this.#lastDeliveredAt = clock.now();
      this.#remove(notice);
      store.put({ kind: 'dropped-notice', record: { destination: name, noticeId: notice.id } });
      return undefined;
    }
    if (result.kind === 'refused') {
      this.#trouble = result.why;
      this.#drop(result.why);
      return undefined;
    }
    // Once, not with every attempt.
    if (this.#trouble === null) log(`${name}: ${result.why}; will try again`);
    this.#trouble = result.why;
    return Math.min(result.retryAfterSeconds ?? 0, MAX_PAUSE_SECONDS);
  }

  #remove(notice: Notice): void {
    const at = this.#waiting.indexOf(notice);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  /** The oldest one. */
  #drop(why: string): void {
    const notice = this.#waiting.shift();
    if (notice === undefined) return;
    this.#dropped++;
    this.#parts.store.put({
      kind: 'dropped-notice',
      record: { destination: this.#destination.name, noticeId: notice.id },
    });
    this.#parts.log(`${this.#destination.name}: the notice ${notice.id} was dropped: ${why}`);
  }
}

/** An alert that nobody sends again ends after this time, as when Oakum is gone. */
const LASTS_SECONDS = 300;
/** For how long a resolved alert is sent, so that every Alertmanager learns of it. */
const RESOLVED_SECONDS = 900;
/** Tells our alerts from others. */
const REPORTER = 'oakum';
/** Labels may come from names of any length. */
const MAX_LABEL_LENGTH = 500;

/**
 * Alerts of incidents. Equal labels are the same alert, so labels hold only what stays; numbers are annotations.
 *
 *     OakumLeak             severity warning, or critical if the limit is near
 *     OakumSuspectedLeak    severity info
 */
export function raiseAlert(incident: NoticedIncident, isCritical: boolean, options: NotifyOptions): RaisedAlert {
  const { id, target, isCohort, resource, verdict, openedAt, summary, sentence, cause, url, runbookUrl, clusters } =
    incident;
  const isLeak = verdict === 'leak';
  const labels = {
    ...options.labels,
    alertname: isLeak ? 'OakumLeak' : 'OakumSuspectedLeak',
    reporter: REPORTER,
    cluster: options.cluster,
    severity: isLeak ? (isCritical ? 'critical' : 'warning') : 'info',
    resource,
    ...(isCohort ? { cohort: target } : { target, ...placeLabels(target) }),
  };
  const annotations = {
    summary,
    description: sentence,
    incident: id,
    ...(cause === null ? {} : { cause }),
    ...limitAnnotation(incident),
    ...(clusters === undefined ? {} : { clusters: clusters.join(', ') }),
    ...(runbookUrl === null ? {} : { runbook_url: runbookUrl }),
  };
  return {
    incidentId: id,
    labels: Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, value.slice(0, MAX_LABEL_LENGTH)])),
    annotations,
    startsAt: openedAt,
    generatorUrl: url,
    resolvedAt: null,
  };
}

/** As Kubernetes' own alerts label them, so that routes and inhibitions by node or namespace apply. */
function placeLabels(target: string): Record<string, string> {
  const node = nodeName(target);
  if (node !== undefined) return { node };
  const ref = parseTargetRef(target);
  if (typeof ref === 'string' || ref.kind !== 'pod') return {};
  return { pod: ref.name, ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }) };
}

function limitAnnotation({ timeToLimitHours }: NoticedIncident): Record<string, string> {
  if (timeToLimitHours === null) return {};
  const [low, high] = timeToLimitHours;
  return { hours_to_limit: high === null ? `${low.toFixed(1)} or more` : `${low.toFixed(1)} to ${high.toFixed(1)}` };
}

/** What is no longer raised is resolved, and forgotten some time later. */
export function resolveMissing(
  before: readonly RaisedAlert[],
  raised: readonly RaisedAlert[],
  now: number,
): readonly RaisedAlert[] {
  const keys = new Set(raised.map(alertKey));
  const missing = before.filter(alert => !keys.has(alertKey(alert)));
  const resolved = missing.map(alert => ({ ...alert, resolvedAt: alert.resolvedAt ?? now }));
  return [...raised, ...resolved.filter(({ resolvedAt }) => now - resolvedAt < RESOLVED_SECONDS)];
}

export function toSend(alerts: readonly RaisedAlert[], now: number): Alert[] {
  return alerts.map(({ labels, annotations, startsAt, generatorUrl, resolvedAt }) => ({
    labels,
    annotations: resolvedAt === null ? annotations : { ...annotations, resolved: `since ${exactTimeText(resolvedAt)}` },
    startsAt,
    endsAt: resolvedAt ?? now + LASTS_SECONDS,
    generatorUrl,
  }));
}

/** The same for the same alert. */
export function alertKey({ labels }: Pick<Alert, 'labels'>): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}
