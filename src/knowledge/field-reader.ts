/** Reads typed fields off a YAML file and collects, rather than throws, what is wrong with them. */
import { type Document, isCollection, LineCounter, parseDocument } from 'yaml';
import { oneLine } from '../base/text-layout.ts';
import { visible } from '../base/visible-text.ts';

/** Far above any file of ours; keeps a wrong file from being parsed at length. */
const MAX_TEXT = 256 * 1024;

export interface FileOrigin {
  /** A file of this repository: it may use aliases, and problems name the line. */
  readonly isOurs?: boolean;
}

/** The fields at the top of a file, or what is wrong with it as YAML. */
export function readFields(text: string, file: string, { isOurs = false }: FileOrigin = {}): FieldReader | string {
  if (text.length > MAX_TEXT) return `${file}: larger than ${MAX_TEXT} characters`;
  const lineCounter = new LineCounter();
  // Without a schema every scalar is text: 1.30 stays a version, `on` stays a word.
  const document = parseDocument(text, { schema: 'failsafe', prettyErrors: false, lineCounter });
  const [error] = document.errors;
  if (error !== undefined) return `${file}: line ${lineCounter.linePos(error.pos[0]).line}: ${oneLine(error.message)}`;
  try {
    // Aliases can make a small file huge.
    const value: unknown = document.toJS({ maxAliasCount: isOurs ? -1 : 0 });
    return new FieldReader(value, file, isOurs ? path => lineOf(document, lineCounter, path) : undefined);
  } catch (thrown) {
    return `${file}: ${oneLine((thrown as Error).message)}`;
  }
}

/** The line of `causes[0].signs[1].any`, or of the innermost part of it that exists. */
function lineOf(document: Document, lineCounter: LineCounter, path: string): number {
  let node: unknown = document.contents;
  let start = 0;
  for (const key of ['', ...(path.match(/[^.[\]]+/g) ?? [])]) {
    if (key !== '') node = isCollection(node) ? node.get(key, true) : undefined;
    const range = (node as { range?: readonly number[] } | undefined)?.range;
    if (range === undefined) break;
    start = range[0] ?? 0;
  }
  return lineCounter.linePos(start).line;
}

interface TextRule {
  readonly required?: boolean;
  readonly shape?: RegExp;
  /** The shape in words. */
  readonly form?: string;
}

export class FieldReader {
  readonly #fields: ReadonlyMap<string, unknown>;
  readonly #file: string;
  readonly #path: string;
  readonly #read: Set<string> = new Set();
  readonly #lineOf: ((path: string) => number) | undefined;
  readonly problems: string[];

  /** With `lineOf`, problems name the line. */
  constructor(value: unknown, file: string, lineOf?: (path: string) => number, path = '', problems: string[] = []) {
    this.#file = file;
    this.#lineOf = lineOf;
    this.#path = path;
    this.problems = problems;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      this.#fields = new Map(Object.entries(value));
    } else {
      this.#fields = new Map();
      this.#report(path, 'must be a mapping of fields to values');
    }
  }

  complain(field: string, problem: string): void {
    this.#report(this.#pathOf(field), problem);
  }

  /** Whether the file gives the field. */
  has(field: string): boolean {
    this.#read.add(field);
    return this.#fields.has(field);
  }

  text(field: string, rule: TextRule = {}): string {
    const value = this.#get(field) ?? '';
    if (typeof value !== 'string') {
      this.complain(field, 'must be text');
      return '';
    }
    return this.#checked(field, value.trim(), rule);
  }

  texts(field: string, rule: { readonly required?: boolean } = {}): string[] {
    const items = this.#list(field, rule.required === true);
    return items.map((item, index) => {
      const name = `${field}[${index}]`;
      if (typeof item === 'string') return this.#checked(name, item.trim(), { required: true });
      this.complain(name, 'must be text');
      return '';
    });
  }

  oneOf<T extends string>(field: string, choices: readonly T[], fallback?: T): T {
    const value = this.#get(field) ?? fallback;
    const choice = choices.find(one => one === value);
    if (choice === undefined) this.complain(field, wrongChoice(choices, value));
    return choice ?? (choices[0] as T);
  }

  listOf<T extends string>(field: string, choices: readonly T[], rule: { readonly required?: boolean } = {}): T[] {
    return this.#list(field, rule.required === true).flatMap((item, index) => {
      const choice = choices.find(one => one === item);
      if (choice === undefined) this.complain(`${field}[${index}]`, wrongChoice(choices, item));
      return choice ?? [];
    });
  }

  flag(field: string): boolean {
    return this.oneOf(field, ['true', 'false'], 'false') === 'true';
  }

  objects(field: string, rule: { readonly required?: boolean } = {}): FieldReader[] {
    return this.#list(field, rule.required === true).map((item, index) => this.#below(item, `${field}[${index}]`));
  }

  /** A field with fields of its own, whose names the file chooses. */
  named(field: string): readonly (readonly [name: string, value: unknown])[] {
    const value = this.#get(field) ?? {};
    return [...this.#below(value, field).#fields];
  }

  /** A list of what `read` makes of each item. */
  items<T>(field: string, read: (item: unknown, place: string) => T): T[] {
    return this.#list(field, false).map((item, index) => read(item, `${field}[${index}]`));
  }

  /** Call last: a field that nobody read is a typing mistake. */
  done(): void {
    for (const field of this.#fields.keys()) {
      if (!this.#read.has(field)) this.complain(field, `is not a field; there are ${[...this.#read].join(', ')}`);
    }
  }

  #below(value: unknown, field: string): FieldReader {
    return new FieldReader(value, this.#file, this.#lineOf, this.#pathOf(field), this.problems);
  }

  #pathOf(field: string): string {
    return this.#path === '' ? field : `${this.#path}.${field}`;
  }

  #report(path: string, problem: string): void {
    const place = this.#lineOf === undefined ? this.#file : `${this.#file}:${this.#lineOf(path)}`;
    // A key is quoted whatever it holds.
    this.problems.push(`${place}: ${visible(oneLine(`${path === '' ? '' : `${path}: `}${problem}`))}`);
  }

  #get(field: string): unknown {
    this.#read.add(field);
    return this.#fields.get(field);
  }

  #list(field: string, required: boolean): readonly unknown[] {
    const value = this.#get(field) ?? [];
    if (!Array.isArray(value)) {
      this.complain(field, 'must be a list');
      return [];
    }
    if (required && value.length === 0) this.complain(field, 'is needed');
    return value;
  }

  #checked(field: string, value: string, rule: TextRule): string {
    if (rule.required === true && value === '') this.complain(field, 'is needed');
    else if (/[\r\n]/.test(value)) this.complain(field, 'must be one line');
    else if (rule.shape !== undefined && value !== '' && !rule.shape.test(value)) {
      this.complain(field, `must be ${rule.form ?? String(rule.shape)}, not ${JSON.stringify(value)}`);
    }
    return value;
  }
}

function wrongChoice(choices: readonly string[], value: unknown): string {
  const list = choices.length === 2 ? choices.join(' or ') : `one of ${choices.join(', ')}`;
  return value === undefined ? `is needed, ${list}` : `must be ${list}, not ${JSON.stringify(value)}`;
}
