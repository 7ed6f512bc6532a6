/** What people read off a process with other tools: one number of one process, with or without a time. */
import type { LogStamp } from '../log-stamp.ts';

export type LevelOf =
  | 'resident'
  | 'anonymous'
  | 'file pages'
  | 'peak resident'
  | 'virtual'
  | 'working set'
  | 'live heap'
  | 'heap in use'
  | 'heap idle'
  | 'heap released'
  | 'runtime memory'
  | 'memory' // of the process, as its log says it
  | 'limit'
  | 'goroutines'
  | 'threads'
  | 'file descriptors'
  | 'restarts'
  | 'heap objects'
  | 'connections';

export const COUNTED: ReadonlySet<LevelOf> = new Set<LevelOf>([
  'goroutines',
  'threads',
  'file descriptors',
  'restarts',
  'heap objects',
  'connections',
]);

export const KILLED_BY_KERNEL = 'the kernel, which killed it for memory';

/** The subject of numbers of no process; the name of the node may follow. */
export const WHOLE_NODE = 'the node';

export function isWholeNode(subject: string): boolean {
  return subject === WHOLE_NODE || subject.startsWith(`${WHOLE_NODE} `);
}

export interface Level {
  readonly kind: 'level';
  readonly of: LevelOf;
  /** Bytes, or a count. */
  readonly value: number;
  /** The process, container or pod; '' if the paste does not say. */
  readonly subject: string;
  readonly isPod: boolean;
  readonly stamp: LogStamp;
  readonly line: number;
  /** What it was read from: `ps`, `kubectl top`. */
  readonly from: string;
}

const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  bytes: 1,
  byte: 1,
  k: 1024,
  kb: 1024,
  kib: 1024,
  ki: 1024,
  m: 1024 ** 2,
  mb: 1024 ** 2,
  mib: 1024 ** 2,
  mi: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1024 ** 3,
  gib: 1024 ** 3,
  gi: 1024 ** 3,
  t: 1024 ** 4,
  tb: 1024 ** 4,
  tib: 1024 ** 4,
  ti: 1024 ** 4,
};

/** `13.1g`, `2811Mi`, `5,156,768 bytes`; undefined if it is no amount. `bareUnit` is what a bare number counts. */
export function bytesIn(text: string, bareUnit = 1): number | undefined {
  const match = /^(\d{1,20}(?:,\d{3})*(?:\.\d{1,9})?)\s*([a-zA-Z]{0,5})$/.exec(text.trim());
  if (match === null) return undefined;
  const factor = FACTORS[match[2].toLowerCase()];
  if (factor === undefined) return undefined;
  return Number(match[1].replaceAll(',', '')) * (match[2] === '' ? bareUnit : factor);
}

/** `1,234`; undefined if it is no whole number. */
export function countIn(text: string): number | undefined {
  return /^\d{1,15}$|^\d{1,3}(?:,\d{3})+$/.test(text) ? Number(text.replaceAll(',', '')) : undefined;
}
