/**
 * Frames as dumps print them against those of a known leak, in the language of frame-pattern.ts, with tolerance: a
 * signature stays true from Go 1.4 to 1.27, vendored or not, inlined or not.
 *
 *   k8s.io/kubernetes/vendor/github.com/docker/spdystream.(*Connection).Serve.func1(0xc000, ...)+0x1a
 *   is github.com/moby/spdystream.(*Connection).Serve
 */
import { functionOf, functionsIn, normaliseFrame, packageOf } from '../profile/families/normalise.ts';
import { hasSymbol, type NamePattern } from './frame-pattern.ts';

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
