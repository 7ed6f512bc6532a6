/** What code may spell out itself: neither JSON that is printed, nor amounts with a unit, nor MOST_ and LEAST_. */
import {
  isBinaryExpression,
  isIdentifier,
  isJsxText,
  isPropertyAccessExpression,
  isStringLiteral,
  isTemplateMiddleOrTail,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { isProduction } from '../paths.ts';
import { isSame } from '../read/module-loads.ts';
import type { Found } from '../read/source.ts';
import { lineOf, walk } from '../read/walk.ts';

/** Whoever prints escapes what a terminal would obey; only this file does so for JSON. */
const JSON_PRINTER = 'src/report/json.ts';
const PRINTS = /^src\/cli\/|^src\/(?:\w+\/)?report\/|^src\/(?!base\/).*-text\.ts$/;

export function rawJson(path: string, file: SourceFile): Found[] {
  if (!isProduction(path) || !PRINTS.test(path) || path === JSON_PRINTER) return [];
  return find(file, /\bJSON\b/, node => {
    if (!isIdentifier(node) || node.text !== 'JSON') return undefined;
    const { parent } = node;
    const isParse =
      isPropertyAccessExpression(parent) && isSame(parent.expression, node) && parent.name.text === 'parse';
    if (isParse) return undefined;
    const problem = `JSON is printed by ${JSON_PRINTER}, which escapes it`;
    return { rule: 'raw-json', problem, what: 'JSON.stringify' };
  });
}

const AMOUNTS = 'src/base/say.ts';
const UNIT = / ?[KMG]iB(?:\/h)?| B\/h|\/h| (?:h|min|s)/.source;
/** Directly after an amount. */
const STARTS_WITH_UNIT = new RegExp(`^(?:${UNIT})(?![\\w=-])`);
const AFTER_AMOUNT = new RegExp(`(?<=[}'"])(?:${UNIT})(?![\\w=-])`);

export function unitsInText(path: string, file: SourceFile): Found[] {
  if (!isProduction(path) || path === AMOUNTS) return [];
  return find(file, AFTER_AMOUNT, node => {
    const isAfterAmount =
      isTemplateMiddleOrTail(node) || isJsxText(node) || (isStringLiteral(node) && isAppended(node));
    if (!isAfterAmount || !STARTS_WITH_UNIT.test(node.text)) return undefined;
    return {
      rule: 'unit',
      problem: `an amount with its unit is worded by ${AMOUNTS}`,
      what: 'unit',
    };
  });
}

/** The b of a + b. */
function isAppended(node: Node): boolean {
  const { parent } = node;
  return isBinaryExpression(parent) && parent.operatorToken.kind === SyntaxKind.PlusToken && isSame(parent.right, node);
}

export function mostAndLeast(_: string, file: SourceFile): Found[] {
  return find(file, /\b(?:MOST|LEAST)_\w/, node => {
    if (!isIdentifier(node) || !/^(?:MOST|LEAST)_/.test(node.text)) return undefined;
    if (node.parent.kind !== SyntaxKind.VariableDeclaration || !isSame(nameOf(node.parent), node)) return undefined;
    return { rule: 'max-min', problem: `${node.text}: constants for limits are MAX_ and MIN_` };
  });
}

function nameOf(node: Node): Node | undefined {
  return (node as { name?: Node }).name;
}

function find(file: SourceFile, words: RegExp, problemOf: (node: Node) => Omit<Found, 'line'> | undefined): Found[] {
  const found: Found[] = [];
  walk(file, words, node => {
    const problem = problemOf(node);
    if (problem !== undefined) found.push({ ...problem, line: lineOf(file, node) });
  });
  return found;
}
