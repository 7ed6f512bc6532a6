/** What the page asks of its worker, and what the worker answers. Plain data: it is copied or handed over. */
import type { Growth } from '../../src/model/growth.ts';
import type { Match } from '../../src/model/known-leak.ts';
import type { FlameTree } from '../call-tree/call-tree.ts';
import type { ViewChoice } from './build-tree.ts';
import type { OpenedProfile } from './open-profile.ts';
import type { LabelSummary } from './sample-labels.ts';

/** Profiles go by a key of the page's choice: a digest, or `local-1` for a dropped file. */
export interface Questions {
  open: { readonly key: string; readonly name: string; readonly bytes: Uint8Array };
  view: { readonly after: string; readonly before: string | undefined; readonly choice: ViewChoice };
  /** By frame of the last view, whether the name matches a Go regexp. */
  match: { readonly source: string };
  growth: { readonly before: string; readonly after: string; readonly operations: number | undefined };
  close: { readonly key: string };
}

export interface View {
  readonly tree: FlameTree;
  readonly labels: readonly LabelSummary[];
}

export interface GrowthView {
  readonly growths: readonly Growth[];
  readonly matches: ReadonlyMap<string, readonly Match[]>;
}

export interface Answers {
  open: OpenedProfile;
  view: View;
  match: Uint8Array;
  growth: GrowthView;
  close: null;
}

export type Asked = keyof Questions;

export interface Request<K extends Asked = Asked> {
  readonly id: number;
  readonly ask: K;
  readonly question: Questions[K];
}

export type Reply =
  | { readonly id: number; readonly ok: true; readonly answer: Answers[Asked] }
  /** A sentence for the user; `isBug` when it is our fault and no fault of the file's. */
  | { readonly id: number; readonly ok: false; readonly message: string; readonly isBug: boolean };
