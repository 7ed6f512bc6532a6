/**
 * Functions short enough to read at once: the lines of the body, with those of the functions in it. Outside code that
 * ships, what groups tests is exempt: callbacks of `describe` and `it`, and a contract that has them in it.
 */
import { isCallExpression, isFunctionLikeDeclaration, type Node, type SourceFile } from 'typescript/unstable/ast';
import { isProduction } from '../paths.ts';
import type { Found } from '../read/source.ts';

const MAX_LINES = 80;
const GROUPS = /^(?:describe|it|test|before|after)\b/;
const HAS_TESTS = /^\s*(?:describe|it)\(/m;

export function longFunctions(path: string, file: SourceFile): Found[] {
  const found: Found[] = [];
  const lineAt = (pos: number): number => file.getLineAndCharacterOfPosition(pos).line + 1;
  const visit = (node: Node): void => {
    // Whoever is shorter has no long function in it.
    if (lineAt(node.end) - lineAt(node.pos) < MAX_LINES) return;
    const body = isFunctionLikeDeclaration(node) ? bodyOf(node) : undefined;
    if (body !== undefined && (isProduction(path) || !isGroup(node, body))) {
      const line = lineAt(node.getStart(file));
      const lines = lineAt(body.end) - lineAt(body.getStart(file)) + 1;
      const problem = `a function of ${lines} lines; the limit is ${MAX_LINES}. Split it`;
      if (lines > MAX_LINES) found.push({ rule: 'long-function', line, problem, weight: lines - MAX_LINES });
    }
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}

function bodyOf(node: Node): Node | undefined {
  return (node as { body?: Node }).body;
}

function isGroup({ parent }: Node, body: Node): boolean {
  return (isCallExpression(parent) && GROUPS.test(parent.expression.getText())) || HAS_TESTS.test(body.getText());
}
