/** What goes between watch and the thread that does its long work. */
import type { DetectorRow, Evidence } from '../../engine/watch/background.ts';
import type { ReportAudience } from '../../engine/watch/watch-service.ts';
import type { KnownLeak } from '../../model/known-leak.ts';

export interface ThreadSettings {
  readonly timeScale: number;
  /** Where no metric tells: by target, and of all others. */
  readonly limitBytesByTarget: Readonly<Record<string, number>>;
  readonly limitBytes: number | undefined;
  /** Besides the bundled ones. */
  readonly catalogue: readonly KnownLeak[];
  readonly oakumVersion: string;
}

/** Those with an id are answered. */
export type ThreadRequest =
  | { readonly kind: 'observe'; readonly rows: readonly DetectorRow[] }
  | { readonly kind: 'reset' }
  | { readonly kind: 'settle'; readonly id: number }
  | { readonly kind: 'evaluate'; readonly id: number; readonly at: number }
  | { readonly kind: 'analyze'; readonly id: number; readonly evidence: Evidence }
  | { readonly kind: 'bundle'; readonly id: number; readonly evidence: Evidence }
  | { readonly kind: 'report'; readonly id: number; readonly evidence: Evidence; readonly audience: ReportAudience };

export type ThreadAnswer =
  { readonly id: number; readonly result: unknown } | { readonly id: number; readonly error: string };
