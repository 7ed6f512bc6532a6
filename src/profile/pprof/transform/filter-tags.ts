/** -tagfocus, -tagignore (on samples) and -tagshow, -taghide (on the labels themselves). */
import type { Profile } from '../../profile.ts';
import { scale } from '../measurement.ts';
import { numericLabels, stringLabels } from './sample-labels.ts';
import { filterLabels, selectSamples } from './stacks.ts';
import type { CompileRegexp, GoRegexp } from '../go-regexp.ts';
import { expected, Failure } from '../../../base/errors.ts';

export type SampleTest = (profile: Profile, sample: number) => boolean;

/**
 * Compiles `[KEY=]RANGE` or `[KEY=]REGEXP[,REGEXP...]`.
 *
 * A range is `30kb`, `30kb:`, `:30kb` or `1kb:2mb`. Without a key every expression must match some `key:value`; with
 * one, any expression may match a value of that key.
 */
export function compileTagFilter(
  option: string,
  text: string,
  labelUnits: ReadonlyMap<string, string>,
  compile: CompileRegexp,
  warn: (message: string) => void,
): SampleTest {
  const equals = text.indexOf('=');
  const key = equals < 0 ? '' : text.slice(0, equals);
  const value = equals < 0 ? text : text.slice(equals + 1);

  const range = parseRange(value);
  if (range !== undefined) {
    warn(`${option}:Interpreted '${value}' as range, not regexp`);
    return (profile, sample) => {
      for (const [name, { values }] of numericLabels(profile, sample)) {
        if (key !== '' && name !== key) continue;
        const unit = labelUnits.get(name) ?? '';
        if (values.some(number => range(number, unit))) return true;
      }
      return false;
    };
  }

  const expressions = value.split(',').map(source => {
    try {
      return compile(source);
    } catch (error) {
      throw new Failure('usage', `parsing ${option} regexp: ${expected(error).message}`);
    }
  });
  if (key === '') {
    return (profile, sample) => {
      const pairs: string[] = [];
      for (const [name, values] of stringLabels(profile, sample)) for (const v of values) pairs.push(`${name}:${v}`);
      return expressions.every(expression => pairs.some(pair => expression.matches(pair)));
    };
  }
  return (profile, sample) => {
    const values = stringLabels(profile, sample).get(key) ?? [];
    return expressions.some(expression => values.some(v => expression.matches(v)));
  };
}

type RangeTest = (value: number | bigint, unit: string) => boolean;

function parseRange(text: string): RangeTest | undefined {
  const found = [...text.matchAll(/([+-]?[0-9]+)([A-Za-z]+)?/g)].slice(0, 2);
  if (found.length === 0) return undefined;
  const low = bound(found[0], found[0][2] ?? '');
  const at = (value: number | bigint, unit: string): number | undefined => {
    const scaled = scale(value, unit, low.unit);
    return scaled.unit === low.unit ? scaled.value : undefined;
  };
  if (found.length === 1) {
    const match = found[0][0];
    if (text === match) return (value, unit) => at(value, unit) === low.value;
    if (text === `${match}:`) return (value, unit) => (at(value, unit) ?? NaN) >= low.value;
    if (text === `:${match}`) return (value, unit) => (at(value, unit) ?? NaN) <= low.value;
    return undefined;
  }
  if (text !== `${found[0][0]}:${found[1][0]}`) return undefined;
  const high = bound(found[1], low.unit);
  if (high.unit !== low.unit) return undefined;
  return (value, unit) => {
    const scaled = at(value, unit) ?? NaN;
    return scaled >= low.value && scaled <= high.value;
  };
}

function bound(match: RegExpMatchArray, toUnit: string): { value: number; unit: string } {
  const value = BigInt(match[1].replace('+', ''));
  if (BigInt.asIntN(64, value) !== value)
    throw new Failure('usage', `failed to parse int ${match[1]}: value out of range`);
  return scale(value, match[2] ?? '', toUnit);
}

export function filterByTag(
  profile: Profile,
  focus: SampleTest | undefined,
  ignore: SampleTest | undefined,
): { profile: Profile; focusMatched: boolean; ignoreMatched: boolean } {
  if (focus === undefined && ignore === undefined) return { profile, focusMatched: false, ignoreMatched: false };
  let focusMatched = false;
  let ignoreMatched = false;
  const filtered = selectSamples(profile, sample => {
    const focused = focus?.(profile, sample) ?? true;
    const ignored = ignore?.(profile, sample) ?? false;
    focusMatched ||= focused;
    ignoreMatched ||= ignored;
    return focused && !ignored;
  });
  return { profile: filtered, focusMatched, ignoreMatched };
}

export function filterTagsByName(
  profile: Profile,
  show: GoRegexp | undefined,
  hide: GoRegexp | undefined,
): { profile: Profile; showMatched: boolean; hideMatched: boolean } {
  if (show === undefined && hide === undefined) return { profile, showMatched: false, hideMatched: false };
  let showMatched = false;
  let hideMatched = false;
  const { labels } = profile.samples;
  const filtered = filterLabels(profile, row => {
    const name = profile.strings[labels.key[row]];
    const shown = show === undefined || show.matches(name);
    const hidden = hide !== undefined && hide.matches(name);
    showMatched ||= shown;
    hideMatched ||= hidden;
    return shown && !hidden;
  });
  return { profile: filtered, showMatched, hideMatched };
}
