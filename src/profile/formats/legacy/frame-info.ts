/** Regular expressions of frames that only show how a legacy profile was taken, per kind; pprof drops them. */
import type { ValueType } from '../../profile.ts';

export interface FrameInfo {
  readonly dropFrames: string;
  readonly keepFrames: string;
}

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

export function legacyFrameInfo(sampleTypes: readonly ValueType[]): FrameInfo {
  const kind = sampleTypes.map(({ type }) => type).join(' ');
  if (HEAP_KINDS.has(kind)) return { dropFrames: ALLOC_FRAMES, keepFrames: ALLOC_KEEP_FRAMES };
  if (kind === 'contentions delay') return { dropFrames: LOCK_FRAMES, keepFrames: '' };
  return { dropFrames: CPU_FRAMES, keepFrames: '' };
}
