/** One thing that a file says about the OOM cycle, before its target and its time are known. */
import type { LogStamp } from '../formats/node-log/stamp.ts';
import type { CycleObservation } from './cycle.ts';

/** An observation without its time and source. */
export type UntimedObservation = Without<CycleObservation>;
type Without<T> = T extends unknown ? Omit<T, 'atSeconds' | 'source'> : never;

export interface Evidence {
  readonly path: string;
  /** 1-based; 0 where lines have no meaning. */
  readonly line: number;
  /** The node or other name in the content; '' when there is none. */
  readonly host: string;
  /** Whether it is about a node or its kubelet; else about another process. */
  readonly isOfNode: boolean;
  readonly stamp: LogStamp;
  readonly body: UntimedObservation;
}

/** When the kernel booted, from a line of its log. */
export interface BootClock {
  readonly path: string;
  readonly host: string;
  readonly bootSeconds: number;
}
