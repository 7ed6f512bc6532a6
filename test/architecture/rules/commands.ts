/**
 * A command declares its options, turns them into a request and makes one call:
 *
 *     const line = commandLine({ ..., options: { ... }, request: (values, operands) => ({ ...values, operands }) });
 *     export const command: Command = defineCommand(line, work);
 *
 * No work happens in these expressions, nor in the constants that they name: it is done by functions of their own.
 */
import {
  type CallExpression,
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
  isVariableStatement,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { isTest } from '../paths.ts';
import type { Found } from '../read/source.ts';
import { lineOf } from '../read/walk.ts';

/** The limit for functions other than `request`, which may return a long object. */
const MAX_LINES = 12;
const MAX_COMMAND_LINES = 150;
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

export function commandLogic(path: string, file: SourceFile): Found[] {
  if (!path.startsWith('src/cli/') || isTest(path)) return [];
  const constants = constantsOf(file);
  const packages = namesOfPackages(file);
  const found: Found[] = [];
  const complain = (node: Node, problem: string): void =>
    void found.push({ rule: 'command', line: lineOf(file, node), problem });
  const seen = new Set<Node>();
  let decisions = 0;
  const visit = (node: Node): void => {
    const isDecision = isIfStatement(node) && !isCheck(node.thenStatement);
    if (isDecision) decisions += 1;
    const what =
      isDecision && decisions > MAX_DECISIONS ? `decision number ${decisions}` : logicOf(node, file, packages);
    if (what !== undefined) complain(node, `${what} in a command; a function of its own should do that`);
    const named = isIdentifier(node) ? constants.get(node.text) : undefined;
    if (named !== undefined) enter(named);
    node.forEachChild(visit);
  };
  const enter = (node: Node): void => {
    if (seen.has(node)) return;
    seen.add(node);
    const lines = node.getText(file).split('\n').length;
    if (lines > MAX_COMMAND_LINES) complain(node, `a command of ${lines} lines; the limit is ${MAX_COMMAND_LINES}`);
    visit(node);
  };
  const command = constants.get('command');
  if (command !== undefined) enter(command);
  return found;
}

/** The values of the constants at the top of a file, by name, without functions. */
function constantsOf(file: SourceFile): ReadonlyMap<string, Node> {
  const constants = new Map<string, Node>();
  for (const statement of file.statements) {
    if (!isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations)
      if (initializer !== undefined && !isFunctionLikeDeclaration(initializer))
        constants.set(name.getText(file), initializer);
  }
  return constants;
}

/** What a file imports from packages and from Node.js: the package by name. */
function namesOfPackages(file: SourceFile): ReadonlyMap<string, string> {
  const packages = new Map<string, string>();
  for (const statement of file.statements) {
    if (!isImportDeclaration(statement)) continue;
    const from = packageOf(statement.moduleSpecifier);
    if (from === undefined) continue;
    const clause = statement.getText(file).replace(/\bfrom\b[^]*/, '');
    for (const [name] of clause.matchAll(/[\w$]+/g)) packages.set(name, from);
  }
  return packages;
}

function logicOf(node: Node, file: SourceFile, packages: ReadonlyMap<string, string>): string | undefined {
  if (LOOPS.has(node.kind)) return 'a loop';
  if (node.kind === SyntaxKind.TryStatement) return 'try';
  if (node.kind === SyntaxKind.RegularExpressionLiteral) return 'a regular expression';
  if (isVariableDeclarationList(node)) return /^(?:let|var)\b/.test(node.getText(file)) ? 'let' : undefined;
  if (isIdentifier(node)) return nameOf(node.text, packages);
  if (isCallExpression(node)) return callOf(node, file);
  if (isPostfixUnaryExpression(node)) return 'arithmetic';
  if (isBinaryExpression(node)) {
    const isConstant = isNumericLiteral(node.left) && isNumericLiteral(node.right);
    return ARITHMETIC.test(node.operatorToken.getText(file)) && !isConstant ? 'arithmetic' : undefined;
  }
  return isFunctionLikeDeclaration(node) && isLong(node, file)
    ? `a function of more than ${MAX_LINES} lines`
    : undefined;
}

function nameOf(name: string, packages: ReadonlyMap<string, string>): string | undefined {
  if (name === 'RegExp') return 'a regular expression';
  return packages.has(name) ? `the use of ${packages.get(name)}` : undefined;
}

/** Undefined for a file of our own. */
function packageOf(specifier: Node | undefined): string | undefined {
  const isPackage = specifier !== undefined && isStringLiteral(specifier) && !specifier.text.startsWith('.');
  return isPackage ? specifier.text : undefined;
}

function callOf({ expression: callee, arguments: given }: CallExpression, file: SourceFile): string | undefined {
  if (callee.kind === SyntaxKind.ImportKeyword) {
    const loaded = packageOf(given[0]);
    return loaded === undefined ? undefined : `the use of ${loaded}`;
  }
  if (isIdentifier(callee) && callee.text === 'defineCommand') {
    const work = given[1];
    const hasBody = work !== undefined && isFunctionLikeDeclaration(work) && isBlock((work as { body?: Node }).body!);
    return hasBody ? 'more than one call' : undefined;
  }
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
