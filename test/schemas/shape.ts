/** Shapes of JSON as a schema gives them: every property is known, required ones are there, values are of their type. */
export type Check = (value: unknown, at: string, problems: string[]) => void;

export const text: Check = (value, at, problems) => {
  if (typeof value !== 'string') problems.push(`${at}: is no string`);
};

export function matching(pattern: RegExp): Check {
  return (value, at, problems) => {
    if (typeof value !== 'string' || !pattern.test(value)) problems.push(`${at}: does not match ${pattern}`);
  };
}

export function oneOf(...values: readonly unknown[]): Check {
  return (value, at, problems) => {
    if (!values.includes(value)) problems.push(`${at}: is not one of ${values.join(', ')}`);
  };
}

export function integerFrom(least: number): Check {
  return (value, at, problems) => {
    if (!Number.isInteger(value) || (value as number) < least) problems.push(`${at}: is no integer from ${least} on`);
  };
}

export const anything: Check = () => {};

export function listOf(check: Check, { least = 0 }: { readonly least?: number } = {}): Check {
  return (value, at, problems) => {
    if (!Array.isArray(value)) problems.push(`${at}: is no list`);
    else if (value.length < least) problems.push(`${at}: has fewer than ${least} items`);
    else value.forEach((item, i) => check(item, `${at}[${i}]`, problems));
  };
}

export function mapOf(check: Check): Check {
  return (value, at, problems) => {
    for (const [key, item] of Object.entries(recordAt(value, at, problems))) check(item, `${at}.${key}`, problems);
  };
}

/** Properties that end in `!` are required; others than these are not allowed. */
export function object(properties: Readonly<Record<string, Check>>): Check {
  return (value, at, problems) => {
    const record = recordAt(value, at, problems);
    const known = new Map(Object.entries(properties).map(([key, check]) => [key.replace(/!$/, ''), check]));
    for (const key of Object.keys(properties).filter(name => name.endsWith('!'))) {
      if (record[key.slice(0, -1)] === undefined) problems.push(`${at}.${key.slice(0, -1)}: is missing`);
    }
    for (const [key, item] of Object.entries(record)) {
      const check = known.get(key);
      if (check === undefined) problems.push(`${at}.${key}: is not part of the schema`);
      else check(item, `${at}.${key}`, problems);
    }
  };
}

function recordAt(value: unknown, at: string, problems: string[]): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  problems.push(`${at}: is no object`);
  return {};
}
