/** One Alertmanager: sent all alerts each minute, asked which of them are silenced. */
import { oneLine } from '../../base/text-layout.ts';
import type { DestinationStatus } from '../../store/notification.ts';
import type { WatchClock } from '../../base/clock.ts';
import type { AlertDestination, SilencedAlert } from './destination.ts';
import { toSend } from './raise-alerts.ts';
import { sleepOrWoken } from './sleep-or-woken.ts';
import type { RaisedAlert } from './told.ts';
import type { Delivery } from '../../live/delivery.ts';

const SEND_SECONDS = 60;
/** While it does not answer. */
const RETRY_SECONDS = 15;
/** Alerts in one request. */
const BATCH = 64;

export class AlertMember {
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
