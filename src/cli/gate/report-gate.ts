/** Tells how a gate ended: files, annotations, the step summary and the exit code. */
import { appendFile } from 'node:fs/promises';
import { resolve, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { encodeText } from '../../base/text.ts';
import type { GateEnd, GateFailure } from '../../gate/run-gate.ts';
import type { GateResult, GateFamily } from '../../gate/gate.ts';
import { gateJunit } from '../../gate/report/gate-junit.ts';
import { gateDocument } from '../../gate/report/gate-document.ts';
import { gateAnnotations, gateBenchstat } from '../../gate/report/gate-lines.ts';
import { failsGate } from '../../gate/gate-answer.ts';
import { gateSarif } from '../../gate/report/gate-sarif.ts';
import { renderJson } from '../../report/json.ts';
import { printMarkdown } from '../../report/markdown.ts';
import { printText } from '../../report/print-text.ts';
import { writeFileAtomically } from '../connect/write-file-atomically.ts';
import { type Io, fail, styleFor } from '../io.ts';
import { packageVersion } from '../package-files.ts';
import type { EvidenceFolder } from './evidence-folder.ts';
import type { GateOutput, GateSettings } from './gate-request.ts';
import type { StartedTarget } from './programs.ts';
import { EXIT } from '../../base/errors.ts';

const MAX_LEVELS = 64;

const GO_MOD = 'go.mod';

type Outputs = Pick<GateSettings, 'outputs' | 'color' | 'budgetFile'>;

export async function reportEnd(
  end: GateEnd,
  started: StartedTarget | undefined,
  settings: Outputs,
  evidence: EvidenceFolder,
  io: Io,
): Promise<number> {
  if (end.kind !== 'judged') return reportFailure(end, started, evidence, io);
  const result = withSources(end.result, io.cwd);
  await evidence.save('gate.json', encodeText(renderJson(result)));
  for (const output of settings.outputs) {
    const text = rendered(output.kind, result, settings, io);
    if (output.file === undefined) io.stdout.write(text);
    else await writeFileAtomically(output.file, encodeText(text), io.cwd);
  }
  if (io.env['GITHUB_ACTIONS'] === 'true') {
    // Annotations are read from either stream; data on stdout stays whole.
    const hasText = settings.outputs.every(({ kind, file }) => file !== undefined || kind === 'text');
    (hasText ? io.stdout : io.stderr).write(gateAnnotations(result));
  }
  const summary = io.env['GITHUB_STEP_SUMMARY'];
  if (summary !== undefined && summary !== '')
    await appendFile(resolve(io.cwd, summary), `${printMarkdown(gateDocument(result))}\n`);
  if (failsGate(result)) return EXIT.leakFound;
  return result.outcome === 'undecided' ? EXIT.undecided : EXIT.done;
}

/** No verdict: what happened, the last words of the program, and where the evidence is. */
export async function reportFailure(
  end: GateFailure,
  started: StartedTarget | undefined,
  evidence: EvidenceFolder,
  io: Io,
): Promise<number> {
  if (end.kind === 'target-lost' || end.kind === 'command-failed') await started?.mayEnd();
  await evidence.flush();
  if (end.kind === 'stopped') return fail(io, EXIT.interrupted, `${end.message}; evidence in ${evidence.name}`);
  const words = started?.outputTail();
  const how = words === undefined ? '' : `the target ${words.startsWith('exited with 0') ? 'ended' : 'crashed'}: `;
  const last = words === undefined ? '' : `; the started program ${words}`;
  const code = end.kind === 'command-failed' && words === undefined ? EXIT.actionFailed : EXIT.couldNotObserve;
  return fail(io, code, `${how}${end.message}${last}; evidence in ${evidence.name}`);
}

function rendered(kind: GateOutput['kind'], result: GateResult, { color, budgetFile }: Outputs, io: Io): string {
  if (kind === 'json') return renderJson(result);
  if (kind === 'markdown') return printMarkdown(gateDocument(result));
  if (kind === 'junit') return gateJunit(result);
  if (kind === 'sarif') return gateSarif(result, packageVersion(), fileOfProgram(io.cwd, budgetFile));
  return kind === 'benchstat' ? gateBenchstat(result) : printText(gateDocument(result), { style: styleFor(color, io) });
}

/**
 * Finds the files of stacks in the repository, for code scanning and annotations:
 *
 *     /home/ci/src/app/pkg/sync.go        built in the repository          pkg/sync.go
 *     example.com/app/pkg/sync.go         built with -trimpath             pkg/sync.go
 *     /workspace/pkg/sync.go              built elsewhere, in an image     pkg/sync.go, if there is one
 *     /go/pkg/mod/k8s.io/...              not in the repository            -
 */
interface Repository {
  readonly root: string;
  /** The go.mod files between the root and the working folder: module path and folder of each. */
  readonly modules: readonly { readonly path: string; readonly folder: string }[];
}

function withSources(result: GateResult, cwd: string): GateResult {
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
  for (let i = 0; i < MAX_LEVELS; i++) {
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
