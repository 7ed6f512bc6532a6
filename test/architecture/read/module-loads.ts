/**
 * Every way to load a module, or to name the file of one:
 *
 *     import x from 'x'       import type { X } from 'x'    import 'x'       export * from 'x'     import x = require('x')
 *     import('x')             import(`x`)                   import.meta.resolve('x')               require('x')
 *     type X = import('x').X  declare module 'x'            /// <reference path="x" />             import.defer('x')
 *     new URL('x', import.meta.url)      startThread('x', import.meta.url)      new Worker('x')
 */
import {
  type ExportDeclaration,
  type ImportDeclaration,
  type ImportTypeNode,
  isAwaitExpression,
  isCallExpression,
  isExportDeclaration,
  isExternalModuleReference,
  isIdentifier,
  isImportDeclaration,
  isImportTypeNode,
  isLiteralTypeNode,
  isMetaProperty,
  isModuleDeclaration,
  isNamedExports,
  isNamespaceImport,
  isNewExpression,
  isNoSubstitutionTemplateLiteral,
  isObjectBindingPattern,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isStringLiteral,
  isVariableDeclaration,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast';
import type { Load } from './source.ts';

/** A load without its line; undefined for nodes that load nothing. */
type Found = Omit<Load, 'line'> | undefined;

export function loadOf(node: Node): Found {
  if (isImportDeclaration(node)) return moduleLoad(node.moduleSpecifier, importedNames(node));
  if (isExportDeclaration(node)) {
    return node.moduleSpecifier === undefined ? undefined : moduleLoad(node.moduleSpecifier, reexportedNames(node));
  }
  if (isExternalModuleReference(node)) return moduleLoad(node.expression);
  if (isImportTypeNode(node)) {
    return moduleLoad(isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, typeNames(node));
  }
  if (isModuleDeclaration(node)) return isStringLiteral(node.name) ? moduleLoad(node.name) : undefined;
  if (isCallExpression(node)) {
    if (!isLoadingCall(node.expression)) return besideThisFile(node.arguments);
    return { kind: 'call', specifier: literalText(node.arguments[0]), names: calledNames(node) };
  }
  if (isNewExpression(node)) return besideThisFile(node.arguments ?? []) ?? workerLoad(node.expression, node.arguments);
  return undefined;
}

/** References in the comments at the head of a file. */
export function referencesOf(file: SourceFile): { readonly specifier: string; readonly pos: number }[] {
  const paths = file.referencedFiles.map(({ fileName, pos }) => ({ specifier: relative(fileName), pos }));
  const types = file.typeReferenceDirectives.map(({ fileName, pos }) => ({ specifier: fileName, pos }));
  const libraries = file.libReferenceDirectives.map(({ fileName, pos }) => ({ specifier: `lib:${fileName}`, pos }));
  return [...paths, ...types, ...libraries];
}

/** `/// <reference path="x.ts" />` is relative to the file, even without a dot. */
function relative(path: string): string {
  return path.startsWith('.') || path.startsWith('/') ? path : `./${path}`;
}

function moduleLoad(specifier: Node | undefined, names?: readonly string[]): Found {
  return { kind: 'module', specifier: literalText(specifier), names };
}

function importedNames({ importClause }: ImportDeclaration): string[] | undefined {
  const { name, namedBindings } = importClause ?? {};
  const names = name === undefined ? [] : ['default'];
  if (namedBindings === undefined) return names;
  if (isNamespaceImport(namedBindings)) return undefined;
  return [...names, ...namedBindings.elements.map(element => (element.propertyName ?? element.name).text)];
}

function reexportedNames({ exportClause }: ExportDeclaration): string[] | undefined {
  if (exportClause === undefined || !isNamedExports(exportClause)) return undefined;
  return exportClause.elements.map(({ propertyName, name }) => (propertyName ?? name).text);
}

/** The X of import('x').X and import('x').X.Y */
function typeNames({ qualifier }: ImportTypeNode): string[] | undefined {
  if (qualifier === undefined) return undefined;
  return [/^\w+/.exec(qualifier.getText())?.[0] ?? ''];
}

/** The names of `(await import('x')).name` and `const { name } = await import('x')`. */
function calledNames(call: Node): string[] | undefined {
  if (!isAwaitExpression(call.parent)) return undefined;
  const { parent } = call.parent;
  if (isVariableDeclaration(parent) && isObjectBindingPattern(parent.name)) {
    return parent.name.elements.map(({ propertyName, name }) => (propertyName ?? name)?.getText() ?? '');
  }
  if (!isParenthesizedExpression(parent) || !isPropertyAccessExpression(parent.parent)) return undefined;
  return [parent.parent.name.text];
}

function isLoadingCall(callee: Node): boolean {
  if (callee.kind === SyntaxKind.ImportKeyword) return true;
  if (isIdentifier(callee)) return callee.text === 'require';
  // import.defer('x') and import.source('x')
  if (isMetaProperty(callee)) return true;
  return isPropertyAccessExpression(callee) && isImportMeta(callee.expression) && callee.name.text === 'resolve';
}

/** The argument before `import.meta.url`. */
function besideThisFile(args: readonly Node[]): Found {
  const at = args.findIndex(isImportMetaUrl);
  return at < 1 ? undefined : { kind: 'url', specifier: literalText(args[at - 1]) };
}

function workerLoad(callee: Node, args: readonly Node[] | undefined): Found {
  const name = isPropertyAccessExpression(callee) ? callee.name.text : isIdentifier(callee) ? callee.text : '';
  if (name !== 'Worker' && name !== 'SharedWorker') return undefined;
  const [script] = args ?? [];
  // The URL counts as a load itself.
  if (script !== undefined && isNewExpression(script) && script.arguments?.some(isImportMetaUrl)) return undefined;
  return moduleLoad(script);
}

/** True for the `import.meta.url` that `loadOf` handles, and for the callee `import.meta.resolve`. */
export function isAccountedFor(meta: Node): boolean {
  const access = meta.parent;
  if (!isPropertyAccessExpression(access)) return false;
  const call = access.parent;
  if (access.name.text === 'resolve') return isCallExpression(call) && isSame(call.expression, access);
  const args = isCallExpression(call) || isNewExpression(call) ? (call.arguments ?? []) : [];
  return args.findIndex(isImportMetaUrl) >= 1;
}

function isImportMetaUrl(node: Node): boolean {
  return isPropertyAccessExpression(node) && node.name.text === 'url' && isImportMeta(node.expression);
}

export function isImportMeta(node: Node): boolean {
  return isMetaProperty(node) && node.keywordToken === SyntaxKind.ImportKeyword && node.name.text === 'meta';
}

function literalText(node: Node | undefined): string | undefined {
  if (node === undefined) return undefined;
  if (isParenthesizedExpression(node)) return literalText(node.expression);
  return isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node) ? node.text : undefined;
}

export function isSame(a: Node | undefined, b: Node): boolean {
  return a !== undefined && a.pos === b.pos && a.end === b.end && a.kind === b.kind;
}
