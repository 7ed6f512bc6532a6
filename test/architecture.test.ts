/**
 * The architecture as a test: which folder may import which, where Node and npm packages are allowed, and how files are
 * named. A new folder or a new arrow is a change of this table, seen in review.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

interface Rule {
  /** Folders of src/ it may import, besides itself. */
  readonly folders: string;
  /** npm packages it may import; 'any' also allows node: modules. */
  readonly packages: string;
}

const PURE = 'base model formats pprof analysis catalogue evidence redaction diagnosis';

const RULES: Readonly<Record<string, Rule>> = {
  base: { folders: '', packages: '' },
  model: { folders: 'base', packages: '' },
  formats: { folders: 'base model', packages: '' },
  pprof: { folders: 'base model', packages: 're2js' },
  analysis: { folders: 'base model', packages: '' },
  catalogue: { folders: 'base model', packages: 'yaml' },
  plan: { folders: 'base model', packages: '' },
  ports: { folders: 'base model', packages: '' },
  evidence: { folders: 'base model formats analysis', packages: '' },
  redaction: { folders: 'base model formats evidence', packages: '' },
  diagnosis: { folders: 'base model formats analysis catalogue evidence redaction', packages: '' },
  report: { folders: 'base model formats pprof catalogue', packages: 'yaml' },
  engine: { folders: `${PURE} plan ports report`, packages: '' },
  adapters: { folders: 'base model formats ports', packages: 'any' },
  server: { folders: `${PURE} plan ports report engine adapters`, packages: 'any' },
  // `oakum watch` starts the server; the server knows nothing of the command line.
  cli: { folders: `${PURE} plan ports report engine adapters server`, packages: 'any' },
  index: { folders: `${PURE} plan report`, packages: '' },
  web: { folders: PURE, packages: 'preact @preact/signals uplot' },
};

const FORBIDDEN_NAMES = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'manager']);

/** Repository path -> source text. */
type Sources = ReadonlyMap<string, string>;

function findViolations(sources: Sources): string[] {
  const found: string[] = [];
  for (const [path, text] of sources) {
    const complain = (problem: string): void => void found.push(`${path}: ${problem}`);
    for (const name of path.split('/').slice(1)) {
      const words = name.replace(/(\.test)?\.tsx?$/, '').split('-');
      const bad = words.find(word => FORBIDDEN_NAMES.has(word));
      if (bad !== undefined) complain(`"${bad}" says nothing; name it for what it holds`);
      if (words.some(word => !/^[a-z0-9.]+$/.test(word))) complain(`"${name}" is not in kebab-case`);
    }
    // A test may build its input with whatever there is.
    if (/\.test\.tsx?$/.test(path)) continue;
    if (path !== 'src/index.ts' && isBarrel(path, text)) complain('a barrel file; import from where things are');
    const folder = folderOf(path);
    const rule = RULES[folder];
    if (rule === undefined) {
      complain(`folder "${folder}" has no rule in test/architecture.test.ts`);
      continue;
    }
    for (const specifier of importsOf(text)) {
      const problem = judge(path, folder, rule, specifier);
      if (problem !== undefined) complain(problem);
    }
  }
  return found;
}

function judge(path: string, folder: string, rule: Rule, specifier: string): string | undefined {
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(path), specifier);
    if (!target.startsWith('src/') && !target.startsWith('web/')) return `imports ${target}, which is not shipped`;
    if (target.endsWith('.test.ts')) return `imports the test ${target}`;
    const targetFolder = folderOf(target);
    if (targetFolder === folder || rule.folders.split(' ').includes(targetFolder)) return undefined;
    return `${folder} may not import ${targetFolder} (${specifier})`;
  }
  if (rule.packages === 'any' || rule.packages.split(' ').includes(packageOf(specifier))) return undefined;
  return `${folder} may not import ${specifier}`;
}

/** src/formats/pprof/wire.ts -> formats; src/index.ts -> index; web/pages/fleet.tsx -> web. */
function folderOf(path: string): string {
  const [top, next = ''] = path.split('/');
  return top === 'src' ? next.replace(/\.ts$/, '') : top;
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0];
}

const FROM = /^[ \t]*(?:import|export)\b[^;'"`=()]*?\bfrom\s*['"]([^'"]+)['"];?/gm;
const BARE = /^[ \t]*import\s*['"]([^'"]+)['"];?/gm;
const DYNAMIC = /\bimport\s*\(\s*['"`]([^'"`]+)['"`]/g;

function importsOf(text: string): string[] {
  const code = withoutComments(text);
  return [FROM, BARE, DYNAMIC].flatMap(pattern => Array.from(code.matchAll(pattern), match => match[1]));
}

function isBarrel(path: string, text: string): boolean {
  if (posix.basename(path) === 'index.ts') return true;
  const code = withoutComments(text);
  return /^\s*export\b[^;]*\bfrom\b/m.test(code) && code.replace(FROM, '').trim() === '';
}

function withoutComments(text: string): string {
  return text.replace(/^[ \t]*\/\*[\s\S]*?\*\//gm, '').replace(/^[ \t]*\/\/.*$/gm, '');
}

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

function readSources(folder: string, into: Map<string, string> = new Map()): Map<string, string> {
  if (!existsSync(join(ROOT, folder))) return into;
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) readSources(path, into);
    else if (/\.tsx?$/.test(entry.name)) into.set(path, readFileSync(join(ROOT, path), 'utf8'));
  }
  return into;
}

describe('architecture', () => {
  it('holds in src/ and web/', () => {
    const sources = new Map([...readSources('src'), ...readSources('web')]);
    assert.ok(sources.size > 5, 'the sources were found');
    assert.deepEqual(findViolations(sources), []);
  });

  it('reads every form of import', () => {
    const text = `/**
 * import { a } from 'in-a-comment';
 */
import a from './a.ts';
import type {
  B,
} from './b.ts';
import './c.ts';
export { d } from './d.ts';
export * from './e.ts';
// import f from './f.ts';
const from = 'x';
const g = await import('./g.ts');
type H = import('./h.ts').H;
export const i = "not './i.ts'";
`;
    const expected = ['a', 'b', 'd', 'e', 'c', 'g', 'h'].map(name => `./${name}.ts`);
    assert.deepEqual(importsOf(text), expected);
  });

  it('catches a wrong arrow, and only that', () => {
    const caught = (path: string, text: string): string[] => findViolations(new Map([[path, text]]));
    const use = (specifier: string): string => `import { x } from '${specifier}';\nexport const y = x;\n`;

    for (const [path, specifier] of [
      ['src/model/a.ts', '../formats/pprof/decode.ts'],
      ['src/base/a.ts', '../model/profile.ts'],
      ['src/base/a.ts', 'node:fs'],
      ['src/pprof/reports/a.ts', '../../formats/pprof/decode.ts'],
      ['src/formats/folded/a.ts', 're2js'],
      ['src/engine/a.ts', '../adapters/kube/client.ts'],
      ['src/adapters/kube/a.ts', '../../engine/capture.ts'],
      ['src/server/a.ts', '../cli/io.ts'],
      ['web/pages/a.ts', '../../src/engine/capture.ts'],
      ['src/cli/a.ts', '../../test/fixtures/b.ts'],
      ['src/index.ts', './cli/io.ts'],
      ['src/newcomer/a.ts', '../base/text.ts'],
    ]) {
      assert.equal(caught(path, use(specifier)).length, 1, `${path} imports ${specifier}`);
    }
    for (const [path, specifier] of [
      ['src/pprof/reports/a.ts', 're2js'],
      ['src/pprof/reports/a.ts', '../graph.ts'],
      ['src/formats/folded/a.ts', '../../model/profile.ts'],
      ['src/formats/folded/a.test.ts', 'node:test'],
      ['src/adapters/files/a.ts', 'node:fs/promises'],
      ['src/cli/commands/a.ts', '../../adapters/files/read.ts'],
      ['web/pages/a.ts', '../../src/pprof/graph.ts'],
    ]) {
      assert.deepEqual(caught(path, use(specifier)), [], `${path} imports ${specifier}`);
    }
    assert.equal(caught('src/base/text-utils.ts', 'export const a = 1;').length, 1, 'a name that says nothing');
    assert.equal(caught('src/base/textWidth.ts', 'export const a = 1;').length, 1, 'camel case');
    assert.equal(caught('src/base/all.ts', "export * from './text.ts';\n").length, 1, 'a barrel');
    assert.equal(caught('src/base/index.ts', 'export const a = 1;').length, 1, 'an index');
  });
});
