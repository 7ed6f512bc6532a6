/** One thing that a file tells of the OOM cycle, before it is known of which target it is and when it was. */
import type { LogStamp } from '../../formats/node-log/stamp.ts';
import type { CycleObservation } from '../../model/cycle.ts';

/** An observation that has yet to get its time and source. */
export type ObservationBody = Without<CycleObservation>;
type Without<T> = T extends unknown ? Omit<T, 'atSeconds' | 'source'> : never;

export interface Evidence {
  readonly path: string;
  /** 1-based; 0 where lines do not matter. */
  readonly line: number;
  /** The node, or what else its content calls it; '' when it does not. */
  readonly host: string;
  /** Whether it is of a node's kubelet, or of the node; else of another process. */
  readonly isOfNode: boolean;
  readonly stamp: LogStamp;
  readonly body: ObservationBody;
}

/** When the kernel of a log began, as a line of it tells. */
export interface BootClock {
  readonly path: string;
  readonly host: string;
  readonly bootSeconds: number;
}
