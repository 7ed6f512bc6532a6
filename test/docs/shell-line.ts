/**
 * The part of shell syntax that the examples use: words, quotes, comments, `|`, `>`, `&&`, `\` at the end of a line,
 * and `<(command)`, which counts as a command of its own.
 *
 *     journalctl -o json | oakum cycle - events.json > out.txt   # why
 *     -> [[{ words: [journalctl, -o, json] }, { words: [oakum, cycle, -, events.json], into: out.txt }]]
 */
export interface ShellCommand {
  readonly words: readonly string[];
  /** File that its output goes to. */
  readonly into?: string;
}

/** Commands joined by `|`. */
export type Pipeline = readonly ShellCommand[];

export interface ShellLine {
  readonly source: string;
  /** Line within the block, from 0. */
  readonly line: number;
  readonly pipelines: readonly Pipeline[];
}

export function shellLines(code: string): ShellLine[] {
  const lines: ShellLine[] = [];
  let pending = '';
  let start = 0;
  code.split('\n').forEach((text, line) => {
    if (pending === '') start = line;
    pending += text;
    if (pending.endsWith('\\')) {
      pending = pending.slice(0, -1);
      return;
    }
    const pipelines = parse(pending);
    if (pipelines.length > 0) lines.push({ source: pending.trim(), line: start, pipelines });
    pending = '';
  });
  return lines;
}

const TOKEN = /\s+|#.*$|\|\||&&|[|;]|>|<\(|\)|(?:'[^']*'|"[^"]*"|\$\([^)]*\)|\\.|[^\s'"|;<>()\\]|&(?!&))+|./g;

function parse(text: string): Pipeline[] {
  const pipelines: ShellCommand[][] = [];
  let pipeline: ShellCommand[] = [];
  let words: string[] = [];
  let into: string | undefined;
  let isRedirect = false;
  const endCommand = (): void => {
    if (words.length > 0) pipeline.push(into === undefined ? { words } : { words, into });
    words = [];
    into = undefined;
  };
  const endPipeline = (): void => {
    endCommand();
    if (pipeline.length > 0) pipelines.push(pipeline);
    pipeline = [];
  };
  for (const [token] of text.matchAll(TOKEN)) {
    if (token.trim() === '') continue;
    if (token.startsWith('#')) break;
    if (token === '|') endCommand();
    else if (token === '&&' || token === '||' || token === ';' || token === '<(') endPipeline();
    else if (token === ')') continue;
    else if (token === '>') isRedirect = true;
    else if (isRedirect) {
      into = unquoted(token);
      isRedirect = false;
    } else words.push(unquoted(token));
  }
  endPipeline();
  return pipelines;
}

function unquoted(token: string): string {
  return token.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, single?: string, double?: string, escaped?: string) => {
    return single ?? double ?? escaped ?? '';
  });
}
