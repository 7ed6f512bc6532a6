/**
 * One name per wait reason.
 *
 *     what blocks              before Go 1.20   1.20 to 1.23         from 1.24             unified
 *     sync.Mutex, RWMutex      semacquire       sync.Mutex.Lock ...  same                  sync.Mutex.Lock ...
 *     sync.WaitGroup           semacquire       semacquire           sync.WaitGroup.Wait   sync.WaitGroup.Wait
 *
 * The unified names are those of the newest release, because the stack shows what `semacquire` was for. If it does not,
 * `semacquire` stays. The marks (leaked), (scan), (durable) and Go 1.24's (synctest) are flags of the goroutine, not
 * reasons. debug=0 and debug=1 print no reason, so the frames are used: there a nil channel looks like any other, and
 * debug=1 hides channels and select altogether.
 */

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
