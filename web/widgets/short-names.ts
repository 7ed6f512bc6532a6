/**
 * Function names that fit, shortened from the left: the name of a function says more than its package.
 *
 *     k8s.io/kubernetes/pkg/kubelet.(*podWorkers).startPodSync
 *                           kubelet.(*podWorkers).startPodSync
 *                                   (*podWorkers).startPodSync
 *                                                 startPodSync
 *                                                 startPo…
 */
import { visible } from '../../src/base/visible-text.ts';
import type { CaptureKind } from '../../src/evidence/capture.ts';
import { shortenFunctionName } from '../../src/profile/pprof/sample-index.ts';
import type { FindingFamily } from '../../src/judge/analysis.ts';
import { shortName } from '../../src/profile/families/normalise.ts';

const TYPE_ARGUMENTS = /\[[^\]]*\](?:[^\[\].]*\])*/g;
/** The last name, with the numbers of the closures in it. */
const LAST_NAME = /[^.:]+(?:\.(?:func|gowrap|deferwrap)?\d+)*$/;

const MAX_NAME_LENGTH = 4096;
const MAX_CACHED = 100_000;
const shortSymbols = new Map<string, string>();

/** The function or file in the name of a frame, without the address and the place that a finer granularity adds. */
export function symbolOf(name: string): string {
  return name.replace(/^[0-9a-f]{16} /, '').replace(/ (?:\/|[A-Za-z]:)[^ ]*$/, '');
}

/** With only the last element of its package. */
export function shortSymbol(name: string): string {
  let short = shortSymbols.get(name);
  if (short === undefined) {
    const whole = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
    short = visible(shortenFunctionName(whole).replace(TYPE_ARGUMENTS, '[…]'));
    if (shortSymbols.size > MAX_CACHED) shortSymbols.clear();
    shortSymbols.set(name, short);
  }
  return short;
}

/** In at most `room` characters; '' when there is room for fewer than three. */
export function fitSymbol(name: string, room: number): string {
  const short = shortSymbol(name);
  if (short.length <= room) return short;
  const dot = short.indexOf('.');
  const inPackage = dot > 0 ? short.slice(dot + 1) : short;
  if (inPackage.length <= room) return inPackage;
  const last = LAST_NAME.exec(short)?.[0] ?? short;
  if (last.length <= room) return last;
  return room < 3 ? '' : `${last.slice(0, room - 1)}…`;
}

/** The last two elements of a path: `kubelet/main.go`. */
export function shortPath(path: string): string {
  return path.split('/').slice(-2).join('/');
}

/** The files of a capture in words. */
const NAMES: Partial<Record<CaptureKind, string>> = {
  goroutine: 'goroutine profile',
  'goroutine-d1': 'goroutine text profile',
  'goroutine-d2': 'goroutine dump',
  goroutineleak: 'goroutine leak profile',
  heap: 'heap profile',
  'heap-d1': 'heap text profile',
  allocs: 'allocation profile',
  cpu: 'CPU profile',
  block: 'block profile',
  mutex: 'mutex profile',
  threadcreate: 'thread profile',
  configz: 'configuration',
  'stats-summary': 'stats summary',
};

export function captureName(kind: CaptureKind): string {
  return NAMES[kind] ?? kind;
}

/** A stack in the forms that people paste: as Go prints it, and folded; and where its code is. */
export interface StackFrame {
  readonly name: string;
  /** `file.go:88`, `file.go` or ''. */
  readonly place: string;
}

/** Innermost call first, as in a goroutine dump. */
export function stackText(frames: readonly StackFrame[]): string {
  return frames.map(({ name, place }) => (place === '' ? `${name}\n` : `${name}\n\t${place}\n`)).join('');
}

/** Outermost call first, `main;serve;read 12`. Separators within names become colons. */
export function stackFolded(frames: readonly StackFrame[], value: number): string {
  return `${frames
    .map(({ name }) => name.replace(/[;\n]/g, ':'))
    .reverse()
    .join(';')} ${value}\n`;
}

/** An absolute path may contain spaces, and so may the type arguments of a function; a relative path may not. */
const PLACE = / (?:(?:\/|[A-Za-z]:[\\/]).*|[^ ]+):\d+$/;

/** Reads a line of a family's example: `main.serve /src/main.go:88`. */
export function parseFrame(line: string): StackFrame {
  const at = line.search(PLACE);
  return at < 0 ? { name: line, place: '' } : { name: line.slice(0, at), place: line.slice(at + 1) };
}

/** `kubelet/pod_workers.go:1155, created by wait.(*Group).Start at wait/wait.go:70`; '' if unknown. */
export function placeText({ at, createdBy, createdAt }: FindingFamily): string {
  const parts = at === null ? [] : [shortPath(at)];
  if (createdBy !== null && createdAt !== null) {
    parts.push(`created by ${shortName(createdBy)} at ${shortPath(createdAt)}`);
  }
  return parts.join(', ');
}
