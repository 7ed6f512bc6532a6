/** Parses the project's Markdown: code blocks, links and the paths it names. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));

const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'fixtures']);

export interface CodeBlock {
  /** The text after the fence: `sh`, `text output`. */
  readonly info: string;
  /** Line number of the first line of code, from 1. */
  readonly line: number;
  readonly code: string;
}

/** Every .md file of the project, relative to its root. */
export function markdownFiles(folder: string = ROOT): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(entry => !entry.name.startsWith('.') && !SKIPPED_FOLDERS.has(entry.name))
    .flatMap(entry => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return markdownFiles(path);
      return entry.name.endsWith('.md') ? [relative(ROOT, path)] : [];
    })
    .sort();
}

export function readPage(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export function codeBlocks(text: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  for (const match of text.matchAll(/^```([^\n]*)\n([^]*?)^```$/gm)) {
    const line = text.slice(0, match.index).split('\n').length + 1;
    blocks.push({ info: (match[1] ?? '').trim(), line, code: match[2] ?? '' });
  }
  return blocks;
}

/** Targets of links and images, outside code. */
export function links(text: string): string[] {
  const prose = withoutCode(text).replace(/`[^`\n]*`/g, '');
  return Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), match => match[1] ?? '');
}

/** Paths of this repository in backticks: `src/cli/run.ts`, `web/state`. */
export function namedPaths(text: string): string[] {
  const spans = withoutCode(text).matchAll(/`((?:src|web|test|bench|scripts|lab|docs|demo|bin)\/[^`\s]*)`/g);
  return Array.from(spans, match => match[1] ?? '').filter(path => !/[*{]|[A-Z]{2}/.test(path));
}

/** `#what-it-prints`, as GitHub makes them. */
export function anchors(text: string): string[] {
  return Array.from(withoutCode(text).matchAll(/^#+ (.*)$/gm), match =>
    (match[1] ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutCode(text: string): string {
  return text.replace(/^```[^]*?^```$/gm, '');
}
