/**
 * The functions of one input, each normalised once and classified by what it says about a stack:
 *
 *     hidden     the runtime, C functions, frames without a name: shown by some formats only
 *     wrapper    compiled for a go or defer statement: likewise
 *     internals  unexported functions of the standard library: may change with every Go release
 *     sync       the sync package's exported methods
 *     telling    everything else
 */
import { functionOf, isCallWrapper, needsFile, normaliseFrame, packageOf } from './normalise.ts';
import { isSharedPackage, isStd } from './shared-packages.ts';
import { REASON_OF_FRAME } from '../wait-reasons.ts';

/**
 * Which closure of its function a frame is: `3` for `main.main.func3`, `1.2` for `main.main.func1.2`, '' for the
 * function itself.
 *
 * The compiler numbers the closures of a function in the order of the source, in every release. What it writes itself
 * (gowrap1, deferwrap1) has numbers of its own, and where a function was inlined stands before its name:
 *
 *     Go 1.26   quota.(*Controller).Run.func3.(*Controller).worker.1      closure 1 of worker
 *     Go 1.27   quota.(*Controller).worker.func1
 *
 * Closures of package variables are numbered over the whole package, differently from release to release: ''.
 */
const PART = /^(?:func)?(\d+)$/;

const WRAPPER = /^(?:gowrap|deferwrap)\d+$/;

const MAX_NAME = 4096;

export const frameKind = { hidden: 0, wrapper: 1, internals: 2, sync: 3, telling: 4 } as const;

/** Exported std functions at the boundary to the kernel: the release decides which of them is used. */
const SYSCALL_ENTRY = /^syscall\.(?:Raw)?Syscall\d*$/;

/**
 * A cache of names for all inputs, since the snapshots of a process have the same functions. Bounded, and emptied when
 * full.
 */
class Memory<T> {
  private readonly known = new Map<string, T>();

  recall(key: string, find: () => T): T {
    let found = this.known.get(key);
    if (found === undefined) {
      found = find();
      if (this.known.size >= 100_000) this.known.clear();
      this.known.set(key, found);
    }
    return found;
  }
}

const normalised = new Memory<string>();
const closures = new Memory<string>();
const judged = new Memory<{ readonly kind: number; readonly shared: boolean; readonly exported: boolean }>();

export class FrameInterner {
  /** By id: the normalised name, its kind, whether its package is shared, whether it is exported, its wait reason or ''. */
  readonly names: string[] = [];
  readonly kinds: number[] = [];
  readonly shared: boolean[] = [];
  readonly exported: boolean[] = [];
  readonly reasons: string[] = [];
  private readonly byRaw = new Map<string, number>();
  private readonly byName = new Map<string, number>();

  /** The id of a function name as read. */
  idOf(raw: string, file: string): number {
    const key = file !== '' && needsFile(raw) ? `${raw}\0${file}` : raw;
    let id = this.byRaw.get(key);
    if (id === undefined) {
      const name = normalised.recall(key, () => normaliseFrame(raw, file));
      id = this.intern(name, isCallWrapper(raw));
      this.byRaw.set(key, id);
    }
    return id;
  }

  /** Which closure of its function a name as read is, or ''. */
  closureOf(raw: string): string {
    return closures.recall(raw, () => closurePath(raw));
  }

  /** The id of a normalised name. */
  intern(name: string, wrapper = false): number {
    const key = wrapper ? `${name}\0` : name;
    let id = this.byName.get(key);
    if (id !== undefined) return id;
    id = this.names.length;
    this.byName.set(key, id);
    this.names.push(name);
    const { kind, shared, exported } = judged.recall(name, () => ({
      kind: kindOf(name),
      shared: isSharedPackage(packageOf(name)),
      exported: isExported(functionOf(name)),
    }));
    this.kinds.push(wrapper && kind !== frameKind.hidden ? frameKind.wrapper : kind);
    this.shared.push(shared);
    this.exported.push(exported);
    this.reasons.push(REASON_OF_FRAME.get(name) ?? '');
    return id;
  }
}

function kindOf(name: string): number {
  const path = packageOf(name);
  if (path === '' || path === 'runtime' || path === 'runtime/cgo') return frameKind.hidden;
  if (path.startsWith('internal/runtime/')) return frameKind.hidden;
  if (!isStd(path)) return frameKind.telling;
  if (/(?:^|\/)internal(?:\/|$)/.test(path) || SYSCALL_ENTRY.test(name)) return frameKind.internals;
  if (!isExported(functionOf(name))) return frameKind.internals;
  return path === 'sync' ? frameKind.sync : frameKind.telling;
}

/** `Func`, `T.Method` and `(*T).Method`: names in which every part is upper case are exported, and Go keeps them. */
function isExported(fn: string): boolean {
  return fn.split('.').every(part => /^\p{Lu}/u.test(part.startsWith('(*') ? part.slice(2) : part));
}

export function closurePath(name: string): string {
  if (name.length > MAX_NAME || !/\.(?:func)?\d/.test(name)) return '';
  const parts = functionOf(withoutTypeArguments(name))
    .split('.')
    .map(part => part.replace(/-range\d+$|-fm$/, ''));
  if (parts[0] === 'glob' || parts[0] === 'init') return '';
  while (WRAPPER.test(parts.at(-1) ?? '')) parts.pop();
  const numbers: string[] = [];
  for (let at = parts.length - 1; at > 0; at--) {
    const number = PART.exec(parts[at] ?? '')?.[1];
    if (number === undefined) break;
    numbers.unshift(number);
  }
  return numbers.join('.');
}

function withoutTypeArguments(name: string): string {
  const open = name.indexOf('[');
  return open < 0 ? name : name.slice(0, open) + name.slice(name.lastIndexOf(']') + 1);
}
