/** The command that prints what a page shows: `oakum pprof -top -focus=sync heap.pb.gz`. */
import { exactly, FILTER_WORDS } from '../reader/filters.ts';
import type { LabelPair } from '../reader/sample-labels.ts';
import type { ViewAddress } from './view-address.ts';

export interface ShownProfile {
  readonly sources: readonly string[];
  /** Undefined unless two profiles are compared. */
  readonly base: readonly string[] | undefined;
  /** '' if it is the default of the profile. */
  readonly sampleType: string;
  /** The function of the sandwich, peek or source; '' if none is chosen. */
  readonly symbol: string;
}

export function commandLine(address: ViewAddress, shown: ShownProfile): string {
  const { filters, sort, tab } = address;
  const flags: string[] = [];
  const flag = (name: string, value: string): void => {
    if (value !== '') flags.push(`-${name}=${shellWord(value)}`);
  };
  const symbol = address.search !== '' && tab !== 'sandwich' ? address.search : exactly(shown.symbol);
  if (tab === 'sandwich' || tab === 'peek') flag('peek', symbol);
  else if (tab === 'source') flag('list', symbol);
  else flags.push(tab === 'graph' ? '-dot' : '-top');
  if (sort?.key === 'cum' || sort?.key === 'cum-change') flags.push('-cum');
  flag('sample_index', shown.sampleType);
  for (const word of FILTER_WORDS) flag(word, filters[word]);
  if (filters.tagfocus === '') flag('tagfocus', tagFocus(address.labels));
  if (filters.granularity !== '') flags.push(`-${filters.granularity}`);
  if (filters.relative) flags.push('-relative_percentages');
  flag('unit', address.unit);
  flag('tagroot', address.roots.join(','));
  if (shown.base !== undefined) flag('diff_base', shown.base[0] ?? '');
  return ['oakum pprof', ...flags, ...shown.sources.map(shellWord)].join(' ');
}

/**
 * The chosen labels as one -tagfocus. Values of one key are alternatives; several keys must all match, which pprof
 * writes without a key.
 *
 *     state=^select$,^chan receive$            ^state:select$,^controller:quota$
 */
function tagFocus(labels: readonly LabelPair[]): string {
  const keys = [...new Set(labels.map(({ key }) => key))];
  const valuesOf = (wanted: string): string[] => labels.filter(({ key }) => key === wanted).map(({ value }) => value);
  if (keys.length === 0) return '';
  const [key = ''] = keys;
  // A number with a unit is a range, not an expression.
  if (keys.length === 1)
    return `${key}=${valuesOf(key).map(value => (/^-?\d+[A-Za-z]+$/.test(value) ? value : exactly(value)))}`;
  return keys.map(name => `^${inner(name)}:(${valuesOf(name).map(inner).join('|')})$`).join(',');
}

function inner(text: string): string {
  return exactly(text).slice(1, -1);
}

/** Quoted for a POSIX shell, if it needs to be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
