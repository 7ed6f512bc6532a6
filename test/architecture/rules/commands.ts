/**
 * A command declares its options, turns them into a request and makes one call. Work belongs in cli/tasks/ and the rooms,
 * and the reading of an option's value in cli/options/.
 */
import {
  isBinaryExpression,
  isBlock,
  isCallExpression,
  isFunctionLikeDeclaration,
  isIdentifier,
  isIfStatement,
  isImportDeclaration,
  isNumericLiteral,
  isPostfixUnaryExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isStringLiteral,
  isThrowStatement,
  isVariableDeclarationList,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { isTest } from '../paths.ts';
import type { Found } from '../read/source.ts';
import { lineOf, walk } from '../read/walk.ts';

/** The limit for functions other than `request`, which may return a long object. */
const MAX_LINES = 12;
/** `if`s that do not just refuse what the user gave. */
const MAX_DECISIONS = 3;
const LOOPS = new Set([
  SyntaxKind.ForStatement,
  SyntaxKind.ForInStatement,
  SyntaxKind.ForOfStatement,
  SyntaxKind.WhileStatement,
  SyntaxKind.DoStatement,
]);
const LOOPING_CALLS = /^(?:forEach|reduce|reduceRight)$/;
const ARITHMETIC = /^(?:[-+*/%]|\*\*)$|^(?:[-+*/%&|^]|\*\*|<<|>>>?)=$/;

export function isCommand(path: string): boolean {
  return path.startsWith('src/cli/commands/') && !isTest(path);
}

export function commandLogic(path: string, file: SourceFile): Found[] {
  if (!isCommand(path)) return [];
  const found: Found[] = [];
  let decisions = 0;
  // Commands are short, so the walk enters everything.
  walk(file, /\S/, node => {
    const isDecision = isIfStatement(node) && !isCheck(node.thenStatement);
    if (isDecision) decisions += 1;
    const what = isDecision && decisions > MAX_DECISIONS ? `decision number ${decisions}` : logicOf(node, file);
    if (what === undefined) return;
    const problem = `${what} in a command; it belongs in cli/tasks/ or cli/options/`;
    found.push({ rule: 'command', line: lineOf(file, node), problem });
  });
  return found;
}

function logicOf(node: Node, file: SourceFile): string | undefined {
  if (LOOPS.has(node.kind)) return 'a loop';
  if (node.kind === SyntaxKind.TryStatement) return 'try';
  if (node.kind === SyntaxKind.RegularExpressionLiteral) return 'a regular expression';
  if (isVariableDeclarationList(node)) return /^(?:let|var)\b/.test(node.getText(file)) ? 'let' : undefined;
  if (isIdentifier(node)) return node.text === 'RegExp' ? 'a regular expression' : undefined;
  if (isImportDeclaration(node)) return packageOf(node.moduleSpecifier);
  if (isCallExpression(node)) return callOf(node.expression, file);
  if (isPostfixUnaryExpression(node)) return 'arithmetic';
  if (isBinaryExpression(node)) {
    const isConstant = isNumericLiteral(node.left) && isNumericLiteral(node.right);
    return ARITHMETIC.test(node.operatorToken.getText(file)) && !isConstant ? 'arithmetic' : undefined;
  }
  return isFunctionLikeDeclaration(node) && isLong(node, file)
    ? `a function of more than ${MAX_LINES} lines`
    : undefined;
}

function packageOf(specifier: Node): string | undefined {
  return isStringLiteral(specifier) && !specifier.text.startsWith('.') ? `the use of ${specifier.text}` : undefined;
}

function callOf(callee: Node, file: SourceFile): string | undefined {
  if (!isPropertyAccessExpression(callee)) return undefined;
  if (LOOPING_CALLS.test(callee.name.text)) return 'a loop';
  return /^JSON\.parse$/.test(callee.getText(file)) ? 'JSON.parse' : undefined;
}

function isLong(node: Node & { readonly body?: Node }, file: SourceFile): boolean {
  const { parent, body } = node;
  if (body === undefined || (isPropertyAssignment(parent) && parent.name.getText(file) === 'request')) return false;
  return body.getText(file).split('\n').length > MAX_LINES;
}

/** `if (...) throw ...` */
function isCheck(then: Node): boolean {
  return isBlock(then) ? then.statements.length === 1 && isCheck(then.statements[0]) : isThrowStatement(then);
}
