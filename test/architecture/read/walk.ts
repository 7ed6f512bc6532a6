/**
 * A walk through the syntax tree of a file. Fetching a node costs a little, so it enters only those whose text mentions
 * what a rule looks for: a tenth of them for the imports and globals, few for other rules.
 */
import type { Node, SourceFile } from 'typescript/unstable/ast';

/** Visits the nodes whose text matches one of the words. */
export function walk(file: SourceFile, words: RegExp, see: (node: Node) => void): void {
  const { text } = file;
  // An identifier may be spelt with escapes: `proc\\u0065ss`.
  const hasEscapes = text.includes('\\u');
  const places = hasEscapes ? [] : Array.from(text.matchAll(new RegExp(words, 'g')), ({ index }) => index);
  const isWorthEntering = ({ pos, end }: Node): boolean => {
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (places[middle] < pos) low = middle + 1;
      else high = middle;
    }
    return low < places.length && places[low] < end;
  };
  const visit = (node: Node): void => {
    if (!hasEscapes && !isWorthEntering(node)) return;
    see(node);
    node.forEachChild(visit);
  };
  visit(file);
}

export function lineOf(file: SourceFile, node: Node): number {
  return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
}
