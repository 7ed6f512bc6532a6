/**
 * Which program something is of, and how its profiles are fetched. The programs are those of products.yaml.
 *
 *     productOfProcess('kubelet')                     a process, a container or a binary by its name, whole or cut
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
  return `${fetch.replace('{path}', path)} > ${file}`;
}

/** '' for programs that have no common command for it. */
export function versionCommandOf(component: string | undefined): string {
  return (component === undefined ? undefined : productOfProcess(component))?.version ?? '';
}
