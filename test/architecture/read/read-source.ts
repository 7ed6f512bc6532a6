/** Reads what the rules need from the syntax tree of a file. */
import {
  type Identifier,
  isArrowFunction,
  isCallExpression,
  isClassDeclaration,
  isElementAccessExpression,
  isEnumDeclaration,
  isExportAssignment,
  isExportDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isImportDeclaration,
  isImportEqualsDeclaration,
  isInterfaceDeclaration,
  isNamedExports,
  isNamespaceImport,
  isPropertyAccessExpression,
  isStringLiteral,
  isTypeAliasDeclaration,
  isVariableStatement,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { commandLogic } from '../rules/commands.ts';
import { longFunctions } from '../rules/functions.ts';
import { moduleState } from '../rules/state.ts';
import { mostAndLeast, rawJson, unitsInText } from '../rules/words.ts';
import { mayBeGlobal, OUTSIDE, useOf } from './global-uses.ts';
import { isAccountedFor, isImportMeta, loadOf, referencesOf } from './module-loads.ts';
import type { IsDeclared } from './parser.ts';
import type { Load, Named, Source } from './source.ts';
import { walk } from './walk.ts';

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
);
/** Functions of this many lines and more are compared with each other. */
const MIN_COMPARED_LINES = 6;

/** The rules about the syntax of a single file. */
const FILE_RULES = [longFunctions, moduleState, commandLogic, rawJson, unitsInText, mostAndLeast];

/** Everything, for code that ships. */
export function readSource(path: string, file: SourceFile, isDeclared: IsDeclared): Source {
  const lineAt = (pos: number): number => file.getLineAndCharacterOfPosition(pos).line + 1;
  const lineOf = (node: Node): number => lineAt(node.getStart(file));
  const loads: Load[] = referencesOf(file).map(({ specifier, pos }) => ({
    kind: 'module',
    specifier,
    line: lineAt(pos),
  }));
  const globals: Named[] = [];
  const loaders: Named[] = [];
  const ambient: number[] = [];
  const candidates: Identifier[] = [];

  walk(file, WORDS, node => {
    const load = loadOf(node);
    if (load !== undefined) loads.push({ ...load, line: lineOf(node) });
    const loader = loaderOf(node);
    if (loader !== undefined) loaders.push({ name: loader, line: lineOf(node) });
    if (isIdentifier(node) && mayBeGlobal(node)) candidates.push(node);
    if (isImportMeta(node) && !isAccountedFor(node)) globals.push({ name: 'import.meta', line: lineOf(node) });
    if (node.kind === SyntaxKind.DeclareKeyword && node.parent.kind !== SyntaxKind.PropertyDeclaration) {
      ambient.push(lineOf(node));
    }
  });

  const declared = isDeclared(candidates);
  for (const name of candidates.filter((_, index) => !declared[index])) {
    const use = useOf(name);
    if (use !== undefined) globals.push({ name: use, line: lineOf(name) });
  }
  const exports = importableFrom(file).map(({ node, name }) => ({ name, line: lineOf(node) }));
  const reexports = reexportsOf(file).map(lineOf);
  return {
    loads,
    globals,
    loaders,
    ambient,
    exports,
    reexports,
    functions: functionsOf(file, lineAt),
    found: FILE_RULES.flatMap(rule => rule(path, file)),
  };
}

/** For code that does not ship: the imports, as the parser lists them, and the rules that are about all code. */
export function readUnshipped(path: string, file: SourceFile): Source {
  const lineAt = (pos: number): number => file.getLineAndCharacterOfPosition(pos).line + 1;
  const loads = file.imports.filter(isStringLiteral).map((literal): Load => {
    const line = lineAt(literal.pos);
    return { ...(loadOf(literal.parent) ?? { kind: 'module', specifier: literal.text }), line };
  });
  const found = FILE_RULES.flatMap(rule => rule(path, file));
  return { loads, globals: [], loaders: [], ambient: [], exports: [], reexports: [], functions: [], found };
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

interface Exported {
  readonly node: Node;
  readonly name: string;
}

function importableFrom(file: SourceFile): Exported[] {
  const all = exportsOf(file);
  return all.filter(({ node, name }) => {
    if (!isInterfaceDeclaration(node) && !isTypeAliasDeclaration(node)) return true;
    const mention = new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`);
    return !all.some(other => other.node !== node && mention.test(signatureOf(file, other.node)));
  });
}

/** All of a declaration but the body of a function. */
function signatureOf(file: SourceFile, node: Node): string {
  const end = isFunctionDeclaration(node) && node.body !== undefined ? node.body.pos : node.end;
  return file.text.slice(node.getStart(file), end);
}

function exportsOf(file: SourceFile): Exported[] {
  return file.statements.flatMap((statement): Exported[] => {
    if (isExportAssignment(statement)) return [{ node: statement, name: 'default' }];
    if (isExportDeclaration(statement)) {
      const clause = statement.exportClause;
      if (clause === undefined || !isNamedExports(clause)) return [];
      return clause.elements.map(({ name }) => ({ node: statement, name: name.text }));
    }
    const head = /^export(\s+default)?\b/.exec(statement.getText(file));
    if (head === null) return [];
    if (head[1] !== undefined) return [{ node: statement, name: 'default' }];
    if (isVariableStatement(statement)) {
      const names = statement.declarationList.declarations.map(({ name }) => name);
      return names.flatMap(name => (isIdentifier(name) ? [{ node: statement, name: name.text }] : []));
    }
    const isNamed =
      isFunctionDeclaration(statement) ||
      isClassDeclaration(statement) ||
      isInterfaceDeclaration(statement) ||
      isTypeAliasDeclaration(statement) ||
      isEnumDeclaration(statement);
    return isNamed && statement.name !== undefined ? [{ node: statement, name: statement.name.text }] : [];
  });
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

/** Functions and classes at the top of the file with a body of some lines. */
function functionsOf(file: SourceFile, lineAt: (pos: number) => number): Source['functions'] {
  const textOf = (
    name: string,
    body: { readonly pos: number; readonly end: number } | undefined,
  ): Source['functions'] => {
    if (body === undefined) return [];
    const text = file.text.slice(body.pos, body.end).trim();
    if (text.split('\n').length < MIN_COMPARED_LINES) return [];
    return [{ name, line: lineAt(body.pos), text: text.replace(/\s+/g, ' ') }];
  };
  return file.statements.flatMap(statement => {
    if (isFunctionDeclaration(statement)) return textOf(statement.name?.text ?? 'default', statement.body);
    if (isClassDeclaration(statement)) {
      const { name, end } = statement;
      return textOf(name?.text ?? 'default', name === undefined ? statement : { pos: name.end, end });
    }
    if (!isVariableStatement(statement)) return [];
    return statement.declarationList.declarations.flatMap(({ name, initializer }) => {
      const isFunction =
        initializer !== undefined && (isArrowFunction(initializer) || isFunctionExpression(initializer));
      return isFunction && isIdentifier(name) ? textOf(name.text, initializer.body) : [];
    });
  });
}
