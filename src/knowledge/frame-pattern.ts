/**
 * The one language for functions in a stack. Causes, owners and known leaks are written in it.
 *
 *     k8s.io/kubernetes/pkg/kubelet/prober.(*worker).run        a normalised name
 *     ^      ^          ^   ^       ^      ^                    a part may begin here: at a path element or the type
 *           /          /   /       /      .         .   .       and end here: with a slash, or at a name
 *
 *     pkg/kubelet/prober                     any function of the package
 *     pkg/kubelet/prober.(*worker)           any method of the type
 *     pkg/kubelet/prober.(*worker).run       the function and its closures
 *     pkg/kubelet/volumemanager/             any function of a package below
 *     (*realFsHandler).trackUsage            the method of that type in any package
 *
 * Causes name parts, so `manager.(*containerData).housekeeping` is cadvisor's in `cadvisor/manager` and in
 * `cadvisor/lib/manager`. Owners and known leaks name functions from the first letter on, and may end in a star:
 *
 *     net/http.*                             any function of that package, or method of that type
 *     syscall.Statfs*                        whatever begins so                             owners only, as all below
 *     etcd/{}*                               a word, which is `$1` in the owner's name
 *     cm/{cpu,memory}manager*                one of these words, likewise
 *     reconciler/.../{}.*                    any packages in between, or none
 */
import { functionOf, functionsIn, normaliseFrame, packageOf } from '../profile/families/normalise.ts';

/** A pattern from the first letter of a name on. */
interface NamePattern {
  /** What the name begins with. */
  readonly start: string;
  /** Anything may follow; otherwise `start` ends at a name. */
  readonly isOpen: boolean;
  /** The whole of it, if it keeps a word. */
  readonly shape: RegExp | undefined;
}

const HOLE = /\{([^}]*)\}|\.\.\.\//g;

export function parsePattern(text: string): NamePattern {
  const isOpen = text.endsWith('*') || text.endsWith('/');
  const body = text.endsWith('*') ? text.slice(0, -1) : text;
  const at = body.search(HOLE);
  if (at < 0) return { start: body, isOpen, shape: undefined };
  let source = '';
  let end = 0;
  for (const { 0: hole, 1: words, index } of body.matchAll(HOLE)) {
    source += literal(body.slice(end, index)) + (words === undefined ? '(?:[\\w-]+/)*' : wordIn(words));
    end = index + hole.length;
  }
  source += literal(body.slice(end)) + (isOpen ? '' : '(?=\\.|$)');
  return { start: body.slice(0, at), isOpen, shape: new RegExp(`^${source}`) };
}

function wordIn(words: string): string {
  return words === '' ? '([\\w-]+)' : `(${words.split(',').map(literal).join('|')})`;
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** The word that it keeps, '' if it keeps none; undefined if `name` does not match. */
export function matchName({ start, isOpen, shape }: NamePattern, name: string): string | undefined {
  // Many names begin alike, so the last letter tells them apart sooner.
  if (name[start.length - 1] !== start[start.length - 1] || !name.startsWith(start)) return undefined;
  if (shape !== undefined) return shape.exec(name)?.[1];
  return isOpen || endsName(name, start.length) ? '' : undefined;
}

/** Whether `at` is the end of a package, type or function in a name. */
function endsName(name: string, at: number): boolean {
  return at === name.length || name[at] === '.';
}

/** Whether `symbol`, which joins the functions in a closure's name, has one that matches: `(*T).Run.(*Group).Start`. */
function hasSymbol({ start, isOpen }: NamePattern, symbol: string): boolean {
  if (symbol.startsWith(start) && (isOpen || endsName(symbol, start.length))) return true;
  // In the middle only a type tells where a function begins.
  if (!isOpen && !start.startsWith('(')) return false;
  const inner = `.${start}`;
  for (let at = symbol.indexOf(inner); at >= 0; at = symbol.indexOf(inner, at + 1)) {
    if (isOpen || endsName(symbol, at + inner.length)) return true;
  }
  return false;
}

const PLUMBING = /^(runtime\.|sync\.|internal\/(poll|sync|runtime|race)[./]|syscall\.|golang\.org\/x\/sys\/)/;

/** The first frame that is not the runtime, `sync`, `internal/poll` or `syscall`, which only wait for it. */
export function leafOf(frames: readonly string[]): string {
  return frames.find(frame => !PLUMBING.test(frame)) ?? frames[0] ?? '';
}

/**
 * Every part of the names. Testing one name against hundreds of patterns is slower than listing what matches it:
 *
 *     a.b/c/d.(*T).m    starts at a, c, d and (*T); ends after d, T) and m, or with the slash after a.b or c
 */
export function partsOf(names: Iterable<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const name of names) {
    const starts = [0];
    for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) {
      for (const start of starts) found.add(name.slice(start, at + 1));
      starts.push(at + 1);
    }
    const type = name.indexOf('.(', starts[starts.length - 1]);
    if (type >= 0) starts.push(type + 1);
    const packageStart = starts[type >= 0 ? starts.length - 2 : starts.length - 1];
    for (let at = name.indexOf('.', packageStart); ; at = name.indexOf('.', at + 1)) {
      const end = at < 0 ? name.length : at;
      for (const start of starts) if (start < end) found.add(name.slice(start, end));
      if (at < 0) break;
    }
  }
  return found;
}

/**
 * Frames as dumps print them against those of a known leak, in the language of frame-pattern.ts, with tolerance: a
 * signature stays true from Go 1.4 to 1.27, vendored or not, inlined or not.
 *
 *   k8s.io/kubernetes/vendor/github.com/docker/spdystream.(*Connection).Serve.func1(0xc000, ...)+0x1a
 *   is github.com/moby/spdystream.(*Connection).Serve
 */
export interface FrameName {
  /** `k8s.io/kubernetes/pkg/kubelet`; '' when the name has none. */
  readonly packagePath: string;
  /** `(*podWorkers).startPodSync`, without the marks of closures. */
  readonly symbol: string;
  /** The other functions that the name of a closure names. */
  readonly others: readonly FrameName[];
}

/** The name in the form that is compared. */
export function parseFrameName(text: string): FrameName {
  const [symbol = '', ...others] = functionsIn(text.trim().replace(/\s+\S+:\d+$/, ''));
  return { ...split(symbol), others: others.map(split) };
}

function split(name: string): FrameName {
  const isBareMethod = name.startsWith('(');
  const packagePath = isBareMethod ? '' : packageOf(name);
  return { packagePath, symbol: packagePath === '' ? name : functionOf(name), others: [] };
}

/**
 * Is `frame` the function a signature names? `wanted` may end in `.*`: any function of that package or type.
 * A closure counts as its function, also under the long name it gets where it is inlined (`A.(*T).B`). A frame that
 * was printed with a short package (`kubelet.(*podWorkers).startPodSync`) or none is compared by what it has.
 */
export function isFrame(wanted: FrameName, frame: FrameName): boolean {
  const symbol = symbolIn(wanted, frame);
  if (symbol !== undefined && hasSymbol(symbolPattern(wanted.symbol), symbol)) return true;
  return frame.others.some(other => isFrame(wanted, other));
}

/** What `frame` is called in the package of `wanted`; undefined when it is of another. */
function symbolIn(wanted: FrameName, { packagePath, symbol }: FrameName): string | undefined {
  if (wanted.packagePath === packagePath) return symbol;
  // Without a package only a method says enough, and only one that is named whole.
  const isShort =
    packagePath === ''
      ? symbol.startsWith('(') && !wanted.symbol.endsWith('*')
      : !packagePath.includes('/') && wanted.packagePath.endsWith(`/${packagePath}`);
  // It may have been renamed since, which only its whole name tells.
  return isShort ? functionOf(normaliseFrame(`${wanted.packagePath}.${symbol}`)) : undefined;
}

function symbolPattern(symbol: string): NamePattern {
  const isOpen = symbol === '*' || symbol.endsWith('.*');
  return { start: isOpen ? symbol.slice(0, -1) : symbol, isOpen, shape: undefined };
}
