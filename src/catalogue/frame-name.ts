/**
 * Function names compared with tolerance: a signature stays true from Go 1.4 to 1.27, vendored or not, inlined or not.
 *
 *   k8s.io/kubernetes/vendor/github.com/docker/spdystream.(*Connection).Serve.func1(0xc000, ...)+0x1a
 *   is github.com/moby/spdystream.(*Connection).Serve
 */
import { MOVED_PACKAGES, RENAMED_METHODS } from './frame-aliases.ts';

export interface FrameName {
  /** `k8s.io/kubernetes/pkg/kubelet`; '' when the name has none. */
  readonly packagePath: string;
  /** `(*podWorkers).startPodSync`, without the marks of closures. */
  readonly symbol: string;
}

const CLOSURE = /(?:\.(?:func|gowrap|deferwrap)\d+|\.\d+|-fm|-range\d+)+$/;

/** The name in the form that is compared. */
export function parseFrameName(text: string): FrameName {
  let name = text.trim().replace(/\s+\S+:\d+$/, '');
  name = name.replace(/\+0x[0-9a-f]+$/i, '').replace(/(?<=[\w\])-])\([^()]*\)$/, '');
  name = withoutTypeArguments(name).replace(/^.*\/(?:vendor|Godeps\/_workspace\/src)\//, '');
  name = name.replaceAll('%2e', '.').replace(/\/v\d+(?=[/.])/g, '');
  let closure = '';
  for (let next = ''; (next = name.replace(CLOSURE, '')) !== name; name = next) closure = name;
  // A package may be called v1.2 or x.func1, a function may not be empty.
  if (name === '' || name.endsWith('/')) name = closure === '' ? text : closure;

  const dot = name.indexOf('.', name.lastIndexOf('/') + 1);
  const isBareMethod = name.startsWith('(');
  if (dot < 0 || isBareMethod) return { packagePath: '', symbol: name };
  return renamed(moved(name.slice(0, dot)), name.slice(dot + 1));
}

/** `Set[go.shape.string].Insert` -> `Set.Insert`; brackets may nest. */
function withoutTypeArguments(name: string): string {
  if (!name.includes('[')) return name;
  let out = '';
  let depth = 0;
  for (const char of name) {
    if (char === '[') depth++;
    else if (char === ']') depth = Math.max(0, depth - 1);
    else if (depth === 0) out += char;
  }
  return out;
}

function moved(path: string): string {
  for (const [old, now] of MOVED_PACKAGES) {
    if (path === old || path.startsWith(`${old}/`)) return now + path.slice(old.length);
  }
  return path;
}

function renamed(packagePath: string, symbol: string): FrameName {
  const full = `${packagePath}.${symbol}`;
  for (const [old, now] of RENAMED_METHODS) {
    if (old.test(full)) return { packagePath, symbol: full.replace(old, now).slice(packagePath.length + 1) };
  }
  return { packagePath, symbol };
}

/**
 * Is `frame` the function a signature names? `wanted` may end in `.*`: any function of that package or type.
 * A closure counts as its function, also under the long name it gets where it is inlined (`A.(*T).B`). A frame that
 * was printed with a short package (`kubelet.(*podWorkers).startPodSync`) or none is compared by what it has.
 */
export function isFrame(wanted: FrameName, frame: FrameName): boolean {
  return samePackage(wanted, frame) && sameSymbol(wanted.symbol, frame.symbol);
}

function samePackage(wanted: FrameName, { packagePath, symbol }: FrameName): boolean {
  if (wanted.packagePath === packagePath) return true;
  // Without a package only a method says enough, and only one that is named whole.
  if (packagePath === '') return symbol.startsWith('(') && !wanted.symbol.endsWith('*');
  return !packagePath.includes('/') && wanted.packagePath.endsWith(`/${packagePath}`);
}

function sameSymbol(wanted: string, got: string): boolean {
  if (wanted === '*') return true;
  if (wanted.endsWith('.*')) return got.startsWith(wanted.slice(0, -1)) || got.includes(`.${wanted.slice(0, -1)}`);
  if (got === wanted || got.startsWith(`${wanted}.`)) return true;
  return wanted.startsWith('(') && (got.endsWith(`.${wanted}`) || got.includes(`.${wanted}.`));
}
