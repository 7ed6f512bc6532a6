/** A notice about a leaking node. */
import type { Notice, NoticedIncident } from '../../src/store/notification.ts';

export function exampleNotice(parts: Partial<Notice> = {}, incident: Partial<NoticedIncident> = {}): Notice {
  const id = 'i-20261115-1957';
  return {
    schema: 'oakum.notice/v1',
    id: `${id}-proved`,
    kind: 'proved',
    at: 1_794_772_800,
    cluster: 'prod',
    ...parts,
    incident: {
      id,
      target: 'node/worker-17',
      isCohort: false,
      resource: 'live heap',
      verdict: 'leak',
      openedAt: 1_794_769_200,
      closedAt: null,
      summary: 'node/worker-17: Live heap grows 41.8 MiB/h.',
      sentence: 'Live heap grows 41.8 MiB/h.',
      cause: null,
      unit: 'bytes',
      slopePerHour: 43_830_476,
      timeToLimitHours: [15, 26],
      url: `https://oakum.example.com/i/${id}`,
      runbookUrl: null,
      ...incident,
    },
  };
}
