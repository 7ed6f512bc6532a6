/** Where incidents are made known. */
import type { Alert, DestinationStatus, Notice } from '../../store/notification.ts';
import type { Delivery } from '../../live/delivery.ts';

/** Takes each notice once, in order. */
export interface NoticeDestination {
  readonly name: string;
  readonly kind: DestinationStatus['kind'];
  /** Whether a notice is for it; all are by default. */
  takes?(notice: Notice): boolean;
  deliver(notice: Notice, signal: AbortSignal): Promise<Delivery>;
}

/** Takes all alerts again and again, and knows which of them are silenced. */
export interface AlertDestination {
  readonly name: string;
  post(alerts: readonly Alert[], signal: AbortSignal): Promise<Delivery>;
  /** Of our alerts. Throws if it cannot be asked. */
  silenced(signal: AbortSignal): Promise<readonly SilencedAlert[]>;
}

export interface SilencedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly by: string;
  readonly comment: string;
  readonly until: number;
}
