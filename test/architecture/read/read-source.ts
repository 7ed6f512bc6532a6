/**
 * Reads what the rules need from the syntax tree of a file. Fetching a node costs a little, so the walk enters only the
 * tenth of nodes whose text mentions a relevant word.
 */
import {
  type Identifier,
  isCallExpression,
  isElementAccessExpression,
  isExportAssignment,
  isExportDeclaration,
  isIdentifier,
  isImportDeclaration,
  isImportEqualsDeclaration,
  isNamedExports,
  isNamespaceImport,
  isPropertyAccessExpression,
  isStringLiteral,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { mayBeGlobal, OUTSIDE, useOf } from './global-uses.ts';
import { isAccountedFor, isImportMeta, loadOf, referencesOf } from './module-loads.ts';
import type { IsDeclared } from './parser.ts';
import type { GlobalUse, Load, Source } from './source.ts';

const LOADERS = new Set([
  'createRequire',
  'getBuiltinModule',
  '_linkedBinding',
  'dlopen',
  'mainModule',
  'importScripts',
]);
const WORDS = new RegExp(
  `\\b(?:import|export|module|declare|binding|constructor|${[...LOADERS, ...OUTSIDE].join('|')})\\b`,
  'g',
);

export function readSource(file: SourceFile, isDeclared: IsDeclared): Source {
  const lineAt = (pos: number): number => file.getLineAndCharacterOfPosition(pos).line + 1;
  const lineOf = (node: Node): number => lineAt(node.getStart(file));
  const loads: Load[] = referencesOf(file).map(({ specifier, pos }) => ({
    kind: 'module',
    specifier,
    line: lineAt(pos),
  }));
  const globals: GlobalUse[] = [];
  const loaders: GlobalUse[] = [];
  const ambient: number[] = [];
  const candidates: Identifier[] = [];
  const isWorthEntering = mentionsIn(file.text);

  const visit = (node: Node): void => {
    if (!isWorthEntering(node)) return;
    const load = loadOf(node);
    if (load !== undefined) loads.push({ ...load, line: lineOf(node) });
    const loader = loaderOf(node);
    if (loader !== undefined) loaders.push({ name: loader, line: lineOf(node) });
    if (isIdentifier(node) && mayBeGlobal(node)) candidates.push(node);
    if (isImportMeta(node) && !isAccountedFor(node)) globals.push({ name: 'import.meta', line: lineOf(node) });
    if (node.kind === SyntaxKind.DeclareKeyword && node.parent.kind !== SyntaxKind.PropertyDeclaration) {
      ambient.push(lineOf(node));
    }
    node.forEachChild(visit);
  };
  visit(file);

  const declared = isDeclared(candidates);
  for (const name of candidates.filter((_, index) => !declared[index])) {
    const use = useOf(name);
    if (use !== undefined) globals.push({ name: use, line: lineOf(name) });
  }
  return { loads, globals, loaders, ambient, reexports: reexportsOf(file).map(lineOf) };
}

/** Only the imports, as the parser lists them; for code that does not ship. */
export function readImports(file: SourceFile): Source {
  const loads = file.imports.filter(isStringLiteral).map((literal): Load => {
    return { kind: 'module', specifier: literal.text, line: file.getLineAndCharacterOfPosition(literal.pos).line + 1 };
  });
  return { loads, globals: [], loaders: [], ambient: [], reexports: [] };
}

/** Whether a node's text mentions one of `WORDS`. */
function mentionsIn(text: string): (node: Node) => boolean {
  // An identifier may be spelt with escapes: `proc\\u0065ss`.
  if (text.includes('\\u')) return () => true;
  const places = Array.from(text.matchAll(WORDS), ({ index }) => index);
  return ({ pos, end }) => {
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (places[middle] < pos) low = middle + 1;
      else high = middle;
    }
    return low < places.length && places[low] < end;
  };
}

/**
 * `process.binding` counts; a `binding` of anything else does not. The constructor of a function turns text into code.
 */
function loaderOf(node: Node): string | undefined {
  if (isCallExpression(node)) {
    const callee = node.expression;
    return isPropertyAccessExpression(callee) && callee.name.text === 'constructor' ? 'constructor()' : undefined;
  }
  if (isIdentifier(node) || isStringLiteral(node)) {
    if (LOADERS.has(node.text)) return node.text;
    if (node.text !== 'binding') return undefined;
    const { parent } = node;
    const isMember = isPropertyAccessExpression(parent) || isElementAccessExpression(parent);
    return isMember && /\bprocess\??$/.test(parent.expression.getText()) ? 'process.binding' : undefined;
  }
  return undefined;
}

/** `export ... from`, and an import that is exported by name or as the default. */
function reexportsOf(file: SourceFile): Node[] {
  const imported = new Set(file.statements.flatMap(importedNames));
  return file.statements.filter(statement => {
    if (isExportAssignment(statement))
      return isIdentifier(statement.expression) && imported.has(statement.expression.text);
    if (!isExportDeclaration(statement)) return false;
    if (statement.moduleSpecifier !== undefined) return true;
    const clause = statement.exportClause;
    if (clause === undefined || !isNamedExports(clause)) return false;
    return clause.elements.some(({ propertyName, name }) => imported.has((propertyName ?? name).text));
  });
}

function importedNames(statement: Node): string[] {
  if (isImportEqualsDeclaration(statement)) return [statement.name.text];
  if (!isImportDeclaration(statement)) return [];
  const { name, namedBindings } = statement.importClause ?? {};
  const names = name === undefined ? [] : [name.text];
  if (namedBindings === undefined) return names;
  if (isNamespaceImport(namedBindings)) return [...names, namedBindings.name.text];
  return [...names, ...namedBindings.elements.map(element => element.name.text)];
}
