/** Renders an analysis in every output format. */
import type { Analysis } from '../judge/analysis.ts';
import { renderJson } from './json.ts';
import { renderMarkdown } from './markdown.ts';
import { renderText } from './text.ts';
import type { TextOptions } from './text.ts';

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
      return renderMarkdown(analysis);
    case 'yaml':
      return (await import('./json.ts')).renderYaml(analysis);
  }
}
