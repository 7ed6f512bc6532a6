import type { EvidenceSettings } from '../connect/open-evidence.ts';
import type { OpenStoreOptions } from '../../store/io/sqlite/open-watch-store.ts';
import { visible } from '../../base/visible-text.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { LeastGrowth } from '../options/detector.ts';

/** Settings that the main thread passes to the thread of the store. */
export interface StoreSettings {
  readonly folder: string;
  /** Undefined: the files of captures are in the folder too. */
  readonly evidence?: EvidenceSettings | undefined;
  /** The database that has the rows; undefined if they are in the folder too. */
  readonly database?: string | undefined;
  /** Replicas may share the folder of the files. */
  readonly isShared?: boolean | undefined;
  readonly options: Pick<OpenStoreOptions, 'limits' | 'shown' | 'setDamagedAside' | 'toRead'>;
}

/** From the thread of the store, to the terminal. */
export function sayFromThread(line: string): void {
  process.stderr.write(`${visible(line)}\n`);
}

/** Messages between the main thread and the background thread of a watch. */
export interface BackgroundSettings {
  readonly timeScale: number;
  readonly leastGrowth: LeastGrowth;
  /** Limits that no metric shows: by target, by cluster where there are several, and for all others. */
  readonly limitBytesByTarget: Readonly<Record<string, number>>;
  readonly limitBytesByCluster?: Readonly<Record<string, number>>;
  readonly limitBytes: number | undefined;
  readonly catalogue: readonly KnownLeak[];
  readonly oakumVersion: string;
}

/** The verdicts of one evaluation, waiting to be fetched. */
export interface KeptVerdicts {
  readonly id: number;
  readonly count: number;
}
