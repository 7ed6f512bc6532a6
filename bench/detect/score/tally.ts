/** Follows one subject's verdicts on one node, compares them with the truth, and ends with a score. */
import type { ResourceVerdict } from '../../../src/judge/detect/detection.ts';
import { alarmIsTrue, healthyHours, type Truth, type TruthNow } from './truth.ts';

/** The verdict of a detector or a rule on a target at one time. */
export interface Call {
  readonly alarm: boolean;
  readonly watch: boolean;
  /** Only our detector says more than yes or no. */
  readonly resources?: readonly ResourceVerdict[];
}

export interface NodeScore {
  readonly truth: Truth;
  readonly healthyHours: number;
  /** An alarm came while it leaked. */
  readonly detected: boolean;
  /** From the onset, or from the beginning of the record if it leaked before. */
  readonly delayHours: number | undefined;
  readonly watchDelayHours: number | undefined;
  /** How much had leaked at the alarm, as a share of the level. */
  readonly growthAtAlarm: number | undefined;
  /** Hours at which false alarms came up. */
  readonly falseAlarms: readonly number[];
  readonly details: Details;
}

/** Only our detector's statements can be checked for these. */
export interface Details {
  /** At the first true alarm. */
  readonly rightResource: boolean | undefined;
  readonly rightClock: boolean | undefined;
  /** At the last true alarm: |said - true| / true. */
  readonly slopeError: number | undefined;
  readonly slopeInside: Share;
  readonly onsetErrorHours: number | undefined;
  readonly timeToLimitInside: Share;
  /** The last time to the limit that was wrong, in words. */
  readonly limitSaid: string | undefined;
  /** The verdict when it was wrong: at the first false alarm, or at the end of a missed leak. */
  readonly said: string | undefined;
}

export interface Share {
  readonly inside: number;
  readonly of: number;
}

/** An alarm that was off for less time is the same alarm. */
const SAME_ALARM_HOURS = 48;

export class Tally {
  readonly #truth: Truth;
  readonly #falseAlarms: number[] = [];
  #alarmSince = 0;
  #lastAlarm = -Infinity;
  #countedFalse = false;
  #detectedAt: number | undefined;
  #watchedAt: number | undefined;
  #slope = { inside: 0, of: 0 };
  #limit = { inside: 0, of: 0 };
  #rightResource: boolean | undefined;
  #rightClock: boolean | undefined;
  #slopeError: number | undefined;
  #onsetErrorHours: number | undefined;
  #limitSaid: string | undefined;
  #saidFalsely: string | undefined;
  #saidLast: string | undefined;

  constructor(truth: Truth) {
    this.#truth = truth;
  }

  note(atHours: number, call: Call, now: TruthNow, recordStartSeconds: number): void {
    const { leak } = this.#truth;
    if (call.alarm) this.#noteAlarm(atHours, call, now, recordStartSeconds);
    if (leak === undefined || atHours < leak.onsetHours || atHours >= leak.stopHours) return;
    if (call.alarm || call.watch) this.#watchedAt ??= atHours;
    const said = call.resources?.find(({ resource }) => resource === leak.resource);
    if (said !== undefined) this.#saidLast = sentence(atHours, said);
  }

  #noteAlarm(atHours: number, call: Call, now: TruthNow, recordStartSeconds: number): void {
    if (atHours - this.#lastAlarm > SAME_ALARM_HOURS) {
      this.#alarmSince = atHours;
      this.#countedFalse = false;
    }
    this.#lastAlarm = atHours;
    if (alarmIsTrue(this.#truth, atHours, this.#alarmSince)) {
      if (this.#detectedAt === undefined) this.#noteFirst(call);
      this.#detectedAt ??= atHours;
      this.#compare(atHours, call, now, recordStartSeconds);
      return;
    }
    if (this.#countedFalse) return;
    this.#countedFalse = true;
    this.#falseAlarms.push(atHours);
    const said = call.resources?.find(({ verdict }) => verdict === 'leak');
    if (said !== undefined) this.#saidFalsely ??= sentence(atHours, said);
  }

  #noteFirst(call: Call): void {
    const { leak } = this.#truth;
    const alarmed = call.resources?.filter(({ verdict }) => verdict === 'leak');
    if (leak === undefined || alarmed === undefined) return;
    const right = alarmed.find(({ resource }) => resource === leak.resource);
    this.#rightResource = right !== undefined;
  }

  #compare(atHours: number, call: Call, now: TruthNow, recordStartSeconds: number): void {
    const { leak } = this.#truth;
    const said = call.resources?.find(({ resource, verdict }) => resource === leak?.resource && verdict === 'leak');
    if (leak === undefined || said === undefined) return;
    const leakPerHour = now.leakPerHour(said.metric);
    if (leakPerHour <= 0) return;
    this.#slopeError = Math.abs(said.slopePerHour - leakPerHour) / leakPerHour;
    count(this.#slope, said.slopeInterval, leakPerHour);
    this.#rightClock = said.clock === undefined ? undefined : said.clock.per === leak.clock;
    if (said.onsetSeconds !== undefined && leak.onsetHours >= 0) {
      this.#onsetErrorHours = Math.abs((said.onsetSeconds - recordStartSeconds) / 3600 - leak.onsetHours);
    }
    if (said.timeToLimitHours !== undefined && now.hoursToLimit !== undefined) {
      const inside = count(this.#limit, said.timeToLimitHours, now.hoursToLimit);
      if (!inside) this.#limitSaid = limitSentence(atHours, said, said.timeToLimitHours, now.hoursToLimit, leakPerHour);
    }
  }

  score(): NodeScore {
    const { leak, level } = this.#truth;
    const from = Math.max(0, leak?.onsetHours ?? 0);
    const since = (at: number | undefined): number | undefined => (at === undefined ? undefined : at - from);
    const delayHours = since(this.#detectedAt);
    const missed = leak !== undefined && delayHours === undefined;
    return {
      truth: this.#truth,
      healthyHours: healthyHours(this.#truth),
      detected: delayHours !== undefined,
      delayHours,
      watchDelayHours: since(this.#watchedAt),
      growthAtAlarm: leak && delayHours !== undefined ? (leak.unitsPerHour * delayHours) / level : undefined,
      falseAlarms: this.#falseAlarms,
      details: {
        rightResource: this.#rightResource,
        rightClock: this.#rightClock,
        slopeError: this.#slopeError,
        slopeInside: this.#slope,
        onsetErrorHours: this.#onsetErrorHours,
        timeToLimitInside: this.#limit,
        limitSaid: this.#limitSaid,
        said: this.#falseAlarms.length > 0 ? this.#saidFalsely : missed ? this.#saidLast : undefined,
      },
    };
  }
}

function count(share: { inside: number; of: number }, [low, high]: readonly [number, number], value: number): boolean {
  const inside = value >= low && value <= high;
  share.of++;
  if (inside) share.inside++;
  return inside;
}

function sentence(atHours: number, { resource, verdict, reasons }: ResourceVerdict): string {
  return `day ${(atHours / 24).toFixed(1)}: ${resource} ${verdict}: ${reasons.join(' | ')}`;
}

function limitSentence(
  atHours: number,
  { resource, slopePerHour }: ResourceVerdict,
  [low, high]: readonly [number, number],
  hoursToLimit: number,
  leakPerHour: number,
): string {
  const slopes = `slope ${slopePerHour.toPrecision(3)}/h, truly ${leakPerHour.toPrecision(3)}`;
  return `day ${(atHours / 24).toFixed(1)}: ${resource} at the limit in ${low.toFixed(0)}-${high.toFixed(0)} h, truly ${hoursToLimit.toFixed(0)} h; ${slopes}`;
}
