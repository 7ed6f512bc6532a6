/**
 * What Go prints as the state of a goroutine, and one name per wait reason.
 *
 *     what blocks              before Go 1.20   1.20 to 1.23         from 1.24             unified
 *     sync.Mutex, RWMutex      semacquire       sync.Mutex.Lock ...  same                  sync.Mutex.Lock ...
 *     sync.WaitGroup           semacquire       semacquire           sync.WaitGroup.Wait   sync.WaitGroup.Wait
 *
 * The unified names are those of the newest release, because the stack shows what `semacquire` was for. If it does not,
 * `semacquire` stays. debug=0 and debug=1 print no reason, so the frames are used: there a nil channel looks like any
 * other, and debug=1 hides channels and select altogether.
 */
import { goroutineFlags } from './goroutine-dump.ts';

/** The statuses of Go's runtime and its reasons to wait, Go 1.19 to 1.27, without their marks. */
const STATES: ReadonlySet<string> = new Set([
  ...'idle,runnable,running,syscall,waiting,dead,copystack,leaked,preempted,deadextra,moribund,enqueue,???'.split(','),
  ...'GC assist marking,IO wait,chan receive (nil chan),chan send (nil chan),dumping heap,garbage collection'.split(
    ',',
  ),
  ...'garbage collection scan,panicwait,select,select (no cases),GC assist wait,GC sweep wait,GC scavenge wait'.split(
    ',',
  ),
  ...'chan receive,chan send,finalizer wait,force gc (idle),GOMAXPROCS updater (idle),semacquire,sleep'.split(','),
  ...'sync.Cond.Wait,sync.Mutex.Lock,sync.RWMutex.RLock,sync.RWMutex.Lock,sync.WaitGroup.Wait'.split(','),
  ...'timer goroutine (idle),trace reader (blocked),wait for GC cycle,GC worker (idle),GC worker (active)'.split(','),
  ...'debug call,GC mark termination,stopping the world,flushing proc caches,trace goroutine status'.split(','),
  ...'trace proc status,page trace flush,coroutine,GC weak to strong wait,synctest.Run,synctest.Wait'.split(','),
  ...'cleanup wait,chan receive (synctest),chan send (synctest),select (synctest),sync.WaitGroup.Wait (synctest)'.split(
    ',',
  ),
  ...'sync.RWMutex.Wait,sync.runtime_Semacquire,semarelease,netpoll,timer idle,force gc (active)'.split(','),
]);

/** What Go prints for a status that it does not know. */
export const UNKNOWN_STATE = '???';

/** Whether Go's runtime can have written it as the state of a goroutine. */
export function isGoroutineState(state: string): boolean {
  return STATES.has(state);
}

/** What follows a state for a flag of the goroutine, which is not a reason: `[chan receive (leaked)]`. */
export const STATE_MARKS: readonly (readonly [mark: string, flag: number])[] = [
  [' (leaked)', goroutineFlags.leaked],
  [' (scan)', goroutineFlags.scan],
  [' (durable)', goroutineFlags.durable],
];

/** The frame that shows the reason -> the reason. The first listed frame from the leaf decides. */
export const REASON_OF_FRAME: ReadonlyMap<string, string> = new Map([
  ['sync.(*RWMutex).RLock', 'sync.RWMutex.RLock'],
  ['sync.(*RWMutex).Lock', 'sync.RWMutex.Lock'],
  ['sync.(*Mutex).Lock', 'sync.Mutex.Lock'],
  ['sync.(*Once).Do', 'sync.Mutex.Lock'],
  ['sync.(*WaitGroup).Wait', 'sync.WaitGroup.Wait'],
  ['sync.(*Cond).Wait', 'sync.Cond.Wait'],
  ['time.Sleep', 'sleep'],
  ['internal/poll.runtime_pollWait', 'IO wait'],
  ['runtime.chanrecv', 'chan receive'],
  ['runtime.chanrecv1', 'chan receive'],
  ['runtime.chanrecv2', 'chan receive'],
  ['runtime.chansend', 'chan send'],
  ['runtime.chansend1', 'chan send'],
  ['runtime.selectgo', 'select'],
  ['runtime.block', 'select (no cases)'],
  ['runtime.netpollblock', 'IO wait'],
]);

/** Names that differ only between releases. */
const SAME_REASON: ReadonlyMap<string, string> = new Map([
  ['sync.runtime_Semacquire', 'semacquire'],
  ['semarelease', 'semacquire'],
  ['chan receive (synctest)', 'chan receive'],
  ['chan send (synctest)', 'chan send'],
  ['select (synctest)', 'select'],
  ['sync.RWMutex.Wait', 'sync.RWMutex.Lock'],
  ['timer goroutine (idle)', 'sleep'],
  ['netpoll', 'IO wait'],
]);

/** The unified reason of a printed state, given what the stack shows ('' if nothing). */
export function unifiedReason(state: string, shown: string): string {
  const reason = SAME_REASON.get(state) ?? state;
  if (reason === 'semacquire' && shown.startsWith('sync.')) return shown;
  // Waiting for the write lock goes through the mutex of the RWMutex.
  if (reason === 'sync.Mutex.Lock' && shown === 'sync.RWMutex.Lock') return shown;
  return reason;
}

const OUTSIDE: ReadonlySet<string> = new Set(['IO wait', 'syscall', 'waiting for cgo callback']);
const TIMED: ReadonlySet<string> = new Set(['select', 'chan receive']);
const HELD: ReadonlySet<string> = new Set([
  'chan send',
  'chan send (nil chan)',
  'chan receive (nil chan)',
  'select (no cases)',
  'semacquire',
  'coroutine',
]);

/**
 * What ends a wait: another goroutine, which a select or receive cannot tell from a timer; the outside world; or time
 * alone. Undefined if it runs, or waits for the runtime.
 */
export function endOfWait(reason: string): 'goroutine' | 'goroutine or timer' | 'outside' | 'time' | undefined {
  if (OUTSIDE.has(reason)) return 'outside';
  if (reason === 'sleep') return 'time';
  if (TIMED.has(reason)) return 'goroutine or timer';
  return HELD.has(reason) || reason.startsWith('sync.') ? 'goroutine' : undefined;
}
