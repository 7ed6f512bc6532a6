import type { DestinationStatus, NotificationsView } from '../../store/notification.ts';

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
