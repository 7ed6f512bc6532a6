/**
 * Who in the program itself uses a library: the function that a person can change.
 *
 *     lumberjack.(*Logger).millRun               the family
 *     lumberjack.(*Logger).mill                  created it
 *     fmt.Fprintf
 *     main.auditTenant   la/libs.go:120          the caller
 *     main.every
 *
 * The stack of a goroutine ends where it was created, so what called its creator is read from the heap profile: what
 * the creator allocated shows its callers.
 */
import type { FamilyCaller, Finding } from '../analysis.ts';
import type { ProcessEvidence } from '../../evidence/snapshots/process-evidence.ts';
import { normaliseFrame, packageOf, sourcePlace } from '../../profile/families/normalise.ts';

/** `main.auditTenant /src/la/libs.go:120`, as the example of a family has it. */
const EXAMPLE = /^(.+?)(?: (\S.*):(\d+))?$/;

/** Hosts whose modules are named by two more elements of the path. */
const CODE_HOST = /^(?:github|gitlab|bitbucket)\.(?:com|org)$/;

interface Frame {
  readonly name: string;
  readonly at: string | null;
}

/** The findings, each with the caller of a library that it is about; none if the program's own code is in its title. */
export function withCallers(findings: readonly Finding[], evidence: ProcessEvidence): Finding[] {
  if (findings.length === 0) return [];
  const stacks = stacksOf(evidence);
  const isOwn = ownPackages(stacks);
  return findings.map(finding => {
    const { family } = finding;
    const { frames, createdBy } = family;
    if (frames.length === 0 || [...frames, createdBy ?? ''].some(frame => isOwn(packageOf(frame)))) return finding;
    const leaf = frames[frames.length - 1] ?? '';
    const caller = callerOf(createdBy ?? leaf, stacks, isOwn) ?? onlyUserOf(moduleOf(packageOf(leaf)), stacks, isOwn);
    return caller === undefined ? finding : { ...finding, family: { ...family, caller } };
  });
}

/** The largest stack of each family, the largest families first: those of the heap, then goroutines. */
function stacksOf({ heap, goroutines }: ProcessEvidence): Frame[][] {
  const counts = [heap.at(-1)?.table.counts ?? [], goroutines.at(-1)?.table.counts ?? []].flat();
  return counts.map(({ example }) => example.flatMap(frameOf));
}

function frameOf(text: string): Frame[] {
  const [, name = '', file = '', line = ''] = EXAMPLE.exec(text) ?? [];
  if (name === '' || name.startsWith('created by ')) return [];
  return [{ name: normaliseFrame(name, file), at: sourcePlace(file, Number(line), name) || null }];
}

/** Package main and, where the place of main.main shows it, the rest of its module. */
function ownPackages(stacks: Stacks): IsOwn {
  const main = stacks.flat().find(({ name }) => name === 'main.main')?.at ?? '';
  const module = moduleOf(main.slice(0, main.lastIndexOf('/') + 1));
  return path => path === 'main' || (module !== '' && (path === module || path.startsWith(`${module}/`)));
}

/** `k8s.io/kubernetes/cmd/kubelet` is of `k8s.io/kubernetes`; '' of what no host serves. */
function moduleOf(path: string): string {
  const folders = path.split('/');
  const [host = ''] = folders;
  return host.includes('.') ? folders.slice(0, CODE_HOST.test(host) ? 3 : 2).join('/') : '';
}

type Stacks = readonly (readonly Frame[])[];
type IsOwn = (path: string) => boolean;

function callerOf(library: string, stacks: Stacks, isOwn: IsOwn): FamilyCaller | undefined {
  for (const stack of stacks) {
    const caller = callerAfter(
      stack,
      stack.findIndex(({ name }) => name === library),
      isOwn,
    );
    if (caller !== undefined) return caller;
  }
  return undefined;
}

/** Where nothing shows who calls this function: whoever calls the library, if that is one function. */
function onlyUserOf(module: string, stacks: Stacks, isOwn: IsOwn): FamilyCaller | undefined {
  if (module === '') return undefined;
  const callers = new Map<string, FamilyCaller>();
  for (const stack of stacks) {
    const at = stack.findLastIndex(({ name }) => moduleOf(packageOf(name)) === module);
    const caller = callerAfter(stack, at, isOwn);
    if (caller !== undefined) callers.set(caller.function, caller);
  }
  const [only] = callers.values();
  return callers.size === 1 ? only : undefined;
}

function callerAfter(stack: readonly Frame[], at: number, isOwn: IsOwn): FamilyCaller | undefined {
  const caller = at < 0 ? undefined : stack.slice(at + 1).find(({ name }) => isOwn(packageOf(name)));
  return caller === undefined ? undefined : { function: caller.name, at: caller.at };
}
