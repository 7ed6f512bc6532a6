/**
 * No state at the level of a module: two users of the module share it, and nobody clears it. State belongs to an object
 * with a lifetime. A memo is an exception with a reason.
 */
import {
  isArrayLiteralExpression,
  isAsExpression,
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isObjectLiteralExpression,
  isPropertyDeclaration,
  isSatisfiesExpression,
  isVariableStatement,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast';
import { isProduction } from '../paths.ts';
import type { Found } from '../read/source.ts';
import { lineOf, walk } from '../read/walk.ts';

const COLLECTION = /^(?:Weak)?(?:Map|Set)$|^Array$/;
/** Objects of other classes of the language; typed arrays are there for arithmetic, and are not looked into. */
const OF_THE_LANGUAGE = /^(?:RegExp|URL|Date|Error|TextEncoder|TextDecoder|Intl|DataView|ArrayBuffer|\w+Array)\b/;
const MUTATORS = 'set|add|delete|clear|push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin';
const MEMBER = String.raw`(?:\??\.\w+|\??\.?\[[^\]\n]*\]|!)`;
const CALLED = String.raw`${MEMBER}*\??\.(?:${MUTATORS})\(`;
const ASSIGNED = String.raw`${MEMBER}+\s*(?:(?:[-+*/%&|^]|\*\*|<<|>>>?|&&|\|\||\?\?)?=(?![=>])|\+\+|--)`;
/** x.set(...), x.y.push(...), x[y] = ..., x.y += ..., x.y++, delete x.y */
const MUTATION = new RegExp(String.raw`(?<![\w.$])([\w$]+)(?:${CALLED}|${ASSIGNED})|\bdelete (\w+)\b`, 'g');

export function moduleState(path: string, file: SourceFile): Found[] {
  if (!isProduction(path)) return [];
  const mutated = new Set(Array.from(file.text.matchAll(MUTATION), ([, called, deleted]) => called ?? deleted));
  const found: Found[] = [];
  const complain = (node: Node, name: Node): void => {
    const what = name.getText(file);
    const problem = `${what} is state that everybody shares; give it to an object`;
    found.push({ rule: 'state', line: lineOf(file, node), problem, what });
  };
  for (const statement of file.statements) {
    if (!isVariableStatement(statement)) continue;
    const isLet = /^(?:export\s+)?(?:let|var)\b/.test(statement.getText(file));
    for (const { name, initializer } of statement.declarationList.declarations) {
      const isChanged = mutated.has(name.getText(file)) && isContainer(initializer);
      if (isLet || isChanged || isObject(initializer)) complain(statement, name);
    }
  }
  walk(file, /\bstatic\b/, node => {
    if (!isPropertyDeclaration(node)) return;
    const modifiers = file.text.slice(node.pos, node.name.getStart(file));
    const isConstant = /\breadonly\b/.test(modifiers) && !isContainer(node.initializer);
    if (/\bstatic\b/.test(modifiers) && !isConstant) complain(node, node.name);
  });
  return found;
}

/** An object of a class of our own. */
function isObject(value: Node | undefined): boolean {
  if (value === undefined) return false;
  if (isAsExpression(value) || isSatisfiesExpression(value)) return isObject(value.expression);
  if (!isNewExpression(value)) return false;
  const name = value.expression.getText();
  return !COLLECTION.test(name) && !OF_THE_LANGUAGE.test(name);
}

function isContainer(value: Node | undefined): boolean {
  if (value === undefined) return false;
  if (isAsExpression(value) || isSatisfiesExpression(value)) return isContainer(value.expression);
  if (isNewExpression(value)) return isIdentifier(value.expression) && COLLECTION.test(value.expression.text);
  if (isCallExpression(value)) return value.expression.getText() === 'Object.create';
  return isArrayLiteralExpression(value) || isObjectLiteralExpression(value);
}
