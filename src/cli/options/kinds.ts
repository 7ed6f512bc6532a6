/** Kinds of options: how each parses a value, which error it gives, and how it completes. */
import { type Completes, type Option, enumeration, shown } from './option.ts';
import { Failure } from '../../base/errors.ts';

interface Wording {
  /** What the option does; '' if the choices say it all. */
  readonly help: string;
  readonly short?: string;
  readonly placeholder?: string;
  readonly section?: string;
  readonly needs?: readonly string[];
  readonly excludes?: readonly string[];
}

interface ValueWording extends Wording {
  /** As typed; '' is not shown in the help. */
  readonly default?: string;
  /** Shown as the default if it depends on other settings. */
  readonly defaultNote?: string;
}

/** Makes an option of one kind. Without a default, the value is undefined if the option is absent. */
export interface Kind<T> {
  (wording: ValueWording & { readonly default: string }): Option<T>;
  (wording: ValueWording): Option<T | undefined>;
}

interface KindParts<T> {
  readonly placeholder: string;
  /** Ends the sentence `--gap takes ...`. */
  readonly expects: string;
  /** Returns undefined for a wrong value; may throw a failure that says more. */
  readonly parse: (text: string) => T | undefined;
  readonly choices?: readonly string[];
  readonly completes?: Completes;
}

function kindOf<T>({ placeholder, expects, parse, choices, completes }: KindParts<T>): Kind<T> {
  const make = (wording: ValueWording): Option<T | undefined> => {
    const { default: fallback, defaultNote = fallback ?? '', help, ...rest } = wording;
    const meaning = [choices === undefined ? '' : enumeration(choices), help].filter(text => text !== '').join(': ');
    return {
      placeholder,
      ...rest,
      help: defaultNote === '' ? meaning : `${meaning} (default ${defaultNote})`,
      ...(choices === undefined ? {} : { choices }),
      ...(completes === undefined ? {} : { completes }),
      read: (texts, flag) => {
        const text = texts.at(-1) ?? fallback;
        if (text === undefined) return undefined;
        const value = parse(text);
        if (value === undefined) throw new Failure('usage', `${flag} takes ${expects}, not ${shown(text)}`);
        return value;
      },
    };
  };
  return make as Kind<T>;
}

/** An option without a value. */
export function flag(wording: Wording): Option<boolean> {
  return { ...wording, read: texts => texts.length > 0 };
}

export const text: Kind<string> = kindOf({ placeholder: 'TEXT', expects: 'a text', parse: given => given });

/** A text that may not be empty. */
export const name: Kind<string> = kindOf({
  placeholder: 'NAME',
  expects: 'a name',
  parse: given => (given === '' ? undefined : given),
});

export const file: Kind<string> = kindOf({
  placeholder: 'FILE',
  expects: 'a file',
  parse: given => given,
  completes: 'files',
});

export const folder: Kind<string> = kindOf({
  placeholder: 'DIR',
  expects: 'a folder',
  parse: given => given,
  completes: 'folders',
});

export const duration: Kind<number> = kindOf({
  placeholder: 'TIME',
  expects: 'a time such as 30s, 5m or 7d',
  parse: parseDuration,
});

export const durationOrZero: Kind<number> = kindOf({
  placeholder: 'TIME',
  expects: 'a time such as 5m, or 0',
  parse: given => (given === '0' ? 0 : parseDuration(given)),
});

export const byteSize: Kind<number> = kindOf({
  placeholder: 'BYTES',
  expects: 'a size such as 512Mi',
  parse: parseByteSize,
});

/** Unix seconds. */
export const time: Kind<number> = kindOf({
  placeholder: 'TIME',
  expects: 'a time such as 2026-08-04T06:00Z, or Unix seconds',
  parse: parseTime,
});

export const httpUrl: Kind<string> = kindOf({
  placeholder: 'URL',
  expects: 'a URL such as http://localhost:9090',
  parse: parseHttpUrl,
});

export function choice<const C extends string>(choices: readonly C[]): Kind<C> {
  return kindOf({
    placeholder: 'NAME',
    expects: enumeration(choices),
    parse: given => choices.find(known => known === given),
    choices,
  });
}

export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): Kind<number> {
  const from = least === 0 ? '' : least === 1 ? ' above 0' : ` from ${least} on`;
  return kindOf({
    placeholder: 'N',
    expects: `a whole number${most < Number.MAX_SAFE_INTEGER ? ` from ${least} to ${most}` : from}`,
    parse: given => {
      const value = /^\d{1,15}$/.test(given) ? Number(given) : -1;
      return value >= least && value <= most ? value : undefined;
    },
  });
}

/** A kind that only one command uses. */
export function custom<T>(placeholder: string, expects: string, parse: (text: string) => T | undefined): Kind<T> {
  return kindOf({ placeholder, expects, parse });
}

/** An option that may be given several times. */
export function texts(
  wording: Wording & { readonly placeholder: string; readonly completes?: Completes },
): Option<readonly string[]> {
  return { ...wording, repeats: true, read: given => given };
}

/** Values between commas. */
export function list<const C extends string = string>(choices?: readonly C[]): Kind<readonly C[]> {
  const isKnown = (item: string): item is C => choices === undefined || choices.some(known => known === item);
  return kindOf({
    placeholder: choices === undefined ? 'NAME,...' : 'KIND,...',
    expects: choices === undefined ? 'names between commas' : `one or more of ${enumeration(choices, 'and')}`,
    parse: given => {
      const items = given.split(',').filter(item => item !== '');
      return items.every(isKnown) ? (items as C[]) : undefined;
    },
    ...(choices === undefined ? {} : { choices }),
  });
}

/* What the kinds parse; each returns undefined for other texts. */

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Seconds of `6h`, `90s`, `1d12h`. */
export function parseDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?[smhdw])+$/.test(text)) return undefined;
  let seconds = 0;
  for (const [, count, unit] of text.matchAll(/([\d.]+)([smhdw])/g))
    seconds += Number(count) * (SECONDS[unit ?? ''] ?? 0);
  return seconds > 0 ? seconds : undefined;
}

const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti'];
const DECIMAL = ['', 'k', 'M', 'G', 'T'];

/** Bytes of `536870912`, `512Mi`, `2G`, as Kubernetes writes them. */
export function parseByteSize(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d+(?:\.\d+)?)(Ki|Mi|Gi|Ti|k|M|G|T)?B?$/.exec(text) ?? [];
  if (count === undefined) return undefined;
  const scale = unit.endsWith('i') ? 1024 ** BINARY.indexOf(unit) : 1000 ** DECIMAL.indexOf(unit);
  const bytes = Number(count) * scale;
  return bytes > 0 ? bytes : undefined;
}

const RFC_3339 = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/i;

/** Unix seconds of `2026-08-04T06:00Z` (UTC by default), or of a number of Unix seconds. */
export function parseTime(text: string): number | undefined {
  if (/^\d{9,10}(?:\.\d+)?$/.test(text)) return Number(text);
  if (!RFC_3339.test(text)) return undefined;
  const zoned = /(?:Z|[+-]\d\d:\d\d)$/i.test(text) || text.length === 10 ? text : `${text}Z`;
  const millis = Date.parse(zoned.replace(' ', 'T').toUpperCase());
  return Number.isNaN(millis) ? undefined : millis / 1000;
}

/** An http or https URL, as typed. Throws a usage failure if it has a password. */
function parseHttpUrl(text: string): string | undefined {
  if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) return undefined;
  const { username, password } = new URL(text);
  if (username === '' && password === '') return text;
  throw new Failure('usage', 'a password in a URL ends up in files and process lists; give it in a file');
}

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export function isNamespace(text: string): boolean {
  return NAMESPACE.test(text);
}

export function isReplicaId(text: string): boolean {
  return /^[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?$/.test(text);
}
