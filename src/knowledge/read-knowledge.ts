/**
 * Everything the room knows, from its YAML files. scripts/make-knowledge.mjs makes bundled.ts of it.
 *
 *     causes.yaml   causes/GROUP.yaml   lifetimes.yaml   owners.yaml   products.yaml   leaks/ID.yaml
 */
import { readFields } from './field-reader.ts';
import type { KnownLeak } from './known-leak.ts';
import { readCauses, readLifetimes } from './read-causes.ts';
import { readLeak } from './read-leak.ts';
import type { CauseRecord, Lifetime, OwnerRule, Product } from './records.ts';

export interface Knowledge {
  readonly causes: readonly CauseRecord[];
  readonly lifetimes: readonly Lifetime[];
  readonly owners: readonly OwnerRule[];
  readonly products: readonly Product[];
  readonly leaks: readonly KnownLeak[];
  /** One line each, with the file and the line; nothing may be built while there are any. */
  readonly problems: readonly string[];
}

/** `files`: the path below this folder -> the text. */
export function readKnowledge(files: ReadonlyMap<string, string>): Knowledge {
  const below = (folder: string): ReadonlyMap<string, string> =>
    new Map([...files].filter(([path]) => path.startsWith(`${folder}/`)).sort(([a], [b]) => (a < b ? -1 : 1)));
  const { causes, problems } = readCauses(files.get('causes.yaml') ?? '', 'causes.yaml', below('causes'));
  const lifetimes = readLifetimes(files.get('lifetimes.yaml') ?? '', 'lifetimes.yaml');
  const owners = readOwners(files.get('owners.yaml') ?? '', 'owners.yaml');
  const products = readProducts(files.get('products.yaml') ?? '', 'products.yaml');
  const leaks = Array.from(below('leaks'), ([path, text]) => readLeak(text, path, { isOurs: true }));
  const ids = causes.map(({ id }) => id);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
  return {
    causes,
    lifetimes: lifetimes.lifetimes,
    owners: owners.rules,
    products: products.products,
    leaks: leaks.flatMap(({ leak }) => leak ?? []),
    problems: [
      ...problems,
      ...twice.map(id => `causes/: two causes have the id ${id}`),
      ...lifetimes.problems,
      ...owners.problems,
      ...products.problems,
      ...leaks.flatMap(leak => leak.problems),
    ],
  };
}

function readOwners(text: string, file: string): { rules: readonly OwnerRule[]; problems: readonly string[] } {
  const top = readFields(text, file, { isOurs: true });
  if (typeof top === 'string') return { rules: [], problems: [top] };
  const rules = top.objects('owners', { required: true }).map(reader => {
    const rule = {
      owner: reader.text('owner', { required: true }),
      frames: reader.texts('frames', { required: true }),
    };
    reader.done();
    const isKept = rule.owner.includes('$1');
    const odd = rule.frames.find(frame => /\s/.test(frame) || /\{[^{}]*\}/.test(frame) !== isKept);
    if (odd !== undefined) {
      reader.complain('frames', `${JSON.stringify(odd)} must keep ${isKept ? 'a word for $1' : 'no word'}`);
    }
    return rule;
  });
  top.done();
  return { rules, problems: top.problems };
}

function readProducts(
  text: string,
  file: string,
): { readonly products: readonly Product[]; readonly problems: readonly string[] } {
  const top = readFields(text, file, { isOurs: true });
  if (typeof top === 'string') return { products: [], problems: [top] };
  const products = top.objects('products', { required: true }).map((reader): Product => {
    const product = {
      name: reader.text('name', { required: true }),
      aliases: reader.texts('aliases'),
      pods: reader.texts('pods'),
      packages: reader.texts('packages', { required: true }),
      metrics: reader.texts('metrics'),
      fetch: reader.text('fetch'),
      needs: reader.text('needs'),
      version: reader.text('version'),
      keeps: reader.text('keeps'),
    };
    reader.done();
    if (product.fetch !== '' && !product.fetch.includes('{path}') && product.needs === '')
      reader.complain('fetch', 'must hold {path}, or needs says why it cannot');
    return product;
  });
  top.done();
  return { products, problems: top.problems };
}
