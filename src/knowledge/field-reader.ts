/** Reads typed fields off a parsed YAML value and collects, rather than throws, what is wrong with them. */

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
  readonly problems: string[];

  constructor(value: unknown, file: string, path = '', problems: string[] = []) {
    this.#file = file;
    this.#path = path;
    this.problems = problems;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      this.#fields = new Map(Object.entries(value));
    } else {
      this.#fields = new Map();
      problems.push(`${file}: ${path === '' ? '' : `${path}: `}must be a mapping of fields to values`);
    }
  }

  complain(field: string, problem: string): void {
    this.problems.push(`${this.#file}: ${this.#path === '' ? '' : `${this.#path}.`}${field}: ${problem}`);
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
    return choice ?? choices[0];
  }

  listOf<T extends string>(field: string, choices: readonly T[], rule: { readonly required?: boolean } = {}): T[] {
    return this.#list(field, rule.required === true).flatMap((item, index) => {
      const choice = choices.find(one => one === item);
      if (choice === undefined) this.complain(`${field}[${index}]`, wrongChoice(choices, item));
      return choice ?? [];
    });
  }

  objects(field: string): FieldReader[] {
    return this.#list(field, false).map(
      (item, index) =>
        new FieldReader(
          item,
          this.#file,
          `${this.#path === '' ? '' : `${this.#path}.`}${field}[${index}]`,
          this.problems,
        ),
    );
  }

  /** Call last: a field that nobody read is a typing mistake. */
  done(): void {
    for (const field of this.#fields.keys()) {
      if (!this.#read.has(field)) this.complain(field, `is not a field; there are ${[...this.#read].join(', ')}`);
    }
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
