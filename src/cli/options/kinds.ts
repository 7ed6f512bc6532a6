/** Kinds of options: how each parses a value, which error it gives, and how it completes. */
import { parseByteSize, parseDuration, parseHttpUrl, parseTime } from './option-values.ts';
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
