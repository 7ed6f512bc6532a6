/** Whether the whole node rebooted, or only the process started again. */
import type { Happening } from './happenings.ts';
import type { Observed } from './observed.ts';
import type { Sample } from './samples.ts';

/** The kubelet reports a reboot some time after its own start. */
const REPORT_SECONDS = 300;

/** Every time at which the node is known to have come up. */
export function rebootTimes(seen: Observed): number[] {
  const reported = seen.kubeEvents.filter(({ reason }) => reason === 'Rebooted');
  const times = [...reported, ...seen.boots.filter(({ bootId }) => bootId === '')].map(({ atSeconds }) => atSeconds);
  return times.filter(time => time !== undefined).sort((a, b) => a - b);
}

/** No node is back so soon. */
const FASTEST_REBOOT_SECONDS = 30;

/** Between `sinceSeconds`, when the life before was seen, and this start; undefined when nothing tells. */
export function wasReboot(
  sinceSeconds: number | undefined,
  start: Happening,
  seen: Observed,
  samples: readonly Sample[],
): boolean | undefined {
  const since = sinceSeconds ?? -Infinity;
  const until = start.atSeconds;
  const reported = seen.kubeEvents.some(
    ({ reason, atSeconds: at }) => reason === 'Rebooted' && isWithin(at, since, until + REPORT_SECONDS),
  );
  if (reported) return true;
  if (seen.boots.some(({ bootId, atSeconds: at }) => bootId === '' && isWithin(at, since, until))) return true;
  const ids = seen.boots.filter(({ bootId, atSeconds }) => bootId !== '' && atSeconds !== undefined);
  const before = ids.findLast(({ atSeconds }) => (atSeconds ?? Infinity) < until);
  const after = ids.find(({ atSeconds }) => (atSeconds ?? -Infinity) >= until);
  if (before !== undefined && after !== undefined) return before.bootId !== after.bootId;
  const booted = samples.find(({ atSeconds, values }) => atSeconds >= until && values.bootSeconds !== undefined);
  if (booted !== undefined) return (booted.values.bootSeconds ?? 0) > since;
  // The kubelet says Starting each time, and Rebooted only when the boot id is another.
  if (start.pieces.some(({ by }) => by === 'event')) return false;
  if (until - since < FASTEST_REBOOT_SECONDS && start.pieces.some(({ by }) => by === 'unit')) return false;
  // systemd that restarts a unit has not been restarted itself.
  const scheduled = seen.logs.some(
    ({ event, atSeconds: at }) =>
      event.kind === 'unit' && event.change.kind === 'restart-scheduled' && isWithin(at, since, until + 1),
  );
  return scheduled ? false : undefined;
}

function isWithin(at: number | undefined, from: number, to: number): boolean {
  return at !== undefined && at > from && at <= to;
}
