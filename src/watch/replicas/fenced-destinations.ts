/** Alerts and notices leave only from the replica that leads at that moment. */
import { withMethods } from '../../base/with-methods.ts';
import type { AlertDestination, NoticeDestination } from '../notify/destination.ts';
import { type MayAct, NOT_LEADER } from './fenced-actions.ts';
import type { Delivery } from '../../live/delivery.ts';

const NOT_SENT: Delivery = { kind: 'failed', why: NOT_LEADER };

export function fencedAlerts(destination: AlertDestination, mayAct: MayAct): AlertDestination {
  return withMethods(destination, {
    post: async (alerts, signal) => ((await mayAct()) ? destination.post(alerts, signal) : NOT_SENT),
  });
}

export function fencedNotices(destination: NoticeDestination, mayAct: MayAct): NoticeDestination {
  return withMethods(destination, {
    deliver: async (notice, signal) => ((await mayAct()) ? destination.deliver(notice, signal) : NOT_SENT),
  });
}
