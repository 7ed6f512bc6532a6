/**
 * Makes incidents known: alerts to every Alertmanager, notices to webhooks and as Kubernetes Events. It looks at the
 * incidents when one changes, and every minute; what it has said is in the store. Nothing here delays the watch.
 */
import { oneLine } from '../../base/text-layout.ts';
import type {
  NotificationsView,
  Silence,
  DestinationStatus,
  Notice,
  NoticedIncident,
  NoticeKind,
} from '../../store/notification.ts';
import type { WatchEvent, IncidentSummary } from '../watch-model.ts';
import type { WatchClock } from '../../base/clock.ts';
import {
  type AlertDestination,
  type NoticeDestination,
  type SilencedAlert,
  sleepOrWoken,
  parseSent,
  SENT_KEY,
  sentText,
  type RaisedAlert,
  type SentState,
  type SentIncident,
  type NotifyOptions,
  clusterOfIncident,
  fillLink,
  fillText,
  valuesOf,
} from './destination.ts';
import { alertKey, Outbox, raiseAlert, resolveMissing, toSend } from './outbox.ts';
import type { Delivery } from '../../live/reply.ts';
import type { RecordStore } from '../../store/ports.ts';
import { yieldToEventLoop } from '../../base/bounded-work.ts';
import type { IncidentFigures } from '../views/incidents-view.ts';

/** One Alertmanager: sent all alerts each minute, asked which of them are silenced. */
const SEND_SECONDS = 60;

/** While it does not answer. */
const RETRY_SECONDS = 15;

/** Alerts in one request. */
const BATCH = 64;

const NO_FIGURES: IncidentFigures = { cause: null, unit: null, slopePerHour: null, timeToLimitHours: null };

const LOOK_SECONDS = 60;

export interface NotifierParts {
  readonly source: IncidentSource & { subscribe(listener: (event: WatchEvent) => void): () => void };
  readonly store: Pick<RecordStore, 'put' | 'records'>;
  readonly clock: WatchClock;
  readonly random: () => number;
  readonly log: (line: string) => void;
  readonly alertmanagers: readonly AlertDestination[];
  readonly destinations: readonly NoticeDestination[];
}

export interface Notifier {
  view(): NotificationsView;
  /** In OpenMetrics. */
  metrics(): string;
  /** Ends with the signal. */
  readonly done: Promise<void>;
}

export async function startNotifier(
  parts: NotifierParts,
  options: NotifyOptions,
  signal: AbortSignal,
): Promise<Notifier> {
  const { source, store, clock, log } = parts;
  let sent = parseSent((await store.records({ kind: 'setting', id: SENT_KEY }))[0]?.value);
  let written = sentText(sent);
  const members = parts.alertmanagers.map(destination => new AlertMember(destination, parts, () => sent.alerts));
  const outboxes = parts.destinations.map(destination => ({ destination, outbox: new Outbox(destination, parts) }));
  const waiting = await store.records({ kind: 'notice' });
  for (const { destination, outbox } of outboxes)
    outbox.load(waiting.flatMap(queued => (queued.destination === destination.name ? [queued.notice] : [])));
  // Left by a destination that is no longer configured.
  const names = new Set(outboxes.map(({ destination }) => destination.name));
  for (const { destination, notice } of waiting)
    if (!names.has(destination)) store.put({ kind: 'dropped-notice', record: { destination, noticeId: notice.id } });

  function look(): void {
    const followed = followIncidents(sent, source, options, clock.now());
    const text = sentText(followed.sent);
    sent = followed.sent;
    if (text === written) return;
    // In one turn, so that one commit has all of it.
    for (const notice of followed.notices)
      for (const { destination, outbox } of outboxes) if (destination.takes?.(notice) !== false) outbox.put(notice);
    if (store.put({ kind: 'setting', record: { key: SENT_KEY, value: text } })) written = text;
    for (const member of members) member.wake();
  }

  let isLooking = false;
  const lookSoon = (): void => {
    if (isLooking) return;
    isLooking = true;
    // Several incidents may change in one turn.
    void yieldToEventLoop().then(() => {
      isLooking = false;
      if (!signal.aborted) lookSafely();
    });
  };
  const lookSafely = (): void => {
    try {
      look();
    } catch (error) {
      log(`notifications: ${oneLine((error as Error).message)}; will try again`);
    }
  };
  const leave = source.subscribe(event => {
    if (event.kind === 'incident') lookSoon();
  });
  const looking = async (): Promise<void> => {
    while (!signal.aborted) {
      lookSafely();
      await clock.sleep(LOOK_SECONDS, signal);
    }
    leave();
  };
  const view = (): NotificationsView => ({
    schema: 'oakum.notifications/v1',
    destinations: [...members.map(member => member.status()), ...outboxes.map(({ outbox }) => outbox.status())],
    silences: silencesOf(members, new Map(sent.alerts.map(alert => [alertKey(alert), alert.incidentId]))),
  });
  return {
    view,
    metrics: () => notifyMetrics(view()),
    done: Promise.all([
      looking(),
      ...members.map(member => member.run(signal)),
      ...outboxes.map(({ outbox }) => outbox.run(signal)),
    ]).then(() => {}),
  };
}

function silencesOf(members: readonly AlertMember[], incidentIds: ReadonlyMap<string, string>): Silence[] {
  const silences = members.flatMap(({ name, silenced }) =>
    silenced.flatMap(({ labels, by, comment, until }) => {
      const incidentId = incidentIds.get(alertKey({ labels }));
      return incidentId === undefined ? [] : [{ incidentId, destination: name, by, comment, until }];
    }),
  );
  // The members of a cluster share their silences.
  const seen = new Set<string>();
  return silences.filter(({ incidentId, by, comment, until }) => {
    const key = JSON.stringify([incidentId, by, comment, until]);
    return !seen.has(key) && seen.add(key);
  });
}

/** One series per configured destination. */
export function notifyMetrics({ destinations, silences }: NotificationsView): string {
  const family = (
    name: string,
    type: 'counter' | 'gauge',
    help: string,
    value: (status: DestinationStatus) => number,
  ): string => {
    const suffix = type === 'counter' ? '_total' : '';
    const lines = destinations.map(
      status => `${name}${suffix}{destination="${escaped(status.name)}",kind="${status.kind}"} ${value(status)}\n`,
    );
    return `# HELP ${name} ${help}.\n# TYPE ${name} ${type}\n${lines.join('')}`;
  };
  if (destinations.length === 0) return '';
  return [
    family('oakum_notifications_sent', 'counter', 'Alerts and notices that were taken', ({ delivered }) => delivered),
    family('oakum_notifications_waiting', 'gauge', 'Notices that wait, or alerts that are raised', s => s.waiting),
    family('oakum_notifications_dropped', 'counter', 'Alerts and notices that were given up', s => s.dropped),
    family('oakum_notifications_failing', 'gauge', '1 if the last attempt failed', s => (s.trouble === null ? 0 : 1)),
    `# HELP oakum_silences Incidents that are silenced.\n# TYPE oakum_silences gauge\noakum_silences ${silences.length}\n`,
  ].join('');
}

function escaped(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}

/**
 * Compares incidents with what has been said about them. It looks at what is, not at what happened in between, so a
 * change that nobody saw, such as during a crash, is made known all the same.
 *
 *     sent + incidents now  ->  notices to send, alerts to raise or resolve, and what has been said then
 */
interface Followed {
  readonly sent: SentState;
  readonly notices: readonly Notice[];
}

export function followIncidents(sent: SentState, source: IncidentSource, all: NotifyOptions, now: number): Followed {
  const incidents = new Map<string, SentIncident>();
  const notices: Notice[] = [];
  const raised: RaisedAlert[] = [];
  for (const summary of source.incidents()) {
    const before = sent.incidents.get(summary.id);
    const options = { ...all, cluster: clusterOfIncident(summary, all) };
    // What was over before it was ever made known stays so.
    if (before === undefined && (summary.closedAt !== null || !isWorth(summary, options))) continue;
    const incident = describeIncident(summary, source, options);
    const change = changeOf(before, summary);
    if (change !== undefined) notices.push(noticeOf(change, incident, options.cluster, now));
    if (summary.closedAt !== null) continue;
    const isCritical = before?.isCritical === true || isNear(incident, options);
    const verdict = summary.partOf === null ? worse(before, summary) : 'folded';
    incidents.set(summary.id, { verdict, isCritical });
    if (verdict !== 'folded') raised.push(raiseAlert({ ...incident, verdict }, isCritical, options));
  }
  return { sent: { incidents, alerts: resolveMissing(sent.alerts, raised, now) }, notices };
}

function isWorth({ verdict }: IncidentSummary, { leastVerdict }: NotifyOptions): boolean {
  return verdict === 'leak' || (verdict === 'watch' && leastVerdict === 'watch');
}

function changeOf(before: SentIncident | undefined, summary: IncidentSummary): NoticeKind | undefined {
  const isFolded = summary.partOf !== null;
  if (before?.verdict === 'folded') return undefined;
  if (summary.closedAt !== null) return 'cleared';
  if (before === undefined) return isFolded ? undefined : 'opened';
  if (isFolded) return 'folded';
  return before.verdict === 'watch' && summary.verdict === 'leak' ? 'proved' : undefined;
}

/** What was proved stays proved. */
function worse(before: SentIncident | undefined, { verdict }: IncidentSummary): 'watch' | 'leak' {
  return before?.verdict === 'leak' || verdict === 'leak' ? 'leak' : 'watch';
}

function isNear({ timeToLimitHours, verdict }: NoticedIncident, { criticalHours }: NotifyOptions): boolean {
  return verdict === 'leak' && timeToLimitHours !== null && timeToLimitHours[0] <= criticalHours;
}

function noticeOf(kind: NoticeKind, incident: NoticedIncident, cluster: string, at: number): Notice {
  return { schema: 'oakum.notice/v1', id: `${incident.id}-${kind}`, kind, at, cluster, incident };
}

/** What is known about incidents now, in the words of notices. */
interface IncidentSource {
  /** All that are open, and those that closed lately. */
  incidents(): readonly IncidentSummary[];
  figures(incidentId: string): IncidentFigures;
}

function describeIncident(
  summary: IncidentSummary,
  source: Pick<IncidentSource, 'figures'>,
  options: NotifyOptions,
): NoticedIncident {
  const { id, target, resource, verdict, openedAt, closedAt, sentence } = summary;
  const figures = closedAt === null ? source.figures(id) : NO_FIGURES;
  const url = options.url === undefined ? null : `${options.url}/i/${encodeURIComponent(id)}`;
  const known = { id, target, resource, verdict, sentence, cause: figures.cause, url };
  const values = valuesOf(known, options.cluster);
  return {
    ...known,
    ...figures,
    isCohort: summary.cohort !== null,
    openedAt,
    closedAt,
    summary: fillText(options.summary, values),
    runbookUrl: options.runbook === undefined ? null : fillLink(options.runbook, values),
  };
}

class AlertMember {
  readonly #destination: AlertDestination;
  readonly #clock: WatchClock;
  readonly #log: (line: string) => void;
  readonly #alerts: () => readonly RaisedAlert[];
  #silenced: readonly SilencedAlert[] = [];
  #delivered = 0;
  #lastSent = 0;
  #dropped = 0;
  #lastDeliveredAt: number | null = null;
  #trouble: string | null = null;
  #wake: AbortController = new AbortController();

  constructor(
    destination: AlertDestination,
    parts: { readonly clock: WatchClock; readonly log: (line: string) => void },
    alerts: () => readonly RaisedAlert[],
  ) {
    this.#destination = destination;
    this.#clock = parts.clock;
    this.#log = parts.log;
    this.#alerts = alerts;
  }

  get name(): string {
    return this.#destination.name;
  }

  /** Only alerts that it was sent. */
  get silenced(): readonly SilencedAlert[] {
    return this.#silenced;
  }

  /** Something changed: does not wait for the minute to end. */
  wake(): void {
    this.#wake.abort();
  }

  status(): DestinationStatus {
    return {
      name: this.name,
      kind: 'alertmanager',
      delivered: this.#delivered,
      waiting: this.#lastSent,
      dropped: this.#dropped,
      lastDeliveredAt: this.#lastDeliveredAt,
      trouble: this.#trouble,
    };
  }

  async run(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      this.#wake = new AbortController();
      await this.#send(stopping);
      const pause = this.#trouble === null ? SEND_SECONDS : RETRY_SECONDS;
      await sleepOrWoken(this.#clock, pause, this.#wake, stopping);
    }
  }

  async #send(signal: AbortSignal): Promise<void> {
    const alerts = toSend(this.#alerts(), this.#clock.now());
    let trouble: string | null = null;
    for (let from = 0; from < alerts.length && trouble === null; from += BATCH) {
      const batch = alerts.slice(from, from + BATCH);
      const result = await this.#destination
        .post(batch, signal)
        .catch((error: Error): Delivery => ({ kind: 'failed', why: oneLine(error.message) }));
      if (signal.aborted) return;
      if (result.kind === 'delivered') this.#delivered += batch.length;
      else trouble = result.why;
      if (result.kind === 'refused') this.#dropped += batch.length;
    }
    this.#lastSent = alerts.length;
    if (trouble === null && alerts.length > 0) {
      this.#lastDeliveredAt = this.#clock.now();
      try {
        this.#silenced = await this.#destination.silenced(signal);
      } catch (error) {
        trouble = `silences cannot be read: ${oneLine((error as Error).message)}`;
      }
    }
    if (signal.aborted) return;
    if (alerts.length === 0) this.#silenced = [];
    if (trouble !== null && this.#trouble === null) this.#log(`${this.name}: ${trouble}; will try again`);
    if (trouble === null && this.#trouble !== null && alerts.length > 0) this.#log(`${this.name}: works again`);
    this.#trouble = trouble;
  }
}
