/**
 * Causes from their YAML files. causes.yaml has the order of the groups and the snippets that all of them share; each
 * group has its causes, and may have snippets of its own.
 */
import { isGoroutineState } from '../profile/wait-reasons.ts';
import { type FieldReader, readFields } from './field-reader.ts';
import type { CauseRecord, Lifetime, Sign, WholeResource } from './records.ts';

const WHOLE: readonly WholeResource[] = ['native-memory', 'file-descriptors', 'threads', 'metric-series'];

/** Name -> its text, in which {} is the argument. */
type Snippets = ReadonlyMap<string, string>;

/** `groups`: the path of each group's file -> its text. The order must name each of them, and no other. */
export function readCauses(
  text: string,
  file: string,
  groups: ReadonlyMap<string, string>,
): { readonly causes: readonly CauseRecord[]; readonly problems: readonly string[] } {
  const top = readFields(text, file, { isOurs: true });
  if (typeof top === 'string') return { causes: [], problems: [top] };
  const order = top.texts('order', { required: true });
  const shared = snippetsOf(top, new Map());
  top.done();
  const problems = [...top.problems];
  const files = [...groups.keys()];
  const fileOf = (name: string): string | undefined => files.find(path => path.endsWith(`/${name}.yaml`));
  const causes = order.flatMap(name => {
    const path = fileOf(name);
    const reader = path === undefined ? undefined : readFields(groups.get(path) ?? '', path, { isOurs: true });
    if (reader === undefined || typeof reader === 'string') {
      problems.push(reader ?? `${file}: order: there is no group ${name}`);
      return [];
    }
    const snippets = snippetsOf(reader, shared);
    const found = reader.objects('causes', { required: true }).map(one => causeOf(one, snippets));
    reader.done();
    problems.push(...reader.problems);
    return found;
  });
  const tried = new Set(order.map(fileOf));
  for (const path of files) if (!tried.has(path)) problems.push(`${path}: is not in the order of ${file}`);
  return { causes, problems };
}

function snippetsOf(reader: FieldReader, shared: Snippets): Snippets {
  const snippets = new Map(shared);
  for (const [name, value] of reader.named('snippets')) {
    if (snippets.has(name)) reader.complain(`snippets.${name}`, 'is the name of another snippet');
    snippets.set(name, expanded(reader, `snippets.${name}`, value, snippets));
  }
  return snippets;
}

/** A text, or a snippet by its name: `kubelet-metrics: ^go_goroutines`. */
function expanded(reader: FieldReader, place: string, value: unknown, snippets: Snippets): string {
  if (typeof value === 'string') return value.trim();
  const entries = Object.entries((value ?? {}) as object);
  const [name = '', argument] = entries[0] ?? [];
  const text = snippets.get(name);
  if (entries.length !== 1 || text === undefined) {
    reader.complain(place, `must be text or one of the snippets ${[...snippets.keys()].join(', ')}`);
    return '';
  }
  if (typeof argument !== 'string' || text.includes('{}') !== (argument !== '')) {
    reader.complain(place, text.includes('{}') ? `${name} needs a text` : `${name} takes nothing`);
  }
  return text.replace('{}', () => String(argument));
}

function causeOf(reader: FieldReader, snippets: Snippets): CauseRecord {
  const texts = (field: string): string[] =>
    reader.items(field, (item, place) => expanded(reader, place, item, snippets));
  const actIfGrows = texts('actIfGrows');
  const record: CauseRecord = {
    id: reader.text('id', { required: true, shape: /^[a-z0-9]+(-[a-z0-9]+)*$/, form: 'words with dashes' }),
    title: reader.text('title', { required: true }),
    kind: reader.oneOf('kind', ['goroutine', 'heap', ...WHOLE]),
    signs: reader.objects('signs').map(signOf),
    meaning: reader.text('meaning', { required: true }),
    check: texts('check'),
    act: texts('act'),
    ...(actIfGrows.length > 0 ? { actIfGrows } : {}),
    avoid: texts('avoid'),
    benign: reader.flag('benign'),
    ...(reader.flag('isTiedToPods') ? { isTiedToPods: true } : {}),
  };
  if (WHOLE.some(kind => kind === record.kind) !== (record.signs.length === 0))
    reader.complain('signs', 'are needed of families, and none of a whole resource');
  for (const field of ['check', 'act'] as const) if (record[field].length === 0) reader.complain(field, 'is needed');
  reader.done();
  return record;
}

export function readLifetimes(
  text: string,
  file: string,
): { readonly lifetimes: readonly Lifetime[]; readonly problems: readonly string[] } {
  const top = readFields(text, file, { isOurs: true });
  if (typeof top === 'string') return { lifetimes: [], problems: [top] };
  const lifetimes = top.objects('lifetimes', { required: true }).map((reader): Lifetime => {
    const lifetime = {
      of: reader.text('of', { required: true }),
      kind: reader.oneOf('kind', ['goroutine', 'heap']),
      signs: reader.objects('signs', { required: true }).map(signOf),
      endsBy: reader.text('endsBy'),
      fillsTo: reader.text('fillsTo'),
      isReused: reader.flag('isReused'),
    };
    if ((lifetime.endsBy === '') === (lifetime.fillsTo === ''))
      reader.complain('endsBy', 'or fillsTo is needed, not both');
    reader.done();
    return lifetime;
  });
  top.done();
  return { lifetimes, problems: top.problems };
}

function signOf(reader: FieldReader): Sign {
  const sign: { -readonly [Field in keyof Sign]: Sign[Field] } = {};
  for (const field of ['all', 'any', 'none', 'leaf', 'creators'] as const) {
    if (reader.has(field)) sign[field] = partsIn(reader, field);
  }
  if (reader.has('states')) {
    sign.states = reader.texts('states', { required: true });
    const odd = sign.states.find(state => !isGoroutineState(state));
    if (odd !== undefined) reader.complain('states', `${JSON.stringify(odd)} is no state of a goroutine`);
  }
  if (reader.flag('uncreated')) sign.uncreated = true;
  if (reader.has('waitMinutes')) {
    sign.waitMinutes = Number(reader.text('waitMinutes', { shape: /^[1-9]\d*$/, form: 'a number of minutes' }));
  }
  reader.done();
  if (Object.keys(sign).length === 0) reader.complain('any', 'a sign needs a condition');
  return sign;
}

function partsIn(reader: FieldReader, field: string): string[] {
  const parts = reader.texts(field, { required: true });
  const odd = parts.find(part => /[\s{}[\]]|\*$/.test(part));
  if (odd !== undefined) reader.complain(field, `${JSON.stringify(odd)} is not a part of a normalised name`);
  return parts;
}
