/** What any Go program can leak. The last resort: by what the goroutine waits for. */
import type { CauseRecord } from './cause-record.ts';
import { TARGET_STACKS } from './commands.ts';

const DUMPS = 'curl -s "$TARGET/debug/pprof/goroutineleak?debug=1" | head -60';

export const GO_BLOCKING: readonly CauseRecord[] = [
  {
    id: 'nil-channel',
    title: 'Waits on a nil channel',
    kind: 'goroutine',
    signs: [{ states: ['chan receive (nil chan)', 'chan send (nil chan)'] }],
    meaning:
      'A send or receive on a nil channel blocks forever; nothing can wake it. The channel was never made, or a field was read before it was set.',
    check: [TARGET_STACKS],
    act: ['Make the channel before the goroutine starts. This is a bug wherever it appears.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'chan-send',
    title: 'A send that nobody receives',
    kind: 'goroutine',
    signs: [{ states: ['chan send'] }, { any: ['runtime.chansend', 'runtime.chansend1'] }],
    meaning:
      'The receiver returned, often on a timeout or the first error, and the sender stays forever. Each operation that takes that path leaves one.',
    check: [TARGET_STACKS, DUMPS],
    act: ['Give the channel room for every result, or select on ctx.Done() beside the send.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'mutex',
    title: 'A queue for a lock',
    kind: 'goroutine',
    signs: [
      { any: ['sync.(*Mutex).Lock', 'sync.(*Mutex).lockSlow', 'sync.(*RWMutex).Lock', 'sync.(*RWMutex).RLock'] },
      { states: ['sync.Mutex.Lock', 'sync.RWMutex.Lock', 'sync.RWMutex.RLock'] },
    ],
    meaning:
      'Many goroutines wait for one lock. Its holder is slow, blocked, or returned without unlocking. The waiting goroutines are the symptom; the holder is the cause.',
    check: [TARGET_STACKS, 'curl -s "$TARGET/debug/pprof/mutex?debug=1" | head -40'],
    act: [
      'Find the holder: a goroutine of the same type that is past Lock and waits for something else.',
      'Do no I/O and send on no channel while holding the lock.',
    ],
    avoid: ['Do not expect the mutex profile of a kubelet to help: it is never switched on there; use block.'],
    benign: false,
  },
  {
    id: 'wait-group',
    title: 'A WaitGroup that is never done',
    kind: 'goroutine',
    signs: [{ any: ['sync.(*WaitGroup).Wait'] }, { states: ['sync.WaitGroup.Wait'] }],
    meaning:
      'These wait for goroutines that did not all finish, or for a Done that is missed on some path. The goroutines that they wait for are in the same dump.',
    check: [TARGET_STACKS],
    act: ['Find the members of the group and what they wait for; put Done in a defer.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'cond',
    title: 'A condition that is never signalled',
    kind: 'goroutine',
    signs: [{ any: ['sync.(*Cond).Wait'] }, { states: ['sync.Cond.Wait'] }],
    meaning:
      'These wait for a Signal or Broadcast. Idle queue workers look the same; growth means consumers that are not told to stop when their queue is closed.',
    check: [TARGET_STACKS],
    act: ['Broadcast on shutdown and let the waiters test a closed flag.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'external-command',
    title: 'External commands that do not return',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'os/exec.(*Cmd).Wait',
          'os/exec.(*Cmd).Run',
          'os/exec.(*Cmd).watchCtx',
          'os.(*Process).Wait',
          'os.(*Process).blockUntilWaitable',
        ],
      },
      { creators: ['os/exec.(*Cmd).Start'] },
    ],
    meaning:
      'The program waits for a child process or copies its output. A child that hangs, or a grandchild that keeps the pipe open, holds these and some file descriptors.',
    check: ['ps -eo ppid,pid,etime,stat,args --sort=etime | tail', TARGET_STACKS],
    act: ['Use exec.CommandContext with a deadline and set WaitDelay.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'periodic-loop',
    title: 'Loops that run until they are told to stop',
    kind: 'goroutine',
    signs: [
      {
        leaf: ['util/wait'],
        states: ['select', 'chan receive'],
      },
      {
        any: [
          'wait.BackoffUntil',
          'wait.BackoffUntilWithContext',
          'wait.JitterUntil',
          'wait.Until',
          'wait.UntilWithContext',
          'wait.Forever',
          'wait.PollUntil',
          'wait.PollImmediateUntil',
          'wait.PollUntilContextCancel',
        ],
        states: ['select', 'chan receive'],
      },
      { creators: ['util/wait.(*Group).Start', 'util/wait.poller'] },
    ],
    meaning:
      'Timed loops of the Kubernetes wait package, most of them one per process. Growth means loops started per object or tenant whose stop channel is never closed; the creator says which.',
    check: ['curl -s "$TARGET/debug/pprof/goroutine?debug=2" | grep "^created by" | sort | uniq -c | sort -rn | head'],
    act: ['Find the creator that repeats, and cancel its context when its object is removed.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'ticker',
    title: 'Timers and tickers that are not stopped',
    kind: 'heap',
    signs: [{ any: ['time.NewTicker', 'time.NewTimer', 'time.After', 'time.AfterFunc', 'time.Tick', 'time.newTimer'] }],
    meaning:
      'Timers stay until they fire; tickers until Stop, in programs built before Go 1.23. time.After in a loop with a long duration keeps one per turn.',
    check: ['curl -s "$TARGET/debug/pprof/heap?debug=1" | grep -c time.NewT'],
    act: ['Stop tickers and timers with a defer; reuse one timer in loops.', 'Build with Go 1.23 or later.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'sleep',
    title: 'Goroutines that sleep',
    kind: 'goroutine',
    signs: [{ any: ['time.Sleep'] }, { states: ['sleep'] }],
    meaning:
      'Polling loops or retries with a pause. One per loop is normal; growth means each operation starts one that never gives up.',
    check: [TARGET_STACKS],
    act: ['Bound the retries and wait with a timer and ctx.Done() instead of Sleep.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'empty-select',
    title: 'Goroutines parked forever',
    kind: 'goroutine',
    signs: [{ states: ['select (no cases)'] }],
    meaning:
      'An empty select never returns; main uses it to stay alive. More than one is a goroutine that can never end.',
    check: [TARGET_STACKS],
    act: ['Wait for a context or a signal instead.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'chan-receive',
    title: 'A receive that nothing answers',
    kind: 'goroutine',
    signs: [{ states: ['chan receive'] }, { any: ['runtime.chanrecv', 'runtime.chanrecv1', 'runtime.chanrecv2'] }],
    meaning:
      'These wait for a value or for the channel to be closed. Growth means the sender ended without closing it, or workers whose stop channel nobody closes.',
    check: [TARGET_STACKS, DUMPS],
    act: ['Close the channel where its owner ends, or select on ctx.Done() beside the receive.'],
    avoid: [],
    benign: false,
  },
  {
    id: 'select',
    title: 'A select in which no case becomes ready',
    kind: 'goroutine',
    signs: [{ states: ['select'] }, { any: ['runtime.selectgo'] }],
    meaning:
      'A loop that waits for several channels. Growth means that a loop is started per object and never told to stop: its context is not cancelled, or belongs to the whole process.',
    check: [TARGET_STACKS, DUMPS],
    act: ['See which context or stop channel the loop listens to, and cancel it with the object it serves.'],
    avoid: [],
    benign: false,
  },
];
