/** Messages between the page and its worker. Plain data: it is copied or transferred. */
import type { Analysis } from '../../src/judge/analysis.ts';
import type { Growth } from '../../src/judge/growth/growth.ts';
import type { Match } from '../../src/knowledge/known-leak-match.ts';
import type { CallTree } from '../profiles/call-tree.ts';
import type { TreeOptions } from './filters.ts';
import type { OpenedProfile } from './open-profile.ts';
import type { PileFile } from './pile-items.ts';
import type { GraphView, PeekView, SourceView } from './report-views.ts';
import type { LabelSummary } from './sample-labels.ts';

/** The page chooses the key of a profile: its digest, or `local-1` for a dropped file. */
export interface Requests {
  open: { readonly key: string; readonly name: string; readonly bytes: Uint8Array };
  view: { readonly after: string; readonly before: string | undefined; readonly options: TreeOptions };
  /** Which frames of the last view match a Go regular expression. */
  match: { readonly source: string };
  peek: ReportRequest;
  graph: ReportRequest;
  source: ReportRequest;
  growth: { readonly before: string; readonly after: string; readonly operations: number | undefined };
  /** What `oakum analyze` says about these files. */
  analyze: { readonly files: readonly PileFile[] };
  /** The same as a report for the maintainers of the program, with names replaced. */
  report: { readonly files: readonly PileFile[]; readonly oakumVersion: string };
  close: { readonly key: string };
}

export interface ReportRequest {
  readonly after: string;
  readonly before: string | undefined;
  readonly options: TreeOptions;
  /** A Go regular expression; '' if the report needs none. */
  readonly symbol: string;
  readonly nodeCount?: number;
}

export type RequestKind = keyof Requests;

export interface ProfileView {
  readonly tree: CallTree;
  readonly labels: readonly LabelSummary[];
  /** What pprof would warn of: `Focus expression matched no samples`. */
  readonly warnings: readonly string[];
}

export interface GrowthView {
  readonly growths: readonly Growth[];
  readonly matches: ReadonlyMap<string, readonly Match[]>;
}

export interface Responses {
  open: OpenedProfile;
  view: ProfileView;
  /** By frame: 1 if its name matches. */
  match: Uint8Array;
  peek: PeekView;
  graph: GraphView;
  source: SourceView;
  growth: GrowthView;
  analyze: Analysis;
  /** Markdown. */
  report: string;
  close: null;
}

export interface RequestMessage<K extends RequestKind = RequestKind> {
  readonly id: number;
  readonly kind: K;
  readonly request: Requests[K];
}

export type ResponseMessage =
  | { readonly id: number; readonly ok: true; readonly response: Responses[RequestKind] }
  /** `message` is a sentence for the user; `isBug` if the file is not to blame. */
  | { readonly id: number; readonly ok: false; readonly message: string; readonly isBug: boolean };
