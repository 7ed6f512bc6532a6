/** Renders an analysis in every output format. */
import type { Analysis } from '../judge/analysis.ts';
import { renderJson } from './json.ts';
import { analysisDocument, type AnalysisDetail, familyDocument } from './analysis-document.ts';
import { printMarkdown } from './markdown.ts';
import { type PrintOptions, printText } from './print-text.ts';

export interface TextOptions extends AnalysisDetail, PrintOptions {
  /** Shows only the full stack of the family with this id, or the beginning of one. */
  readonly show?: string;
}

export const ANALYSIS_FORMATS = ['text', 'wide', 'json', 'yaml', 'markdown'] as const;
export type AnalysisFormat = (typeof ANALYSIS_FORMATS)[number];

/** `options` apply to text and wide. The YAML writer is loaded only when needed. */
export async function renderAnalysis(
  analysis: Analysis,
  format: AnalysisFormat,
  options: TextOptions = {},
): Promise<string> {
  switch (format) {
    case 'text':
      return renderText(analysis, options);
    case 'wide':
      return renderText(analysis, { ...options, wide: true });
    case 'json':
      return renderJson(analysis);
    case 'markdown':
      return printMarkdown(analysisDocument(analysis, { wide: true }));
    case 'yaml':
      return (await import('./json.ts')).renderYaml(analysis);
  }
}

export function renderText(analysis: Analysis, options: TextOptions = {}): string {
  const { show } = options;
  const document = show === undefined ? analysisDocument(analysis, options) : familyDocument(analysis, show);
  return printText(document, options);
}
