/**
 * Which program something is of, and how its profiles are fetched. The programs are those of products.yaml.
 *
 *     productOfProcess('kubelet')                     a process, a container or a binary by its name, whole or cut
 *     productOfPod('istiod-54c54679d7-9559c')         a pod by how its name begins
 *     productOfFrames(frames)                         a stack by code that only one program runs
 */
import { BUNDLED_PRODUCTS } from './bundled.ts';
import type { Product } from './records.ts';

/** ps, top and the kernel cut the name of a process after 15 letters. */
const CUT_NAME = 15;

export function productOfProcess(name: string): Product | undefined {
  const bare = name.slice(name.lastIndexOf('/') + 1);
  const isName = (known: string): boolean =>
    known === bare || (bare.length === CUT_NAME && known.length > CUT_NAME && known.startsWith(bare));
  return BUNDLED_PRODUCTS.find(product => isName(product.name) || product.aliases.some(isName));
}

export function productOfPod(pod: string): Product | undefined {
  return BUNDLED_PRODUCTS.find(({ pods }) => pods.some(start => pod.startsWith(start)));
}

export function productWithMetric(metrics: ReadonlySet<string>): Product | undefined {
  return BUNDLED_PRODUCTS.find(product => product.metrics.some(metric => metrics.has(metric)));
}

/** By normalised frames. The first product that has one is meant: programs stand before the libraries they use. */
export function productOfFrames(frames: Iterable<string>): Product | undefined {
  let first = BUNDLED_PRODUCTS.length;
  for (const frame of frames) {
    const at = BUNDLED_PRODUCTS.findIndex(product => runs(product, frame));
    if (at >= 0 && at < first) first = at;
  }
  return BUNDLED_PRODUCTS[first];
}

/** Whether only this program runs the code of `frame`. */
export function runs({ packages }: Product, frame: string): boolean {
  return packages.some(path => frame.startsWith(path) && (frame[path.length] === '/' || frame[path.length] === '.'));
}

/** The command that writes what is at `path` to a file, for a program that is known, or any other. */
export function fetchCommand(component: string | undefined, path: string, file: string): string {
  const product = component === undefined ? undefined : productOfProcess(component);
  const fetch = product === undefined || product.fetch === '' ? 'curl -s "http://$HOST:$PORT/{path}"' : product.fetch;
  return `${fetch.replace('{path}', path).replace('{name}', path.slice(path.lastIndexOf('/') + 1))} > ${file}`;
}

/** '' for programs that have no common command for it. */
export function versionCommandOf(component: string | undefined): string {
  return (component === undefined ? undefined : productOfProcess(component))?.version ?? '';
}

/** Names that are words of every text about such programs. */
const PLAIN_WORDS: ReadonlySet<string> = new Set(['agent', 'discovery', 'destination', 'pilot', 'docker', 'felix']);

/** By the names of programs and pods in a text: the one that is named most often, the first of equals. */
export function productIn(whole: string): Product | undefined {
  // A name at the start of a sentence has a capital letter.
  const text = whole.toLowerCase();
  let best: { readonly product: Product; readonly count: number; readonly at: number } | undefined;
  for (const product of BUNDLED_PRODUCTS) {
    const names = [product.name, ...product.aliases.filter(name => !PLAIN_WORDS.has(name)), ...product.pods];
    let count = 0;
    let first = Infinity;
    for (const name of names) {
      for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
        const isWord =
          !/[\w-]/.test(text[at - 1] ?? ' ') && (name.endsWith('-') || !/[\w-]/.test(text[at + name.length] ?? ' '));
        if (!isWord) continue;
        count++;
        first = Math.min(first, at);
      }
    }
    if (count > 0 && (best === undefined || count > best.count || (count === best.count && first < best.at))) {
      best = { product, count, at: first };
    }
  }
  return best?.product;
}

const VERSION = String.raw`v?(\d{1,3}\.\d{1,3}(?:\.\d{1,4})?(?:[-+][0-9A-Za-z.+-]{1,40})?)(?![\w.]*[\w])`;

/** What a text says about the version of a program; '' if nothing. */
export function versionIn(text: string, name: string): string {
  const versionOf = name.replace(/[.+]/g, '\\$&');
  const upgrade = new RegExp(`(?<![\\w-])${versionOf} from ${VERSION} to ${VERSION}`, 'i').exec(text);
  if (upgrade?.[2] !== undefined) return upgrade[2];
  const near = `[ :=@/"'(-]`;
  const named =
    new RegExp(`(?<![\\w-])${versionOf}(?:(?!  )[ :=@/"'\\w]){0,12}?(?<! )${near}${VERSION}`, 'i').exec(text) ??
    // The next column of a table may be a share of a CPU: a version there has three parts.
    new RegExp(`(?<![\\w-])${versionOf}[ :=@/"'\\w]{0,12}?${near}(?=v?\\d+\\.\\d+\\.\\d)${VERSION}`, 'i').exec(text);
  const stated = new RegExp(String.raw`(?:\bversion|GitVersion)["': =]{1,4}${VERSION}`, 'i').exec(text);
  return named?.[1] ?? stated?.[1] ?? '';
}
