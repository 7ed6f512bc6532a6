/** The filters of a profile's page, in pprof's words. */
import type { Granularity } from '../../src/profile/pprof/transform/aggregate.ts';
import type { WidthOf } from '../profiles/lay-out.ts';
import type { LabelPair } from './sample-labels.ts';

/** Each holds a Go regular expression, or for labels also a range; '' for none. */
export const FILTER_WORDS = ['focus', 'ignore', 'hide', 'show', 'show_from', 'tagfocus', 'tagignore'] as const;
export type FilterWord = (typeof FILTER_WORDS)[number];

/** What a frame is; '' means functions. */
export const GRANULARITIES: readonly Exclude<Granularity, ''>[] = [
  'functions',
  'filefunctions',
  'files',
  'lines',
  'addresses',
];

export interface Filters extends Readonly<Record<FilterWord, string>> {
  readonly granularity: Granularity;
  /** Shares refer to what is left after the filters. */
  readonly relative: boolean;
}

export const NO_FILTERS: Filters = {
  focus: '',
  ignore: '',
  hide: '',
  show: '',
  show_from: '',
  tagfocus: '',
  tagignore: '',
  granularity: '',
  relative: false,
};

export function activeWords(filters: Filters): FilterWord[] {
  return FILTER_WORDS.filter(word => filters[word] !== '');
}

/** Two expressions as one that matches either. */
export function eitherOf(known: string, added: string): string {
  return known === '' ? added : known.split('|').includes(added) ? known : `${known}|${added}`;
}

/** A Go regular expression that matches this text only; '' for ''. */
export function exactly(text: string): string {
  return text === '' ? '' : `^${text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')}$`;
}

/** What the user selects of a profile to see as a tree. */
export interface TreeOptions {
  /** By name: two profiles may list their sample types in different orders. */
  readonly sampleType: string;
  readonly filters?: Filters;
  readonly labels: readonly LabelPair[];
  /** Label keys whose values become the root frames, outermost first. */
  readonly roots: readonly string[];
  readonly widthOf: WidthOf;
}
