/**
 * Profiles older than profile.proto, read as pprof reads them.
 *
 *     const profile = readLegacy(bytes);   // throws a FormatError with pprof's own message
 *
 * Readers are tried in this order; the first that recognises the input decides.
 */
import type { Profile, ValueType } from '../../profile.ts';
import { UnrecognizedProfileError } from '../unrecognized.ts';
import { isContentionTitle, readContention } from './contention.ts';
import { isCpuBinary, readCpuBinary } from './cpu-binary.ts';
import { type Draft, isUnrecognized, type Unrecognized } from './draft.ts';
import { goCountKind, readGoCount } from './go-count.ts';
import { isBlankOrComment, trimEnd, trimStart } from './go-strings.ts';
import { parseHeapHeader, readHeap } from './heap.ts';
import { javaKind, readJava } from './java.ts';
import { LineScanner } from './line-scanner.ts';
import { isThreadsTitle, readThreadz } from './threadz.ts';

const posixAllocators = ['calloc', 'cfree', 'malloc', 'free', 'memalign', 'do_memalign', '(__)?posix_memalign'];

const morePosix = ['pvalloc', 'valloc', 'realloc'];

const tcmalloc = [
  ...['calloc', 'cfree', 'malloc', 'free', 'memalign', 'posix_memalign', 'pvalloc', 'valloc', 'realloc'],
  ...['new', 'delete', 'newarray', 'deletearray', 'new_nothrow', 'newarray_nothrow'],
].map(name => `tc_${name}`);

const mallocZone = ['malloc', 'calloc', 'valloc', 'realloc', 'memalign', 'free'].map(name => `malloc_zone_${name}`);

const otherAllocators = [
  ...['BaseArena::.*', '(::)?do_malloc_no_errno', '(::)?do_malloc_pages', '(::)?do_malloc', 'DoSampledAllocation'],
  ...['MallocedMemBlock::MallocedMemBlock', '_M_allocate', '__builtin_(vec_)?delete', '__builtin_(vec_)?new'],
  ...['__gnu_cxx::new_allocator::allocate', '__libc_malloc', '__malloc_alloc_template::allocate', 'allocate'],
  ...['cpp_alloc', 'operator new(\\[\\])?', 'simple_alloc::allocate'],
];

const ALLOC_FRAMES = [
  ...posixAllocators,
  ...morePosix,
  'tcmalloc::.*',
  ...tcmalloc,
  ...mallocZone,
  'runtime\\..*',
  ...otherAllocators,
].join('|');

/** Runtime frames that matter unless they are at the leaf. */
const ALLOC_KEEP_FRAMES = ['runtime\\.panic', 'runtime\\.reflectcall', 'runtime\\.call[0-9]*'].join('|');

const CPU_FRAMES = [
  ...['ProfileData::Add', 'ProfileData::prof_handler', 'CpuProfiler::prof_handler'],
  ...['__pthread_sighandler', '__restore'],
].join('|');

const mutexMethods = (scope: string): string[] =>
  ['AwaitCommon', 'Unlock', 'UnlockSlow', 'ReaderUnlock'].map(method => `(${scope}Mutex::)?${method}.*`);

const LOCK_FRAMES = [
  'RecordLockProfileData',
  ...['RecordLock', 'SubmitMutex', 'SubmitSpinLock'].map(name => `(base::)?${name}ProfileData.*`),
  ...mutexMethods('base::'),
  '(base::MutexLock::)?~MutexLock.*',
  ...mutexMethods(''),
  '(MutexLock::)?~MutexLock.*',
  ...['(SpinLock::)?Unlock.*', '(SpinLock::)?SlowUnlock.*', '(SpinLockHolder::)?~SpinLockHolder.*'],
].join('|');

const HEAP_KINDS = new Set([
  'allocations size',
  'objects space',
  'inuse_objects inuse_space',
  'alloc_objects alloc_space',
  'alloc_objects alloc_space inuse_objects inuse_space',
]);

const READERS: readonly ((bytes: Uint8Array) => Draft | Unrecognized)[] = [
  readCpuBinary,
  readHeap,
  readGoCount,
  readThreadz,
  readContention,
  readJava,
];

export function readLegacy(bytes: Uint8Array): Profile {
  let furthestLine = 1;
  for (const read of READERS) {
    const result = read(bytes);
    if (isUnrecognized(result)) furthestLine = Math.max(furthestLine, result.line);
    else return finishLegacy(result);
  }
  throw new UnrecognizedProfileError({ line: furthestLine });
}

function finishLegacy(draft: Draft): Profile {
  const { dropFrames, keepFrames } = legacyFrameInfo(draft.sampleTypes);
  draft.dropFrames = dropFrames;
  draft.keepFrames = keepFrames;
  return draft.finish();
}

/** Regular expressions of frames that only show how a legacy profile was taken, per kind; pprof drops them. */
interface FrameInfo {
  readonly dropFrames: string;
  readonly keepFrames: string;
}

function legacyFrameInfo(sampleTypes: readonly ValueType[]): FrameInfo {
  const kind = sampleTypes.map(({ type }) => type).join(' ');
  if (HEAP_KINDS.has(kind)) return { dropFrames: ALLOC_FRAMES, keepFrames: ALLOC_KEEP_FRAMES };
  if (kind === 'contentions delay') return { dropFrames: LOCK_FRAMES, keepFrames: '' };
  return { dropFrames: CPU_FRAMES, keepFrames: '' };
}

/** Whether a file that begins like this is a profile older than profile.proto. */
export function sniffLegacy(head: Uint8Array): boolean {
  return isCpuBinary(head) || hasTitle(head);
}

function hasTitle(head: Uint8Array): boolean {
  const lines = new LineScanner(head);
  if (!lines.scan()) return false;
  const { start, end } = lines;
  if (parseHeapHeader(head, start, end) !== undefined || isContentionTitle(head, start, end)) return true;
  const trimmed = trimStart(head, start, end);
  if (javaKind(head, trimmed, trimEnd(head, trimmed, end)) !== undefined) return true;
  // The others may have blank lines and comments above their title.
  while (isBlankOrComment(head, lines.start, lines.end)) if (!lines.scan()) return false;
  return goCountKind(head, lines.start, lines.end) !== undefined || isThreadsTitle(head, lines.start, lines.end);
}
