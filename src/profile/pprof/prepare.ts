/**
 * From a profile and options to what a report is made of. The steps are in pprof's order, which affects the output:
 *
 *     label frames -> total -> name filters -> tag filters -> prune -> aggregate
 *
 * The total is taken before the filters, so percentages refer to everything, unless -relative_percentages is given.
 */
import type { Profile } from '../profile.ts';
import { configFor, type PprofConfig, type ReportName } from './reports/config.ts';
import type { ReportContext } from './reports/report-context.ts';
import { aggregate } from './transform/aggregate.ts';
import { filterByName, showFrom } from './transform/filter-names.ts';
import { compileTagFilter, filterByTag, filterTagsByName, type SampleTest } from './transform/filter-tags.ts';
import { pruneFrom } from './transform/prune.ts';
import { numericLabelUnits } from './transform/sample-labels.ts';
import { addTagFrames } from './transform/tag-frames.ts';
import { sampleIndexByName } from './sample-index.ts';
import { abs64, type Int64Column } from '../../base/int64.ts';
import type { Weights } from './tally.ts';
import type { CompileRegexp, GoRegexp } from './go-regexp.ts';
import { expected, Failure } from '../../base/errors.ts';

export interface ReportRequest {
  readonly report: ReportName;
  /** The expression of -list and -peek. */
  readonly parameter?: string;
  readonly config: PprofConfig;
}

export interface PreparePorts {
  readonly warn: Warn;
  readonly compile: CompileRegexp;
}

export function prepareReport(source: Profile, request: ReportRequest, ports: PreparePorts): ReportContext {
  const { warn, compile } = ports;
  const config = configFor(request.report, request.config);
  const { units: labelUnits, ignored } = numericLabelUnits(source);
  for (const [key, others] of ignored) {
    warn(`For tag ${key} used unit ${labelUnits.get(key)}, also encountered unit(s) ${others.join(', ')}`);
  }

  let profile = withTagFrames(source, config, warn);
  if (config.relative_percentages) profile = applyFilters(profile, config, labelUnits, compile, warn);
  const index = sampleIndexByName(profile, config.sample_index);
  const { type, unit } = profile.sampleTypes[index];
  if (config.divide_by === 0) throw new Failure('usage', 'zero divisor specified');
  const weightsOf = (of: Profile): ReportContext['weights'] => ({
    value: of.samples.values[index],
    divisor: config.mean ? of.samples.values[0] : undefined,
  });
  const symbol = request.parameter === undefined ? undefined : compileParameter(request.parameter, compile);
  const total = computeTotal(profile, weightsOf(profile));
  if (!config.relative_percentages) profile = applyFilters(profile, config, labelUnits, compile, warn);
  const { granularity, noinlines, showcolumns } = config;
  profile = aggregate(profile, { granularity, inlines: !noinlines, columns: showcolumns });

  return {
    report: request.report,
    profile,
    config,
    weights: weightsOf(profile),
    total,
    sampleType: config.mean ? `mean_${type}` : type,
    sampleUnit: unit,
    labelUnits,
    symbol,
  };
}

function compileParameter(source: string, compile: CompileRegexp): GoRegexp {
  try {
    return compile(source);
  } catch (error) {
    throw new Failure('usage', `parsing argument regexp ${source}: ${expected(error).message}`);
  }
}

type Warn = (message: string) => void;

function warnUnmatched(option: string, isGiven: boolean, matched: boolean, warn: Warn): void {
  if (isGiven && !matched) warn(`${option} expression matched no samples`);
}

function withTagFrames(profile: Profile, config: PprofConfig, warn: Warn): Profile {
  const keys = (list: string): string[] => list.split(',').filter(key => key !== '');
  const frames = addTagFrames(profile, keys(config.tagroot), keys(config.tagleaf), config.unit);
  warnUnmatched('TagRoot', config.tagroot !== '', frames.rootMatched, warn);
  warnUnmatched('TagLeaf', config.tagleaf !== '', frames.leafMatched, warn);
  return frames.profile;
}

/** All of pprof's filters, on the samples and frames of a profile. */
export function applyFilters(
  source: Profile,
  config: PprofConfig,
  labelUnits: ReadonlyMap<string, string>,
  compile: CompileRegexp,
  warn: Warn,
): Profile {
  const option = (name: 'focus' | 'ignore' | 'hide' | 'show' | 'show_from' | 'prune_from' | 'tagshow' | 'taghide') => {
    if (config[name] === '') return undefined;
    try {
      return compile(config[name]);
    } catch (error) {
      throw new Failure('usage', `parsing ${name} regexp: ${expected(error).message}`);
    }
  };
  const compileTags = (name: 'tagfocus' | 'tagignore'): SampleTest | undefined =>
    config[name] === '' ? undefined : compileTagFilter(name, config[name], labelUnits, compile, warn);

  // All expressions are compiled before anything is filtered.
  const names = { focus: option('focus'), ignore: option('ignore'), hide: option('hide'), show: option('show') };
  const from = option('show_from');
  const tagFocus = compileTags('tagfocus');
  const tagIgnore = compileTags('tagignore');
  const prune = option('prune_from');

  const named = filterByName(source, names);
  let { profile } = named;
  warnUnmatched('Focus', names.focus !== undefined, named.matched.focus, warn);
  warnUnmatched('Ignore', names.ignore !== undefined, named.matched.ignore, warn);
  warnUnmatched('Hide', names.hide !== undefined, named.matched.hide, warn);
  warnUnmatched('Show', names.show !== undefined, named.matched.show, warn);

  if (from !== undefined) {
    const shown = showFrom(profile, from);
    profile = shown.profile;
    warnUnmatched('ShowFrom', true, shown.matched, warn);
  }

  const tagged = filterByTag(profile, tagFocus, tagIgnore);
  profile = tagged.profile;
  warnUnmatched('TagFocus', tagFocus !== undefined, tagged.focusMatched, warn);
  warnUnmatched('TagIgnore', tagIgnore !== undefined, tagged.ignoreMatched, warn);

  const tagShow = option('tagshow');
  const tagHide = option('taghide');
  const labelled = filterTagsByName(profile, tagShow, tagHide);
  profile = labelled.profile;
  warnUnmatched('TagShow', tagShow !== undefined, labelled.showMatched, warn);
  warnUnmatched('TagHide', tagHide !== undefined, labelled.hideMatched, warn);

  return prune === undefined ? profile : pruneFrom(profile, prune);
}

/**
 * The total for percentages.
 *
 * The sum of the absolute sample values, or of the base's samples alone if there are any (-diff_base). With -mean,
 * divided by the sum of the divisors.
 */
function computeTotal(profile: Profile, weights: Weights): bigint {
  const base = baseSamples(profile);
  if (base !== undefined) {
    const total = sumOf(weights.value, base, true);
    if (total > 0n) return mean(total, weights, base);
  }
  return mean(sumOf(weights.value, undefined, true), weights, undefined);
}

function mean(total: bigint, { divisor }: Weights, only: Uint8Array | undefined): bigint {
  const by = divisor === undefined ? 0n : sumOf(divisor, only, false);
  return by === 0n ? total : total / by;
}

function sumOf(column: Int64Column, only: Uint8Array | undefined, absolute: boolean): bigint {
  if (column instanceof Float64Array) {
    let sum = 0;
    let magnitude = 0;
    for (let i = 0; i < column.length; i++) {
      if (only !== undefined && only[i] === 0) continue;
      const size = Math.abs(column[i]);
      magnitude += size;
      sum += absolute ? size : column[i];
    }
    if (magnitude <= Number.MAX_SAFE_INTEGER) return BigInt(sum);
  }
  let sum = 0n;
  for (let i = 0; i < column.length; i++) {
    if (only !== undefined && only[i] === 0) continue;
    const value = BigInt(column[i]);
    sum += absolute ? abs64(value) : value;
  }
  return BigInt.asIntN(64, sum);
}

/** Marks the samples labelled as the base of a comparison; undefined if there are none. */
function baseSamples(profile: Profile): Uint8Array | undefined {
  const { samples, strings } = profile;
  const key = strings.indexOf('pprof::base');
  if (key < 0) return undefined;
  const marks = new Uint8Array(samples.length);
  let any = false;
  for (let sample = 0; sample < samples.length; sample++) {
    for (let row = samples.labelStart[sample]; row < samples.labelStart[sample + 1]; row++) {
      const { labels } = samples;
      if (strings[labels.key[row]] === 'pprof::base' && strings[labels.str[row]] === 'true') {
        marks[sample] = 1;
        any = true;
      }
    }
  }
  return any ? marks : undefined;
}
