/** What a command needs besides stacks and values. Regular expressions are loaded, and labels read, only if needed. */
import type { PprofCommand } from './flags.ts';

const EXPRESSIONS = [
  ...(['focus', 'ignore', 'hide', 'show', 'show_from', 'prune_from'] as const),
  ...(['tagfocus', 'tagignore', 'tagshow', 'taghide'] as const),
];

export function usesRegexp({ config, parameter }: PprofCommand): boolean {
  return parameter !== undefined || EXPRESSIONS.some(name => config[name] !== '');
}

const LABEL_OPTIONS = ['tagfocus', 'tagignore', 'tagshow', 'taghide', 'tagroot', 'tagleaf'] as const;
const LABEL_REPORTS: ReadonlySet<string | undefined> = new Set(['dot', 'tags', 'traces', 'raw', 'proto']);

/** Merging keeps samples with different labels apart, so only a report on a single source can do without them. */
export function usesLabels({ config, report, sources, base }: PprofCommand): boolean {
  return (
    sources.length > 1 ||
    base.length > 0 ||
    LABEL_REPORTS.has(report) ||
    LABEL_OPTIONS.some(name => config[name] !== '')
  );
}
