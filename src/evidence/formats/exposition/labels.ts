/** The labels of one series: `{code="200",path="/a\"b"}`, or with the metric's name in quotes: `{"my.metric",a="b"}`. */

export interface ParsedLabels {
  /** The name, where it stands inside the braces: in quotes, or as `__name__`. */
  readonly name: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

const LABEL = /[\s,]*(?:([a-zA-Z_][a-zA-Z0-9_.:]*)|"((?:[^"\\]|\\.)*)")\s*(?:=\s*"((?:[^"\\]|\\.)*)")?\s*(?=[,}]|$)/uy;

/** Reads what stands between the braces; undefined when it is not labels. */
export function parseLabels(text: string): ParsedLabels | undefined {
  const labels = Object.create(null) as Record<string, string>;
  let name: string | undefined;
  let at = 0;
  while (at < text.length) {
    LABEL.lastIndex = at;
    const match = LABEL.exec(text);
    if (match === null) return /^[\s,]*$/.test(text.slice(at)) ? { name, labels } : undefined;
    const [, bare, quoted, value] = match;
    if (value !== undefined && bare === '__name__') name = unescapeText(value);
    else if (value !== undefined) labels[bare ?? unescapeText(quoted)] = unescapeText(value);
    else if (quoted !== undefined && name === undefined) name = unescapeText(quoted);
    else return undefined;
    at = LABEL.lastIndex;
  }
  return { name, labels };
}

function unescapeText(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(.)/gsu, (escape, char: string) =>
    char === 'n' ? '\n' : '\\"'.includes(char) ? char : escape,
  );
}

function escapeText(text: string): string {
  return text.replace(/["\\\n]/g, char => (char === '\n' ? '\\n' : `\\${char}`));
}

/** `name{a="1",b="2"}`, labels sorted: equal for equal series, however they were written. */
export function seriesKey(name: string, labels: Readonly<Record<string, string>>): string {
  const keys = Object.keys(labels).sort();
  if (keys.length === 0) return name;
  return `${name}{${keys.map(key => `${key}="${escapeText(labels[key])}"`).join(',')}}`;
}
