/**
 * Label matchers as users type them, parsed strictly: nothing else may reach an expression.
 *
 *     job="kubelet", cluster!~"test-.*"   ->   [{ label: 'job', operator: '=', value: 'kubelet' }, ...]
 */

export interface Matcher {
  readonly label: string;
  readonly operator: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

const ONE = /\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*"((?:[^"\\\n]|\\["\\])*)"\s*(,|$)/y;

/** With or without braces; undefined when it is not a list of matchers. */
export function parseMatchers(text: string): Matcher[] | undefined {
  const inner = text.trim().replace(/^\{([^]*)\}$/, '$1');
  const matchers: Matcher[] = [];
  ONE.lastIndex = 0;
  for (;;) {
    const found = ONE.exec(inner);
    if (found === null) return undefined;
    const [, label = '', operator, value = '', end] = found;
    matchers.push({ label, operator: operator as Matcher['operator'], value: value.replace(/\\(["\\])/g, '$1') });
    if (end === '') return matchers;
  }
}

export function writeMatchers(matchers: readonly Matcher[]): string {
  return matchers.map(({ label, operator, value }) => `${label}${operator}${quote(value)}`).join(', ');
}

function quote(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
}
