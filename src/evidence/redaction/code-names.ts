/**
 * Names of code. They stay, because findings consist of them, if they are names that Go can have written, except those
 * of modules that the user declares private.
 *
 *     corp.example/pay/ledger.(*Book).Close   ->   redacted-kqzjxabcdef.(*Book).Close
 *     E1116 06:00:00.1 1 a.go:2] token=abc    ->   redacted-bzpfwqoqnla.hidden
 */
import { isStd } from '../../profile/families/shared-packages.ts';
import { isHidden, type Redactor } from './redactor.ts';

/** The import path of a function's package: `k8s.io/client-go/rest` of `k8s.io/client-go/rest.(*Request).Do`. */
export function packageOf(functionName: string): string {
  const slash = functionName.lastIndexOf('/', openBracket(functionName));
  const dot = functionName.indexOf('.', slash + 1);
  return dot < 0 ? '' : functionName.slice(0, dot);
}

/** Type arguments may hold slashes of their own. */
function openBracket(name: string): number {
  const open = name.indexOf('[');
  return open < 0 ? name.length : open;
}

/**
 * A name that no linker wrote is hidden whole: it may be a log line that came between. What stands for it is a name that
 * Go could have written, so that the stack can still be read.
 */
export function redactFunction(name: string, file: string, redactor: Redactor): string {
  if (name === '') return '';
  const plain = withoutTypeArguments(name);
  if (plain === undefined || !isFunctionSymbol(plain)) return redactUnknownName(name, redactor);
  if (plain !== name) redactor.remove('type', name.slice(name.indexOf('[') + 1, name.lastIndexOf(']')));
  const packagePath = packageOf(plain);
  // Dots in the last element are escaped in symbol names.
  const path = packagePath.replaceAll('%2e', '.');
  if (!isPlausible(path, plain, file)) return redactUnknownName(name, redactor);
  if (packagePath !== '' && redactor.isPrivate(path))
    return redactor.hide('module', path) + plain.slice(packagePath.length);
  return redactor.keep(plain);
}

/**
 * Whether a package can be one of the binary: `db1.prod.internal` and a token such as `eyJh.eyJz.SflK` have the grammar of
 * a symbol. Those that are no path are of Go itself, or name a folder of their file, as it is shown; without a file only
 * a method or a closure is believed.
 */
function isPlausible(packagePath: string, name: string, file: string): boolean {
  if (packagePath === '' || packagePath === 'main' || packagePath.includes('/') || isStd(packagePath)) return true;
  if (isHidden(packagePath)) return true;
  const folders = file.split('/').slice(0, -1);
  if (folders.some(folder => folder === packagePath || folder.startsWith(`${packagePath}@`))) return true;
  return file === '' && (CLOSURE.test(name) || name.includes('('));
}

/** What stands in the place of a function and is none. */
export function redactUnknownName(name: string, redactor: Redactor): string {
  return `${redactor.hide('name', name)}.hidden`;
}

/** A function of C in a dump: any other text may stand in its place, so only well-known ones stay. */
export function redactCFunction(name: string, redactor: Redactor): string {
  if (isKnownCSymbol(name)) return redactor.keep(name);
  const bare = name.replace(/\.hidden$/, '');
  return isHidden(bare) ? name : redactUnknownName(name, redactor);
}

/**
 * Whether a package is private, by patterns like those of GOPRIVATE: each matches as many leading elements as it has,
 * and `*` matches anything within one element.
 */
export function privateModules(patterns: readonly string[]): (packagePath: string) => boolean {
  const globs = patterns
    .flatMap(pattern => pattern.split(','))
    .map(pattern => pattern.trim().replace(/\/+$/, ''))
    .filter(pattern => pattern !== '')
    .map(pattern => pattern.split('/'));
  return path => {
    const elements = path.split('/');
    return globs.some(
      glob => glob.length <= elements.length && glob.every((part, i) => matchesGlob(part, elements[i] ?? '')),
    );
  };
}

/**
 * Whether `*` (any text) and `?` (one character) match the whole element. On a mismatch only the last `*` takes one more
 * character: work is at most the product of the lengths, where a regular expression with many stars never ends.
 */
function matchesGlob(glob: string, text: string): boolean {
  let [at, star, from] = [0, -1, 0];
  for (let i = 0; i < text.length;) {
    if (glob[at] === '*') {
      star = at++;
      from = i;
    } else if (at < glob.length && (glob[at] === '?' || glob[at] === text[i])) {
      at++;
      i++;
    } else if (star >= 0) {
      at = star + 1;
      i = ++from;
    } else return false;
  }
  while (glob[at] === '*') at++;
  return at === glob.length;
}

/**
 * What the Go toolchain can have written: names of functions and files. Text of any other shape in their place comes
 * from somewhere else, such as a log line of another process on the same stderr.
 *
 *     k8s.io/client-go/tools/cache.(*processorListener).run.func1.2-fm
 *     ^ import path          ^ last element, its dots as %2e
 *                                  ^ identifiers, receivers, closures
 */
const LETTER = '\\p{L}_';
const IDENTIFIER = `[${LETTER}][${LETTER}\\p{Nd}]*`;
const TYPE_ARGUMENTS = '(?:\\[\\.\\.\\.\\])?';
/** A letter of an import path; `%2e` and the like are escapes. */
const PATH_LETTER = `[${LETTER}\\p{Nd}~+-]|%[0-9a-f]{2}`;
/** `(*T[...])`, `run[...]`, the number of a closure in a closure, and the empty part in `glob..func1`. */
const PART = `(?:\\(\\*?${IDENTIFIER}${TYPE_ARGUMENTS}\\)|(?:${IDENTIFIER}${TYPE_ARGUMENTS}|\\d{1,6}|)(?:-fm|-range\\d{1,6}|·dwrap·\\d{1,6})*)`;
const GO_FUNCTION = new RegExp(
  `^(?:(?:${PATH_LETTER}|\\.)+/)*(?:${PATH_LETTER})+\\.(?!\\d)${PART}(?:\\.${PART})*$`,
  'u',
);

/** Go's assembly without a package, and what cgo and the C library show in nearly every program. */
const KNOWN_SYMBOL =
  /^(?:panic|non-Go function|gogo|gcWriteBarrier|callRet|aeshashbody|cmpbody|memeqbody|indexbytebody|countbody|gosave_systemstack_switch|setg_gcc|debugCall\d+|go_panic|_rt0_\w{1,40}|rt0_go|crosscall[12]|crosscall_amd64|threadentry|_?x_cgo_\w{1,40}|_?_cgo_(?:wait_runtime_init_done|sys_thread_start|try_pthread_create|topofstack|release_context|panic)|_?start|main|clone3?|start_thread|(?:__(?:GI_+|libc_)?)?(?:clone3?|read|write|open|close|poll|ppoll|select|epoll_wait|epoll_pwait|futex|nanosleep|clock_nanosleep|malloc|free|calloc|realloc|memcpy|memmove|memset|memcmp|strlen|strcmp|getaddrinfo|start_main|pthread_create|pthread_cond_wait|pthread_cond_timedwait|pthread_mutex_lock|sigaction|sigprocmask|mmap|munmap|madvise|abort|raise|kill)(?:@plt|@@GLIBC_[\d.]+)?|pthread_\w{1,40})$/;

/** No compiler writes longer ones. */
const MAX_SYMBOL = 2000;

/** A word in an identifier that nobody would choose: too long, or with digits all over, as keys and hashes have. */
const ODD_WORD = /[\p{L}\p{Nd}]{65}|\d(?:[\p{L}]+\d+){3}/u;
/** The end of a closure, a wrapper or an initialiser; names of functions that were inlined into each other end in one. */
const CLOSURE = /\.(?:func\d+|gowrap\d+|deferwrap\d+|\d+|init)(?=[.-]|$)|\.\./;

/** Whether a linker of Go, or one of the C parts of nearly every Go program, can have written the name. */
export function isFunctionSymbol(name: string): boolean {
  if (name.length > MAX_SYMBOL) return false;
  if (KNOWN_SYMBOL.test(name)) return true;
  if (!GO_FUNCTION.test(name)) return false;
  const fn = name.slice(name.indexOf('.', name.lastIndexOf('/') + 1)).replaceAll('[...]', '');
  // A type and its method at most, unless there are closures: `web-1.prod.corp.example` is a host.
  return !ODD_WORD.test(fn) && (CLOSURE.test(fn) || fn.split('.').length <= 3);
}

/** Whether it is one of those C parts. */
function isKnownCSymbol(name: string): boolean {
  return KNOWN_SYMBOL.test(name);
}

/**
 * The name with `[...]` for its type arguments, as Go itself prints it; undefined when the brackets do not match. Type
 * arguments in full can hold the tags of structs, which are free text.
 */
export function withoutTypeArguments(name: string): string | undefined {
  if (!name.includes('[')) return name.includes(']') ? undefined : name;
  let out = '';
  let depth = 0;
  for (const char of name) {
    if (char === '[' && depth++ === 0) out += '[...]';
    else if (char === ']') {
      if (--depth < 0) return undefined;
    } else if (depth === 0) out += char;
  }
  return depth === 0 ? out : undefined;
}

/** Words with few digits, as programmers name files: `zz_generated.deepcopy.go`, `sha256block_amd64.s`. */
const FILE_WORD = '[A-Za-z]{0,40}\\d{0,4}[a-z]{0,16}\\d{0,4}[a-z]{0,4}';
const SOURCE_FILE = new RegExp(
  `^(?:[A-Za-z_](?=.{1,120}$)${FILE_WORD}(?:[_.+-]${FILE_WORD})*\\.(?:go|s|S|c|cc|cpp|cxx|h|hpp|y|rs)|<autogenerated>|\\?\\?)$`,
);

/** Whether a compiler can have written the last element of a path as that of a source file. */
export function isSourceFile(name: string): boolean {
  return SOURCE_FILE.test(name);
}
