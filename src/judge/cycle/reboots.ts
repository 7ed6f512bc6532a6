/** Whether the node rebooted, or only the process restarted. */
import type { LifeEvent } from './life-events.ts';
import type { Sample } from './samples.ts';
import { countUntil, hasWithin, sortedTimes } from './sorted-times.ts';
import type { Observed } from './phrases.ts';

/** The kubelet reports a reboot some time after its own start. */
const REPORT_SECONDS = 300;
/** No node reboots faster. */
const FASTEST_REBOOT_SECONDS = 30;

/** Evidence of boots, each list in time order. */
export interface BootRecord {
  /** `Rebooted` events. */
  readonly reported: readonly number[];
  /** When a kernel started. */
  readonly began: readonly number[];
  /** Boot ids, and when each was seen. */
  readonly idTimes: readonly number[];
  readonly ids: readonly string[];
  /** When systemd announced that it would restart a unit. */
  readonly scheduled: readonly number[];
  /** Scrapes that include the boot time. */
  readonly sampleTimes: readonly number[];
  readonly bootTimes: readonly number[];
}

export function bootRecord(seen: Observed, samples: readonly Sample[]): BootRecord {
  const identified = seen.boots.filter(({ bootId, atSeconds }) => bootId !== '' && atSeconds !== undefined);
  const booted = samples.filter(({ values }) => values.bootSeconds !== undefined);
  return {
    reported: sortedTimes(seen.kubeEvents.filter(({ reason }) => reason === 'Rebooted')),
    began: sortedTimes(seen.boots.filter(({ bootId }) => bootId === '')),
    idTimes: sortedTimes(identified),
    ids: identified.map(({ bootId }) => bootId),
    scheduled: sortedTimes(
      seen.logs.filter(({ event }) => event.kind === 'unit' && event.change.kind === 'restart-scheduled'),
    ),
    sampleTimes: sortedTimes(booted),
    bootTimes: booted.map(({ values }) => values.bootSeconds ?? 0),
  };
}

/** Between `sinceSeconds`, when the previous life was last seen, and this start; undefined if unknown. */
export function wasReboot(record: BootRecord, sinceSeconds: number | undefined, start: LifeEvent): boolean | undefined {
  const since = sinceSeconds ?? -Infinity;
  const until = start.atSeconds;
  if (hasWithin(record.reported, since, until + REPORT_SECONDS)) return true;
  if (hasWithin(record.began, since, until)) return true;
  const id = countUntil(record.idTimes, until);
  if (id > 0 && id < record.ids.length) return record.ids[id - 1] !== record.ids[id];
  const boot = record.bootTimes[countUntil(record.sampleTimes, until)];
  if (boot !== undefined) return boot > since;
  // The kubelet reports Starting each time, and Rebooted only if the boot id changed.
  if (start.sightings.some(({ by }) => by === 'event')) return false;
  if (until - since < FASTEST_REBOOT_SECONDS && start.sightings.some(({ by }) => by === 'unit')) return false;
  // A systemd that restarts a unit was not restarted itself.
  return hasWithin(record.scheduled, since, until + 1) ? false : undefined;
}
