/** Bursts in a healthy process: they last for minutes or hours and go away. */
import type { Dice } from '../../simulate/dice.ts';
import { addAt, addPulse, addSpan } from './columns.ts';
import { addPod, endOfLife, type Course } from './course.ts';
import type { ProcessTraits } from './process-traits.ts';

export interface ExecStorm {
  readonly goroutines: number;
  readonly heapBytesPerGoroutine: number;
  readonly arriveMinutes: number;
  /** Until all sessions that were open at its peak are gone. */
  readonly decayMinutes: number;
  /** Whether every session stays until the storm is over, or each ends by itself while others still come. */
  readonly sessionsStay: boolean;
}

/** For a kubelet; other daemons have as many clients as their size allows. */
export function drawExecStorm(traits: ProcessTraits, dice: Dice, most = 500): ExecStorm {
  const size = traits.kind === 'kubelet' ? dice.logUniform(60, most) : traits.goroutines * dice.logUniform(0.2, 3);
  return {
    goroutines: Math.max(20, size),
    heapBytesPerGoroutine: Math.min(15_000, traits.heapBytes / traits.goroutines),
    arriveMinutes: dice.logUniform(2, 60),
    decayMinutes: dice.logUniform(30, 360),
    sessionsStay: dice.chance(0.5),
  };
}

/** Sessions (exec, port-forward, log streams), each of some goroutines with their buffers and descriptors. */
export function layExecStorm(course: Course, at: number, storm: ExecStorm, dice: Dice): void {
  const { goroutines, heapBytesPerGoroutine, arriveMinutes, decayMinutes, sessionsStay } = storm;
  const each = dice.integer(4, 9);
  const tau = decayMinutes / 3;
  // Enough sessions that the peak has the requested height, although some have ended by then.
  const ended = sessionsStay ? 1 : (tau / arriveMinutes) * (1 - Math.exp(-arriveMinutes / tau));
  const sessions = Math.max(1, Math.round(goroutines / each / ended));
  const end = endOfLife(course, at);
  for (let i = 0; i < sessions; i++) {
    const from = at + dice.uniform(0, arriveMinutes);
    const stays = Math.min(dice.exponential(tau), decayMinutes);
    const to = Math.min(end, (sessionsStay ? at + arriveMinutes : from) + stays);
    addSpan(course.goroutines, from, to, each);
    addSpan(course.heapBytes, from, to, each * heapBytesPerGoroutine);
    addSpan(course.descriptors, from, to, 3);
  }
}

/** The API server or a load balancer goes away: all connections are made again, and some old ones linger. */
export function layReconnect(course: Course, traits: ProcessTraits, at: number, strength: number, dice: Dice): void {
  const end = endOfLife(course, at);
  const { goroutines, heapBytes, descriptors } = traits;
  const share = strength * dice.uniform(0.1, 0.5);
  const quick = { at, riseMinutes: 1, stayMinutes: dice.uniform(0, 3), fallMinutes: dice.logUniform(2, 20) };
  addPulse(course.goroutines, { ...quick, by: share * goroutines }, end);
  addPulse(course.descriptors, { ...quick, by: 0.3 * share * descriptors }, end);
  addPulse(course.heapBytes, { ...quick, fallMinutes: 15, by: strength * dice.uniform(0.05, 0.25) * heapBytes }, end);
  const lingering = strength * dice.uniform(0, 0.15) * goroutines;
  addSpan(course.goroutines, at, Math.min(end, at + dice.logUniform(15, 120)), Math.round(lingering));
  addAt(course.reconnects, at, dice.integer(2, 12));
}

export interface PodWave {
  readonly pods: number;
  readonly arriveMinutes: number;
  readonly stayMinutes: number;
  readonly leaveMinutes: number;
}

export function drawPodWave(dice: Dice): PodWave {
  return {
    pods: dice.integer(15, 40),
    arriveMinutes: dice.logUniform(3, 60),
    stayMinutes: dice.logUniform(10, 3 * 1440),
    leaveMinutes: dice.logUniform(2, 60),
  };
}

export function layPodWave(course: Course, at: number, wave: PodWave, dice: Dice): void {
  const leaveAt = at + wave.arriveMinutes + wave.stayMinutes;
  for (let i = 0; i < wave.pods; i++) {
    addPod(course, at + dice.uniform(0, wave.arriveMinutes), leaveAt + dice.uniform(0, wave.leaveMinutes));
  }
}

/** Everything is listed again, and both copies are live for a while. */
export function layRelist(course: Course, traits: ProcessTraits, at: number, dice: Dice, most = 0.6): void {
  const pulse = {
    at,
    riseMinutes: dice.uniform(1, 3),
    stayMinutes: dice.logUniform(10, 60) - 4,
    fallMinutes: dice.uniform(1, 4),
    by: dice.uniform(0.2, most) * traits.heapBytes,
  };
  addPulse(course.heapBytes, pulse, endOfLife(course, at));
}

export interface BatchJob {
  readonly riseMinutes: number;
  readonly stayMinutes: number;
  /** Shares of the level. */
  readonly goroutines: number;
  readonly heap: number;
}

export function drawBatchJob(dice: Dice): BatchJob {
  const inHeap = dice.chance(0.75);
  return {
    riseMinutes: dice.logUniform(5, 60),
    stayMinutes: dice.logUniform(25, 200),
    goroutines: !inHeap || dice.chance(0.4) ? dice.logUniform(0.3, 2) : 0,
    heap: inHeap ? dice.logUniform(0.3, 2) : 0,
  };
}

export function layBatchJob(course: Course, traits: ProcessTraits, at: number, job: BatchJob, dice: Dice): void {
  const { riseMinutes } = job;
  const stayMinutes = job.stayMinutes * dice.around(0.1);
  const pulse = { at, riseMinutes, stayMinutes, fallMinutes: dice.logUniform(1, 20) };
  const end = endOfLife(course, at);
  addPulse(course.goroutines, { ...pulse, by: job.goroutines * traits.goroutines * dice.around(0.1) }, end);
  addPulse(course.heapBytes, { ...pulse, by: job.heap * traits.heapBytes * dice.around(0.1) }, end);
}

export interface Hang {
  readonly minutes: number;
  readonly goroutinesPerMinute: number;
}

export function drawHang(dice: Dice): Hang {
  return { minutes: dice.logUniform(10, 90), goroutinesPerMinute: dice.logUniform(1, 12) };
}

/** The container runtime does not answer: callers pile up, calls time out, and all end when it answers again. */
export function layHang(course: Course, at: number, { minutes, goroutinesPerMinute }: Hang, dice: Dice): void {
  const end = Math.min(endOfLife(course, at), at + minutes);
  for (let minute = Math.ceil(at); minute < end; minute++) {
    const count = dice.poisson(goroutinesPerMinute);
    const to = Math.min(endOfLife(course, at), end + dice.exponential(2));
    addSpan(course.goroutines, minute, to, count);
    addSpan(course.heapBytes, minute, to, count * 8000);
    // A call fails two minutes after it was made.
    addAt(course.failedCalls, minute + 2, dice.poisson(2 + goroutinesPerMinute));
  }
}
