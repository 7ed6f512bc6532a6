/**
 * JUnit XML as CI systems read it: the grammar that the schemas of Ant, Maven Surefire and Jenkins have in common.
 *
 *     testsuites > testsuite > properties?, testcase*, system-out?, system-err?
 *     testcase   > (skipped | error | failure | system-out | system-err)*
 */
interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly Element[];
  readonly text: string;
}

interface Rule {
  /** A `!` marks what is required. */
  readonly attributes: readonly string[];
  /** Children in this order; `*` for any number of times, `?` for at most once. */
  readonly children: readonly string[];
}

const RULES: Readonly<Record<string, Rule>> = {
  testsuites: { attributes: ['name', 'time', 'tests', 'failures', 'errors', 'disabled'], children: ['testsuite*'] },
  testsuite: {
    attributes: ['name!', 'tests!', 'failures', 'errors', 'skipped', 'time', 'timestamp', 'hostname', 'id', 'package'],
    children: ['properties?', 'testcase*', 'system-out?', 'system-err?'],
  },
  properties: { attributes: [], children: ['property*'] },
  property: { attributes: ['name!', 'value!'], children: [] },
  testcase: {
    attributes: ['name!', 'classname!', 'time', 'status', 'assertions'],
    children: ['skipped?', 'error*', 'failure*', 'system-out*', 'system-err*'],
  },
  skipped: { attributes: ['message', 'type'], children: [] },
  failure: { attributes: ['message', 'type!'], children: [] },
  error: { attributes: ['message', 'type!'], children: [] },
  'system-out': { attributes: [], children: [] },
  'system-err': { attributes: [], children: [] },
};

/** Problems, one line each; none if it is valid. */
export function junitProblems(xml: string): string[] {
  const problems: string[] = [];
  let root: Element;
  try {
    root = parseXml(xml);
  } catch (error) {
    return [(error as Error).message];
  }
  if (root.name !== 'testsuites' && root.name !== 'testsuite') problems.push(`the root is ${root.name}`);
  check(root, problems);
  for (const suite of root.name === 'testsuite' ? [root] : root.children) {
    const cases = suite.children.filter(({ name }) => name === 'testcase');
    const count = (name: string): number => cases.filter(one => one.children.some(child => child.name === name)).length;
    const told = (name: string): number => Number(suite.attributes.get(name) ?? 0);
    if (told('tests') !== cases.length) problems.push(`tests is ${told('tests')}, but there are ${cases.length}`);
    for (const [attribute, child] of [
      ['failures', 'failure'],
      ['skipped', 'skipped'],
      ['errors', 'error'],
    ] as const) {
      if (told(attribute) !== count(child)) problems.push(`${attribute} is ${told(attribute)}, not ${count(child)}`);
    }
  }
  return problems;
}

function check({ name, attributes, children, text }: Element, problems: string[]): void {
  const rule = RULES[name];
  if (rule === undefined) return void problems.push(`<${name}> is not part of JUnit XML`);
  for (const wanted of rule.attributes.filter(one => one.endsWith('!'))) {
    if (!attributes.has(wanted.slice(0, -1))) problems.push(`<${name}> has no ${wanted.slice(0, -1)}`);
  }
  for (const [key, value] of attributes) {
    if (!rule.attributes.some(one => one.replace('!', '') === key)) problems.push(`<${name}> may not have ${key}`);
    const isCount = ['tests', 'failures', 'errors', 'skipped', 'disabled'].includes(key);
    if (isCount && !/^\d+$/.test(value)) problems.push(`${key} of <${name}> is no number`);
  }
  if (rule.children.length > 0 && text.trim() !== '') problems.push(`<${name}> has text`);
  const order = rule.children.map(one => one.replace(/[*?]$/, ''));
  let at = 0;
  for (const child of children) {
    const place = order.indexOf(child.name);
    if (place < 0) problems.push(`<${child.name}> may not be in <${name}>`);
    else if (place < at) problems.push(`<${child.name}> comes too late in <${name}>`);
    else at = place;
    check(child, problems);
  }
  for (const single of rule.children.filter(one => one.endsWith('?')).map(one => one.slice(0, -1))) {
    if (children.filter(child => child.name === single).length > 1) problems.push(`<${name}> has <${single}> twice`);
  }
}

const TOKEN =
  /<\?xml[^>]*\?>|<!\[CDATA\[[\s\S]*?\]\]>|<\/(?<close>[\w-]+)>|<(?<open>[\w-]+)(?<attributes>(?:\s+[\w-]+="[^"<]*")*)\s*(?<empty>\/?)>|(?<text>[^<]+)/gy;

/** Throws if it is not well-formed, or has a character that XML 1.0 does not allow. */
function parseXml(xml: string): Element {
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(xml)) throw new Error('has a forbidden character');
  type Open = { name: string; attributes: Map<string, string>; children: Element[]; text: string };
  const root: Open = { name: '', attributes: new Map(), children: [], text: '' };
  const open: Open[] = [root];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < xml.length) {
    const from = TOKEN.lastIndex;
    const token = TOKEN.exec(xml);
    if (token === null) throw new Error(`is no XML at ${JSON.stringify(xml.slice(from, from + 40))}`);
    const { close, open: name, attributes = '', empty, text } = token.groups ?? {};
    const top = open.at(-1) ?? root;
    if (close !== undefined) {
      if (top.name !== close) throw new Error(`</${close}> ends <${top.name}>`);
      open.pop();
    } else if (name !== undefined) {
      const element: Open = { name, attributes: new Map(), children: [], text: '' };
      for (const [, key = '', value = ''] of attributes.matchAll(/([\w-]+)="([^"]*)"/g)) {
        if (/&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-f]+);)/i.test(value)) throw new Error(`${key}: has a bare &`);
        if (element.attributes.has(key)) throw new Error(`${key} twice in <${name}>`);
        element.attributes.set(key, value);
      }
      top.children.push(element);
      if (empty === '') open.push(element);
    } else if (text !== undefined) {
      if (text.includes('&')) throw new Error('has a bare & in text');
      top.text += text;
    } else if (token[0].startsWith('<![CDATA[')) top.text += token[0];
  }
  if (open.length > 1) throw new Error(`<${open.at(-1)?.name}> is not closed`);
  const [only, ...more] = root.children;
  if (only === undefined || more.length > 0) throw new Error('has no single root');
  return only;
}
