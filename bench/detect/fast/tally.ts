/** Follows the verdicts on one process, compares them with the truth, and ends with a score as plain data. */
import type { ResourceVerdict } from '../../../src/judge/detect/detection.ts';
import type { Resource } from '../../../src/evidence/resource.ts';
import { Episodes } from './episodes.ts';
import type { Leak } from './simulate/leak.ts';
import { leakLikeness } from './simulate/leak-likeness.ts';
import type { Process } from './simulate/process.ts';

export interface ProcessScore {
  readonly seed: number;
  readonly target: string;
  readonly traits: string;
  /** Times in which any `leak` is false, by what happened then. */
  readonly healthy: readonly HealthyTime[];
  readonly leak: LeakScore | undefined;
}

export interface HealthyTime {
  readonly scenario: string;
  readonly minutes: number;
  readonly falseAlarms: readonly FalseAlarm[];
  readonly falseWatches: number;
  readonly watchedMinutes: number;
  /** See leak-likeness.ts; undefined if something else leaks too. */
  readonly likeness: number | undefined;
}

export interface FalseAlarm {
  readonly minute: number;
  readonly said: string;
}

export interface LeakScore {
  readonly speed: string;
  readonly arrival: Leak['arrival'];
  readonly history: string;
  readonly level: number;
  readonly showsLiveHeap: boolean;
  readonly kind: string;
  readonly deadlineMinutes: number;
  /** From the onset to the verdict; undefined if it never came. */
  readonly leakMinutes: number | undefined;
  readonly watchMinutes: number | undefined;
  /** The verdict named the leaking resource, not only a side effect. */
  readonly rightResource: boolean;
  readonly said: string;
}

const SAME_ALARM_MINUTES = 360;
const SAME_WATCH_MINUTES = 60;
const BEFORE_A_LEAK = 'before a leak';
const ANOTHER_RESOURCE = 'leaking, another resource';

export class Tally {
  readonly #seed: number;
  readonly #process: Process;
  readonly #everyMinutes: number;
  readonly #quietTime: QuietTime;
  readonly #beside: QuietTime | undefined;
  #wasLeak = false;
  #wasWatch = false;
  #leakMinutes: number | undefined;
  #watchMinutes: number | undefined;
  #rightResource = false;
  #said = 'nothing was said';

  constructor(seed: number, process: Process, everyMinutes: number) {
    this.#seed = seed;
    this.#process = process;
    this.#everyMinutes = everyMinutes;
    const leaks = process.leak !== undefined;
    this.#quietTime = new QuietTime(leaks ? BEFORE_A_LEAK : process.scenario);
    this.#beside = leaks ? new QuietTime(ANOTHER_RESOURCE) : undefined;
  }

  /** Verdicts from now on do not count. */
  get isDone(): boolean {
    return this.#leakMinutes !== undefined;
  }

  note(minute: number, resources: readonly ResourceVerdict[]): void {
    const { leak } = this.#process;
    if (leak === undefined || minute < leak.onset) {
      this.#quietTime.note(minute, resources, this.#everyMinutes);
      this.#wasLeak = resources.some(({ verdict }) => verdict === 'leak');
      this.#wasWatch = resources.some(({ verdict }) => verdict !== 'healthy' && verdict !== 'unknown');
      return;
    }
    const growing = resources.filter(({ resource }) => growsWith(leak, resource));
    const others = resources.filter(({ resource }) => !growsWith(leak, resource));
    this.#beside?.note(minute, others, this.#everyMinutes);
    this.#noteLeak(minute - leak.onset, leak, growing);
  }

  /** An alarm that was on before the onset and stays on says nothing about the leak. */
  #noteLeak(age: number, leak: Leak, growing: readonly ResourceVerdict[]): void {
    const isLeak = growing.some(({ verdict }) => verdict === 'leak');
    const isWatch = isLeak || growing.some(({ verdict }) => verdict === 'watch');
    this.#wasLeak &&= isLeak;
    this.#wasWatch &&= isWatch && !isLeak;
    const own = growing.find(({ resource }) => resource === leak.speed.resource);
    if (own !== undefined) this.#said = sentence(age, own);
    if (isWatch && !this.#wasWatch && !this.#wasLeak) this.#watchMinutes ??= age;
    if (!isLeak || this.#wasLeak) return;
    this.#leakMinutes ??= age;
    this.#rightResource = own?.verdict === 'leak';
  }

  score(): ProcessScore {
    const { recording, traits, leak, scenario } = this.#process;
    const times = [this.#quietTime, ...(this.#beside === undefined ? [] : [this.#beside])];
    return {
      seed: this.#seed,
      target: recording.target,
      traits: traitsOf(this.#process),
      healthy: times.map(time => time.result(leak === undefined ? leakLikeness(this.#process) : undefined)),
      leak: leak && {
        speed: scenario,
        arrival: leak.arrival,
        history: historyOf(leak),
        level: leak.level,
        showsLiveHeap: traits.showsLiveHeap,
        kind: traits.kind,
        deadlineMinutes: leak.deadlineMinutes,
        leakMinutes: this.#leakMinutes,
        watchMinutes: this.#watchMinutes,
        rightResource: this.#rightResource,
        said: this.#said,
      },
    };
  }
}

class QuietTime {
  readonly #scenario: string;
  readonly #alarms = new Episodes(SAME_ALARM_MINUTES);
  readonly #watches = new Episodes(SAME_WATCH_MINUTES);
  readonly #falseAlarms: FalseAlarm[] = [];
  #minutes = 0;
  #watchedMinutes = 0;

  constructor(scenario: string) {
    this.#scenario = scenario;
  }

  note(minute: number, resources: readonly ResourceVerdict[], everyMinutes: number): void {
    this.#minutes += everyMinutes;
    const alarm = resources.find(({ verdict }) => verdict === 'leak');
    const isWatch = resources.some(({ verdict }) => verdict === 'watch');
    if (isWatch) this.#watchedMinutes += everyMinutes;
    this.#watches.note(minute, isWatch);
    if (this.#alarms.note(minute, alarm !== undefined) && alarm !== undefined) {
      this.#falseAlarms.push({ minute, said: sentence(minute, alarm) });
    }
  }

  result(likeness: number | undefined): HealthyTime {
    return {
      scenario: this.#scenario,
      minutes: this.#minutes,
      falseAlarms: this.#falseAlarms,
      falseWatches: this.#watches.begins.length,
      watchedMinutes: this.#watchedMinutes,
      likeness,
    };
  }
}

/** Leaked goroutines have stacks, heap and sometimes descriptors. */
function growsWith({ speed, descriptorsPerGoroutine }: Leak, resource: Resource): boolean {
  if (resource === speed.resource) return true;
  if (speed.resource !== 'goroutines') return false;
  if (resource === 'file descriptors') return descriptorsPerGoroutine > 0;
  return resource === 'stacks' || resource === 'live heap';
}

function historyOf({ onset, sinceStart }: Leak): string {
  if (sinceStart) return onset > 0 ? 'since a restart' : 'since the start, nothing seen before';
  return onset < 60 ? 'under 1 h seen before' : onset < 720 ? '1 to 12 h seen before' : 'over 12 h seen before';
}

function sentence(minute: number, { resource, verdict, level, reasons }: ResourceVerdict): string {
  return `minute ${minute.toFixed(0)}: ${resource} ${verdict} at ${level.toPrecision(4)}: ${reasons.join(' | ')}`;
}

function traitsOf({ traits, leak }: Process): string {
  const shown = [traits.showsPods ? 'pods' : '', traits.showsLiveHeap ? 'live heap' : ''].filter(Boolean).join(', ');
  const levels = `${traits.goroutines.toFixed(0)} goroutines, ${(traits.heapBytes / 1e6).toFixed(0)} MB, ${traits.pods} pods`;
  const truth = leak && `; ${leak.arrival}, onset at ${leak.onset.toFixed(0)}, level ${leak.level.toPrecision(3)}`;
  return `${traits.kind} (${levels}; shows ${shown || 'neither pods nor live heap'}${truth ?? ''})`;
}
