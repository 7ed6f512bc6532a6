/**
 * Finds the files of stacks in the repository, for code scanning and annotations:
 *
 *     /home/ci/src/app/pkg/sync.go        built in the repository          pkg/sync.go
 *     example.com/app/pkg/sync.go         built with -trimpath             pkg/sync.go
 *     /workspace/pkg/sync.go              built elsewhere, in an image     pkg/sync.go, if there is one
 *     /go/pkg/mod/k8s.io/...              not in the repository            -
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { GateFamily, GateResult } from '../../gate/gate.ts';

interface Repository {
  readonly root: string;
  /** The go.mod files between the root and the working folder: module path and folder of each. */
  readonly modules: readonly { readonly path: string; readonly folder: string }[];
}

const MOST_LEVELS = 64;
const GO_MOD = 'go.mod';

export function withSources(result: GateResult, cwd: string): GateResult {
  const repository = repositoryAt(cwd);
  if (repository === undefined) return result;
  return { ...result, families: result.families.map(one => ({ ...one, source: sourceOf(one, repository) })) };
}

/** A file of the repository that stands for the whole program: the budget if there is one, else a go.mod. */
export function fileOfProgram(cwd: string, budgetFile: string | undefined): string {
  const repository = repositoryAt(cwd);
  if (repository === undefined) return budgetFile ?? GO_MOD;
  const { root, modules } = repository;
  const candidates = [
    ...(budgetFile === undefined ? [] : [resolve(cwd, budgetFile)]),
    join(modules[0]?.folder ?? root, GO_MOD),
  ];
  const found = candidates.find(path => isInside(path, root)) ?? join(root, GO_MOD);
  return relative(root, found).split(sep).join('/');
}

/** The folder with `.git` above `cwd`; undefined outside a repository. */
export function repositoryAt(cwd: string): Repository | undefined {
  const modules: { path: string; folder: string }[] = [];
  let folder = cwd;
  for (let i = 0; i < MOST_LEVELS; i++) {
    const path = moduleIn(folder);
    if (path !== undefined) modules.push({ path, folder });
    if (existsSync(join(folder, '.git'))) return { root: folder, modules };
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
  return undefined;
}

function moduleIn(folder: string): string | undefined {
  try {
    return /^module\s+"?([^\s"]+)/m.exec(readFileSync(join(folder, GO_MOD), 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}

/** The first place of the stack, from the leaf up, that is a file of the repository; then where it was created. */
function sourceOf({ stack, createdAt }: GateFamily, repository: Repository): string | null {
  for (const frame of [...stack, createdAt ?? '']) {
    const [, file, line] = /^(?:\S+ )?(\S.*):(\d+)$/.exec(frame) ?? [];
    const found = file === undefined ? undefined : inRepository(file, repository);
    if (found !== undefined) return `${found}:${line}`;
  }
  return null;
}

export function inRepository(file: string, { root, modules }: Repository): string | undefined {
  const module = modules.find(({ path }) => file.startsWith(`${path}/`));
  const candidates = isAbsolute(file)
    ? [file, ...suffixes(file).map(part => join(root, part))]
    : [
        ...(module === undefined ? [] : [join(module.folder, file.slice(module.path.length + 1))]),
        ...suffixes(`/${file}`).map(part => join(root, part)),
      ];
  // What is in the module cache or the standard library may have the same suffix as a file here.
  if (/(?:^|\/)(?:pkg\/mod|go\/src|usr\/lib\/go[^/]*\/src)\//.test(file)) return undefined;
  const found = candidates.find(path => isInside(path, root) && isFile(path));
  return found === undefined ? undefined : relative(root, found).split(sep).join('/');
}

/** `/a/b/c.go`: a/b/c.go, b/c.go; a bare name is no evidence. */
function suffixes(file: string): string[] {
  const parts = file.split('/').filter(part => part !== '' && part !== '.' && part !== '..');
  return parts.slice(0, -1).map((_, i) => parts.slice(i).join('/'));
}

function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
