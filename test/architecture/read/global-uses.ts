/**
 * Which globals a file uses and, if it matters, how: `Math.floor` computes, `Math.random` does not; `new Date(0)`
 * converts, `new Date()` reads the clock.
 */
import {
  type Identifier,
  isBinaryExpression,
  isBindingElement,
  isCallExpression,
  isElementAccessExpression,
  isExportSpecifier,
  isImportSpecifier,
  isJsxAttribute,
  isNewExpression,
  isPropertyAccessExpression,
  isQualifiedName,
  isSpreadElement,
  isStringLiteral,
  isTypeReferenceNode,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { isSame } from './module-loads.ts';

/**
 * Globals that only compute: the same result for the same arguments, in Node and in a browser, with no side effects.
 */
const COMPUTE = new Set(
  `Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Error EvalError AggregateError Float32Array
  Float64Array Infinity Int16Array Int32Array Int8Array JSON Map NaN Number Object Promise Proxy RangeError
  ReferenceError Reflect RegExp Set String Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array
  Uint8ClampedArray WeakMap WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape isFinite
  isNaN parseFloat parseInt undefined AbortController TextDecoder TextEncoder
  URL URLSearchParams atob btoa structuredClone`.split(/\s+/),
);

/** Globals that `globalThis` of Node 20 does not list: those of CommonJS, @types/node, browsers and later releases. */
const ELSEWHERE = `require module exports __dirname __filename NodeJS window document self parent top frames location
  history localStorage sessionStorage indexedDB caches XMLHttpRequest WebSocket EventSource Worker SharedWorker
  importScripts navigator Navigator Storage requestAnimationFrame cancelAnimationFrame requestIdleCallback alert confirm prompt postMessage open
  close matchMedia getComputedStyle Image Audio Notification Temporal`.split(/\s+/);

export const OUTSIDE: ReadonlySet<string> = new Set(
  [...Object.getOwnPropertyNames(globalThis), ...ELSEWHERE].filter(name => !COMPUTE.has(name)),
);

/** True for a name that is more than a key or member, and a global unless the file declares it. */
export function mayBeGlobal(name: Identifier): boolean {
  return OUTSIDE.has(name.text) && isReference(name);
}

function isReference(name: Identifier): boolean {
  const { parent } = name;
  if (isQualifiedName(parent)) return isSame(parent.left, name);
  if (isBindingElement(parent)) return !isSame(parent.propertyName, name);
  if (isImportSpecifier(parent) || isExportSpecifier(parent) || isJsxAttribute(parent)) return false;
  if (NAMED.has(parent.kind)) return !isSame((parent as { name?: Node }).name, name);
  return !LABELS.has(parent.kind);
}

const NAMED = new Set([
  SyntaxKind.PropertyAccessExpression,
  SyntaxKind.PropertyAssignment,
  SyntaxKind.PropertyDeclaration,
  SyntaxKind.PropertySignature,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.MethodSignature,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
  SyntaxKind.EnumMember,
  SyntaxKind.NamedTupleMember,
  SyntaxKind.MetaProperty,
  SyntaxKind.ImportAttribute,
]);
const LABELS = new Set([SyntaxKind.LabeledStatement, SyntaxKind.BreakStatement, SyntaxKind.ContinueStatement]);

/** How a global is used, or undefined if that use only computes. */
export function useOf(name: Identifier): string | undefined {
  if (name.text === 'Function' && isTypeReferenceNode(name.parent)) return undefined;
  if (name.text === 'AbortSignal') {
    return memberOf(name.parent, name) === 'timeout' ? 'AbortSignal.timeout' : undefined;
  }
  if (name.text === 'process') {
    const { parent } = name;
    const inBrackets = isElementAccessExpression(parent) && isStringLiteral(parent.argumentExpression);
    const member = inBrackets ? parent.argumentExpression.text : memberOf(parent, name);
    return member === undefined ? 'process' : `process.${member}`;
  }
  if (name.text === 'Math') return mathUse(name.parent, name);
  if (name.text === 'Date') return dateUse(name.parent, name);
  return name.text;
}

function mathUse(parent: Node, name: Node): string | undefined {
  // There is no need to distinguish `const { random } = Math` and `Math['random']`.
  const member = memberOf(parent, name);
  if (member === undefined) return 'Math as a value';
  return member === 'random' ? 'Math.random' : undefined;
}

function dateUse(parent: Node, name: Node): string | undefined {
  if (isTypeReferenceNode(parent)) return undefined;
  const member = memberOf(parent, name);
  if (member !== undefined) return member === 'now' ? 'Date.now' : undefined;
  if (isCallExpression(parent) && isSame(parent.expression, name)) return 'Date()';
  if (isNewExpression(parent) && isSame(parent.expression, name)) {
    const [first] = parent.arguments ?? [];
    return first === undefined || isSpreadElement(first) ? 'new Date()' : undefined;
  }
  const isTested = isBinaryExpression(parent) && parent.operatorToken.kind === SyntaxKind.InstanceOfKeyword;
  return isTested ? undefined : 'Date as a value';
}

/** `floor` for the `Math` of `Math.floor`. */
function memberOf(parent: Node, name: Node): string | undefined {
  return isPropertyAccessExpression(parent) && isSame(parent.expression, name) ? parent.name.text : undefined;
}
