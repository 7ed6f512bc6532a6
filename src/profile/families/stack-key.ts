/**
 * The part of a stack that identifies the family: what debug=0, debug=1 and debug=2 of every Go release agree on.
 *
 *     debug=0   runtime.gopark  runtime.semacquire1  sync.runtime_SemacquireMutex  sync.(*Mutex).lockSlow
 *               sync.(*Mutex).Lock  main.leak.func1
 *     debug=2   internal/sync.(*Mutex).lockSlow  internal/sync.(*Mutex).Lock  sync.(*Mutex).Lock  main.leak.func1
 *     key       sync.(*Mutex).Lock  main.leak
 *
 *  - The runtime is left out, and only exported functions of the standard library count: Go promises to keep those.
 *    The function a goroutine was started with always counts.
 *  - A function counts once, at its position nearest to the leaf: neither recursion nor a handler chain has a depth.
 *  - Only the first frames count. Before Go 1.23 profiles end after 32 frames, the runtime's included, while debug=2
 *    prints the first 100, or the first and last 50.
 */
import { frameKind, FrameInterner } from './frame-interner.ts';

/** Frames from the leaf that every format shows: 32 less the deepest stack of runtime frames that park a goroutine. */
const KEY_FRAMES = 24;

/** Frame ids of the key, leaf first; never empty. `ids` is the stack as read, leaf first. */
export function stackKey(interner: FrameInterner, ids: ArrayLike<number>): number[] {
  const key: number[] = [];
  let seen = 0;
  let root = -1; // internals at the end of the stack so far
  let fallback = -1;
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i];
    const kind = interner.kinds[id];
    if (kind === frameKind.hidden || kind === frameKind.wrapper) {
      if (interner.names[id] !== '' && !ROOTS.has(interner.names[id])) fallback = id;
      continue;
    }
    if (++seen > KEY_FRAMES) {
      root = -1;
      break;
    }
    root = kind === frameKind.internals ? id : -1;
    if (root < 0 && !key.includes(id)) key.push(id);
  }
  if (root >= 0) key.push(root);
  // RWMutex.Lock waits in Mutex.Lock and Cond.Wait wakes up in it: the outer one is what the caller called.
  while (key.length > 1 && interner.kinds[key[0]] === frameKind.sync && interner.kinds[key[1]] === frameKind.sync)
    key.shift();
  if (key.length === 0) key.push(fallback >= 0 ? fallback : interner.intern(NO_STACK));
  return key;
}

/** Represents a stack that was not shown at all. */
export const NO_STACK = '(no stack)';

/** Where stacks begin, or where a goroutine is parked: they say nothing about what it does. */
export const ROOTS: ReadonlySet<string> = new Set([
  'runtime.goexit',
  'runtime.main',
  'runtime.gopark',
  'runtime.mcall',
  'runtime.systemstack',
  'runtime.mstart',
]);

/** The wait reason that the frames of a stack show, or ''. */
export function shownReason(interner: FrameInterner, ids: ArrayLike<number>, key: readonly number[]): string {
  // The key's first frame already decides which of several sync frames counts.
  const first = interner.reasons[key[0]];
  if (first !== '' && interner.kinds[key[0]] === frameKind.sync) return first;
  for (let i = 0; i < ids.length; i++) {
    const reason = interner.reasons[ids[i]];
    if (reason !== '') return reason;
    const kind = interner.kinds[ids[i]];
    if (kind === frameKind.telling) return '';
  }
  return '';
}

/**
 * Reduces the normalised names of a signature or a stack to what the frames of a goroutine family can contain, so that
 * a signature written with `sync.runtime_Semacquire` or `os.(*File).read` can be compared with them.
 */
export function keyNames(names: readonly string[]): string[] {
  const interner = new FrameInterner();
  const ids = names.map(name => interner.idOf(name, ''));
  return stackKey(interner, ids).map(id => interner.names[id]);
}
