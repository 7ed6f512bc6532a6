/**
 * The name of a function, the same for every build of the code.
 *
 *     normaliseFrame('k8s.io/kubernetes/vendor/k8s.io/klog/v2.(*flushDaemon).run.func1')  k8s.io/klog.(*flushDaemon).run
 *     normaliseFrame('main.(*box[go.shape.string]).wait-fm')                              main.(*box).wait
 *     normaliseFrame('github.com/docker/spdystream.(*Connection).Serve.func1')            github.com/moby/...
 *
 * A closure counts as the function it is written in. Its number depends on its neighbours, and before Go 1.27 its name
 * also depends on what the compiler inlined:
 *
 *     Go 1.26   cache.(*controller).Run.(*Group).Start.func1     the body of wait.(*Group).Start was inlined into Run
 *     Go 1.27   wait.(*Group).Start.func1
 *
 * The package of an inlined function is not in the name, so the frame's file is used if it is given.
 */
/** Code the compiler writes for `go f(x)` and `defer f(x)`; some formats show it, others do not. */
const CALL_WRAPPER = /(?:\.gowrap|\.deferwrap|·dwrap·)\d+$/;
/** One part of a closure's name: `func1`, the `2` of `func1.2`, `gowrap1`. */
const CLOSURE_PART = /^(?:func\d+|gowrap\d+|deferwrap\d+|\d+)$/;

/** No compiler writes longer ones, but a dump may be crafted to be slow to read. */
const MAX_NAME = 4096;
const MAX_ROUNDS = 8;

export function isCallWrapper(name: string): boolean {
  return CALL_WRAPPER.test(name);
}

/** Whether the file of the frame matters: only the closure of an inlined function is named after another package. */
export function needsFile(name: string): boolean {
  // Most names are not closures, and a plain text search is much faster than the expression.
  if (!name.includes('.func') && !name.includes('wrap')) return false;
  return /\.[^./]+\.(?:func|gowrap|deferwrap)\d/.test(name);
}

export function normaliseFrame(name: string, file = ''): string {
  if (name.length > MAX_NAME) return name;
  let out = simplified(name, file);
  // One rule may make another apply: `f-fm.func1` is f. Each rule shortens the name or moves it to its final package.
  for (let round = 0, before = name; out !== before && round < MAX_ROUNDS; round++) {
    before = out;
    out = simplified(out, '');
  }
  return out;
}

/**
 * Every function in the name of a closure, normalised, starting with the one it is written in. Since the name does not
 * say where one function ends and the next begins, the joined name follows as well:
 *
 *     main.(*T).Run.(*Group).Start.func1     main.(*Group).Start, main.(*T).Run, main.(*T).Run.(*Group).Start
 */
export function functionsIn(name: string): string[] {
  const first = normaliseFrame(name);
  if (name.length > MAX_NAME || !needsFile(name)) return [first];
  const bare = spelled(name);
  const dot = packageEnd(bare);
  if (dot < 0) return [first];
  const path = bare.slice(0, dot);
  const whole = bare.slice(dot + 1);
  const found = new Set([first]);
  for (let fn = whole, round = 0; round < MAX_ROUNDS; round++) {
    fn = enclosingFunction(fn)?.outer ?? '';
    if (fn === '') break;
    found.add(normaliseFrame(`${path}.${fn}`));
  }
  const functions = whole.split('.').filter(part => !CLOSURE_PART.test(part));
  if (functions.length > 0) found.add(normaliseFrame(`${path}.${functions.join('.')}`));
  return [...found];
}

/** Removes everything that depends on the build or the call. */
function spelled(name: string): string {
  return withoutCopyPath(withoutTypeArguments(withoutCall(name)));
}

function simplified(name: string, file: string): string {
  const bare = spelled(name);
  const dot = packageEnd(bare);
  if (dot < 0) return bare;
  let path = bare.slice(0, dot);
  let fn = bare.slice(dot + 1);
  const closure = enclosingFunction(fn);
  if (closure !== undefined) {
    fn = closure.name;
    if (closure.outer !== '') path = inlinedPackage(path, file);
  }
  path = canonicalPackage(path);
  if (path === 'net/http' && BUNDLED_HTTP2.test(fn)) {
    path = HTTP2_PACKAGE;
    fn = fn.replace(BUNDLED_HTTP2, '$1$2');
  }
  return renamed(`${path}.${fn}`, path.length);
}

/** The import path in a normalised name; '' for C functions. */
export function packageOf(name: string): string {
  const dot = packageEnd(name);
  return dot < 0 ? '' : name.slice(0, dot);
}

/** What follows the package: `(*T).Method`. */
export function functionOf(name: string): string {
  return name.slice(packageEnd(name) + 1);
}

/** The dot between the import path and the function: the first one after the last slash. */
function packageEnd(name: string): number {
  return name.indexOf('.', name.lastIndexOf('/') + 1);
}

/** Removes what differs from call to call: `main.f(0xc000, ...)`, `main.f+0x1a`. */
function withoutCall(name: string): string {
  let text = name.trim();
  if (text.endsWith(')')) {
    const open = text.lastIndexOf('(');
    if (open > 0 && text[open + 1] !== '*') text = text.slice(0, open);
  }
  const plus = text.lastIndexOf('+0x');
  return plus > 0 ? text.slice(0, plus) : text;
}

/** Drops `[...]`, `[go.shape.string]` and whatever is nested in them. */
function withoutTypeArguments(name: string): string {
  if (!name.includes('[')) return name;
  let out = '';
  let depth = 0;
  for (const char of name) {
    if (char === '[') depth++;
    else if (char === ']' && depth > 0) depth--;
    else if (depth === 0) out += char;
  }
  return out;
}

function withoutCopyPath(name: string): string {
  let from = name.startsWith('vendor/') ? 'vendor/'.length : 0;
  for (const mark of COPY_MARKS) {
    const at = name.lastIndexOf(mark);
    if (at >= 0) from = Math.max(from, at + mark.length);
  }
  return from === 0 ? name : name.slice(from);
}

/** Removes module versions, and maps moved packages to their new path. */
function canonicalPackage(path: string): string {
  let out = path.startsWith('gopkg.in/') ? path.replace(/(?:%2e|\.)v\d+(?=\/|$)/, '') : path;
  if (!API_VERSION_PATHS.test(`${out}/`))
    out = out.replace(/\/v[1-9]\d*(?=\/|$)/g, (v, at: number) => (at > 0 && v !== '/v1' ? '' : v));
  for (const [from, to] of PACKAGE_ALIASES) {
    if (out.startsWith(from) && (out.length === from.length || out[from.length] === '/')) {
      return to + out.slice(from.length);
    }
  }
  return out;
}

/** The new name of a function, or of the type whose method it is. */
function renamed(name: string, pathLength: number): string {
  const whole = NAME_ALIASES.get(name);
  if (whole !== undefined) return whole;
  const method = name.indexOf(').', pathLength);
  if (method < 0) return name;
  const type = NAME_ALIASES.get(name.slice(0, method + 1));
  return type === undefined ? name : type + name.slice(method + 1);
}

interface Enclosing {
  readonly name: string;
  /** The function that a closure was inlined into, according to its name; it may be in another package. '' if none. */
  readonly outer: string;
}

/** The function a closure or wrapper is written in; undefined for a plain function. */
function enclosingFunction(fn: string): Enclosing | undefined {
  if (fn.startsWith('glob.')) return { name: 'init', outer: '' };
  if (/^init\.\d+/.test(fn)) return { name: 'init', outer: '' };
  const parts = fn
    .replace(/·dwrap·\d+$|-fm$/, '')
    .split('.')
    .map(part => part.replace(/-range\d+$/, ''));
  let end = parts.length;
  while (end > 1 && CLOSURE_PART.test(parts[end - 1] ?? '')) end--;
  const plain = parts.slice(0, end);
  if (end === parts.length) {
    const name = plain.join('.');
    return name === fn ? undefined : { name, outer: '' };
  }
  // The remainder may begin with a closure again: A.func1.B.func2 is written in B.
  let start = end;
  while (start > 0 && !CLOSURE_PART.test(parts[start - 1] ?? '')) start--;
  const unit = lastFunction(plain.slice(start));
  const outer = parts.slice(0, end - unit.length);
  return { name: unit.join('.'), outer: outer.length === 0 ? '' : `${outer.join('.')}.func1` };
}

/** The last of the functions in `[(*T), M, Inlined, (*U), N]`. */
function lastFunction(parts: readonly string[]): readonly string[] {
  const [last, before] = [parts.at(-1), parts.at(-2)];
  if (last === undefined || before === undefined) return parts;
  if (before.startsWith('(')) return parts.slice(-2);
  const isMethodName = parts.at(-3)?.startsWith('(') === true;
  return !isMethodName && isMethodOfValue(before, last) ? parts.slice(-2) : parts.slice(-1);
}

/**
 * `X.Y.func1` is a closure in a method of type X, or in a function Y that was inlined into a function X. The name does
 * not say which. Most exported names are methods; names that read like verbs are functions.
 */
function isMethodOfValue(x: string, y: string): boolean {
  return /^\p{Lu}/u.test(y) && x !== 'main' && x !== 'init' && !FUNCTION_VERBS.test(x);
}

function inlinedPackage(outer: string, file: string): string {
  const own = packageOfFile(file);
  return own === '' ? outer : own;
}

/** `k8s.io/kubernetes/pkg/kubelet.(*podWorkers).startPodSync` as `kubelet.(*podWorkers).startPodSync`. */
export function shortName(name: string): string {
  return name.slice(packageOf(name).lastIndexOf('/') + 1).replaceAll('%2e', '.');
}

/**
 *     /go/pkg/mod/k8s.io/client-go@v0.36.0/tools/cache/store.go  88    k8s.io/client-go/tools/cache/store.go:88
 *     /usr/local/go/src/context/context.go                      288    context/context.go:288
 *     /home/me/kubernetes/pkg/kubelet/pod_workers.go           1155    k8s.io/kubernetes/pkg/kubelet/pod_workers.go:1155
 *     /home/me/leak/main.go                                      21    leak/main.go:21, since only the build knows more
 *
 * `name` is the function as read: its package is the folder of the file. '' if the file is unknown.
 */
export function sourcePlace(file: string, line: number, name: string): string {
  if (file === '') return '';
  const shown = shortFile(file, name);
  return line > 0 ? `${shown}:${line}` : shown;
}

/**
 *     /go/pkg/mod/k8s.io/apimachinery@v0.36.0/pkg/util/wait/wait.go   k8s.io/apimachinery/pkg/util/wait
 *     k8s.io/kubernetes/vendor/k8s.io/klog/v2/klog.go                 k8s.io/klog/v2
 *     /usr/local/go/src/net/http/server.go                            net/http
 *     /go/src/k8s.io/kubernetes/_output/go/src/k8s.io/api/x.go         k8s.io/api
 *     /home/me/leak/main.go                                           '' (only the build knows)
 */
export function packageOfFile(file: string): string {
  const slash = file.lastIndexOf('/');
  if (slash <= 0) return '';
  const dir = file.slice(0, slash);
  for (const mark of COPY_MARKS) {
    const at = dir.lastIndexOf(mark);
    if (at >= 0) return withoutVersion(dir.slice(at + mark.length));
  }
  const module = dir.lastIndexOf('/pkg/mod/');
  if (module >= 0) return withoutVersion(dir.slice(module + '/pkg/mod/'.length));
  if (!dir.startsWith('/') && !/^[A-Za-z]:/.test(dir)) return withoutVersion(dir);
  return withoutVersion(dir.slice(sourceRoot(dir)));
}

function shortFile(file: string, name: string): string {
  const path = file.replaceAll('\\', '/');
  const base = path.slice(path.lastIndexOf('/') + 1);
  // `<autogenerated>`, `_cgo_gotypes.go`
  if (base === path || base === '') return file;
  const ofFile = packageOfFile(path);
  if (ofFile !== '') return `${ofFile}/${base}`;
  const folder = path.split('/').at(-2) ?? '';
  const ofFunction = packageOf(name).replaceAll('%2e', '.');
  const isSame = ofFunction !== '' && ofFunction.split('/').at(-1) === folder;
  if (isSame) return `${ofFunction}/${base}`;
  return folder === '' ? base : `${folder}/${base}`;
}

/** Where the last GOPATH or GOROOT in a path ends; builds in a container nest them. */
function sourceRoot(dir: string): number {
  const roots = [...dir.matchAll(/\/go[^/]*\/src\//g)];
  const last = roots.at(-1);
  return last === undefined ? dir.length : last.index + last[0].length;
}

/** Removes module versions, and decodes `!x`, which the module cache writes for `X`. */
function withoutVersion(path: string): string {
  return path.replace(/@[^/]*/, '').replace(/!([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Tables of changes to a function's name that leave its code the same. `normalise.ts` applies them.
 *
 * Aliases map old names to the newest, and no result is itself an old name, so normalising twice changes nothing more.
 * Add to these tables when code moves, to keep the ids of its families.
 *
 *  Everything up to the last of these is where a package was copied to, and not part of its name.
 */
const COPY_MARKS: readonly string[] = ['/vendor/', '/Godeps/_workspace/src/', '/staging/src/'];

/**
 * Below these, `/v2` is an API version (`k8s.io/api/autoscaling/v2`). Elsewhere it is a module version, which says
 * nothing about the code.
 */
const API_VERSION_PATHS: RegExp =
  /^k8s\.io\/(api|client-go|kubernetes|kube-aggregator|apiextensions-apiserver)\/|\/apis?\//;

/** Packages that moved: old import path -> new, including everything below it. */
export const PACKAGE_ALIASES: readonly (readonly [from: string, to: string])[] = [
  ['github.com/docker/spdystream', 'github.com/moby/spdystream'],
  ['github.com/google/cadvisor/utils/oomparser', 'k8s.io/kubernetes/third_party/forked/cadvisor/oomparser'],
  ['github.com/google/cadvisor/manager', 'github.com/google/cadvisor/lib/manager'],
  ['k8s.io/kubernetes/pkg/kubelet/server/portforward', 'k8s.io/cri-streaming/pkg/streaming/portforward'],
  ['k8s.io/kubernetes/pkg/kubelet/cri/streaming', 'k8s.io/cri-streaming/pkg/streaming'],
  ['k8s.io/kubelet/pkg/cri/streaming', 'k8s.io/cri-streaming/pkg/streaming'],
  ['k8s.io/kubernetes/pkg/kubelet/server/streaming', 'k8s.io/cri-streaming/pkg/streaming'],
  ['github.com/opencontainers/runc/libcontainer/cgroups', 'github.com/opencontainers/cgroups'],
  ['k8s.io/kubernetes/pkg/kubelet/cri/remote', 'k8s.io/cri-client/pkg'],
  ['k8s.io/kubernetes/pkg/client/cache', 'k8s.io/client-go/tools/cache'],
  ['k8s.io/kubernetes/pkg/util/wait', 'k8s.io/apimachinery/pkg/util/wait'],
  ['k8s.io/kubernetes/pkg/util/workqueue', 'k8s.io/client-go/util/workqueue'],
  ['k8s.io/kubernetes/pkg/util/mount', 'k8s.io/mount-utils'],
  ['k8s.io/utils/mount', 'k8s.io/mount-utils'],
  ['k8s.io/kubernetes/pkg/controller/node/scheduler', 'k8s.io/kubernetes/pkg/controller/nodelifecycle/scheduler'],
  ['github.com/coreos/etcd', 'go.etcd.io/etcd'],
  ['github.com/kcp-dev/apimachinery/third_party/informers', 'k8s.io/client-go/tools/cache'],
  // Until it got its own package, Go's copy of http2 lived in net/http under prefixed names.
  ['net/http/internal/http2', 'golang.org/x/net/http2'],
  ['runtime/internal', 'internal/runtime'],
];

/** `net/http.(*http2ClientConn).readLoop` is `golang.org/x/net/http2.(*ClientConn).readLoop`. */
const BUNDLED_HTTP2: RegExp = /^(\(\*)?http2([A-Za-z])/;
const HTTP2_PACKAGE = 'golang.org/x/net/http2';

const CACHE = 'k8s.io/client-go/tools/cache';
const WAIT = 'k8s.io/apimachinery/pkg/util/wait';
const QUEUE = 'k8s.io/client-go/util/workqueue';
const CM = 'k8s.io/kubernetes/pkg/kubelet/cm';
const PLEG = 'k8s.io/kubernetes/pkg/kubelet/pleg';

/** Renamed types and functions. A type takes its methods along. Applied after the package aliases. */
export const NAME_ALIASES: ReadonlyMap<string, string> = new Map([
  [`${CM}.(*cgroupManagerImpl)`, `${CM}.(*cgroupCommon)`],
  [`${QUEUE}.(*Type)`, `${QUEUE}.(*Typed)`],
  [`${PLEG}.(*GenericPLEG).relist`, `${PLEG}.(*GenericPLEG).Relist`],
  ['k8s.io/client-go/transport.(*dynamicClientCert).Run', 'k8s.io/client-go/transport.(*dynamicClientCert).run'],
  [`${CACHE}.(*Reflector).ListAndWatch`, `${CACHE}.(*Reflector).ListAndWatchWithContext`],
  [`${CACHE}.(*Reflector).Run`, `${CACHE}.(*Reflector).RunWithContext`],
  [`${CACHE}.(*Reflector).watchHandler`, `${CACHE}.handleWatch`],
  [`${CACHE}.watchHandler`, `${CACHE}.handleWatch`],
  [`${CACHE}.(*controller).Run`, `${CACHE}.(*controller).RunWithContext`],
  [`${CACHE}.(*sharedIndexInformer).Run`, `${CACHE}.(*sharedIndexInformer).RunWithContext`],
  [`${WAIT}.BackoffUntil`, `${WAIT}.BackoffUntilWithContext`],
  [`${WAIT}.JitterUntil`, `${WAIT}.JitterUntilWithContext`],
  [`${WAIT}.Until`, `${WAIT}.UntilWithContext`],
  [`${WAIT}.NonSlidingUntil`, `${WAIT}.NonSlidingUntilWithContext`],
  [`${WAIT}.PollUntil`, `${WAIT}.PollUntilWithContext`],
  [`${WAIT}.PollImmediateUntil`, `${WAIT}.PollImmediateUntilWithContext`],
  [`${WAIT}.WaitFor`, `${WAIT}.waitForWithContext`],
  [`${WAIT}.WaitForWithContext`, `${WAIT}.waitForWithContext`],
  ['k8s.io/apimachinery/pkg/watch.NewStreamWatcher', 'k8s.io/apimachinery/pkg/watch.NewStreamWatcherWithLogger'],
  // The only alias from new to old: Stream is also the base of the newer ClientStream and ServerStream.
  ['google.golang.org/grpc/internal/transport.(*ClientStream)', 'google.golang.org/grpc/internal/transport.(*Stream)'],
  // The Go standard library, 1.19 to 1.27.
  ['context.propagateCancel', 'context.(*cancelCtx).propagateCancel'],
  ['context.newCancelCtx', 'context.withCancel'],
  ['runtime.runfinq', 'runtime.runFinalizers'],
]);

/** Names of exported functions, as opposed to types: `With` in `Outer.With.func1` is one. */
const FUNCTION_VERBS: RegExp =
  /^(New|With|Build|Make|Must|Run|Start|Stop|Poll|Wait|Get|Set|Add|Install|Register|Create|Init|Setup|Do|Serve|Until|Forever|Parse)([A-Z]|$)/;
