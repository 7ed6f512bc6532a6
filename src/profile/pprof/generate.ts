/** From a profile and options to a report. */
import type { Profile } from '../profile.ts';
import { callgrindReport } from './reports/callgrind.ts';
import { dotReport } from './reports/dot.ts';
import { listReport, type SourceReader } from './reports/list.ts';
import { rawReportChunks } from './reports/raw.ts';
import type { ReportContext } from './reports/report-context.ts';
import { ratioOf } from './reports/report-context.ts';
import { tagsReport } from './reports/tags.ts';
import { textReport } from './reports/text.ts';
import { topProfile } from './reports/top-proto.ts';
import { tracesReport } from './reports/traces.ts';
import { treeReport } from './reports/tree.ts';
import { divideValues } from './transform/scale-values.ts';
import { prepareReport, type PreparePorts, type ReportRequest } from './prepare.ts';

/** What a report needs from its caller. */
export interface ReportPorts extends PreparePorts {
  readonly readSource: SourceReader;
}

/** Text in one or more pieces, or a profile to be encoded. */
export type Report =
  | { readonly kind: 'text'; readonly chunks: Iterable<string> }
  | { readonly kind: 'profile'; readonly profile: Profile };

export function generateReport(source: Profile, request: ReportRequest, ports: ReportPorts): Report {
  return print(prepareReport(source, request, ports), ports);
}

function print(context: ReportContext, ports: ReportPorts): Report {
  const text = (content: string): Report => ({ kind: 'text', chunks: [content] });
  switch (context.report) {
    case 'top':
    case 'text':
      return text(textReport(context));
    case 'tree':
    case 'peek':
      return text(treeReport(context));
    case 'traces':
      return { kind: 'text', chunks: tracesReport(context) };
    case 'tags':
      return text(tagsReport(context));
    case 'comments':
      return text(context.profile.comments.map(comment => `${comment}\n`).join(''));
    case 'raw':
      return { kind: 'text', chunks: rawReportChunks(context.profile) };
    case 'dot':
      return text(dotReport(context));
    case 'callgrind':
      return text(callgrindReport(context));
    case 'list':
      return text(listReport(context, ports.readSource));
    case 'topproto':
      return { kind: 'profile', profile: topProfile(context) };
    case 'proto': {
      const ratio = ratioOf(context);
      const { profile } = context;
      return { kind: 'profile', profile: ratio > 0 && ratio !== 1 ? divideValues(profile, ratio) : profile };
    }
  }
}
