/** A verdict in plain words with its numbers: one line, then its grounds, last what would change it. */
import type { Explanation, ResourceVerdict } from '../detection.ts';
import { verbOf } from '../../../evidence/resource.ts';
import { amountIn, formatAge, limitIn, timeText, toMinute } from '../../../base/say.ts';
import type { Decision, EvaluationTime } from './decide.ts';
import type { JudgedResource } from './judged-resource.ts';
import { TUNING } from '../options.ts';
import { POD_METRICS } from '../../../evidence/resource-rules.ts';

type Numbers = Omit<ResourceVerdict, 'reasons'>;

export function reasonsOf(numbers: Numbers, one: JudgedResource, decision: Decision, moment: EvaluationTime): string[] {
  const words = new Words(numbers, one, decision, moment);
  return [words.verdict(), ...words.grounds(), words.wouldChange()];
}

const MEANING: Readonly<Record<Explanation, string>> = {
  density: 'which more pods explain',
  churn: 'which more pod starts explain',
  step: 'in one step, flat before and after',
  plateau: 'and settles, as a cache that fills does',
  'went away': 'and went down again',
  workload: 'while the pods use more memory: a leak there would be of a workload, not of this process',
  'not returned': 'while resident memory rises: freed heap that was not returned to the system',
  fragmentation: 'while the heap in use rises: room between live objects, not a leak',
  'profiler buckets': "while resident memory rises: the runtime's own profiling records",
  'hung peer': 'since calls to the container runtime began to fail: what waits for them piles up',
  'restart storm': 'but the process restarts again and again, and no life is long enough to judge',
  unproved: 'too little to judge yet',
};

class Words {
  readonly #numbers: Numbers;
  readonly #one: JudgedResource;
  readonly #decision: Decision;
  readonly #moment: EvaluationTime;
  readonly #amount: (amount: number) => string;

  constructor(numbers: Numbers, one: JudgedResource, decision: Decision, moment: EvaluationTime) {
    this.#numbers = numbers;
    this.#one = one;
    this.#decision = decision;
    this.#moment = moment;
    this.#amount = amountIn(numbers.unit);
  }

  verdict(): string {
    const { resource, verdict, unit, explanation } = this.#numbers;
    const level = unit === 'count' ? Math.round(this.#numbers.level) : this.#numbers.level;
    const because = explanation === undefined ? '' : `, ${MEANING[explanation]}`;
    switch (verdict) {
      case 'unknown':
        if (explanation === 'unproved') return `${resource} ${this.#rising()}${because}`;
        return `${resource}: ${this.#seen()} of settled samples, too few to judge${because}`;
      case 'healthy':
        return `${resource} ${this.#amount(level)}, ${this.#flat()}${because}`;
      case 'watch':
        return `${resource} ${this.#rising()}${because === '' ? this.#limit() : because}`;
      case 'leak':
        if (this.#decision.rise === undefined) {
          return `${resource} leaked until ${this.#quiet()} ago; ${this.#amount(level)} now`;
        }
        return `${resource} ${this.#rising()}, which ${this.#notExplained()} not explain${this.#limit()}`;
    }
  }

  grounds(): string[] {
    const { judgement } = this.#one;
    const { rise } = this.#decision;
    const grounds: string[] = [];
    if (rise !== undefined) {
      const { windowHours, z, growth } = rise.window;
      grounds.push(
        `over the last ${this.#span(Math.min(windowHours, judgement.hoursSeen))} it grew ${this.#amount(growth)}, ${z.toFixed(1)} standard errors from nothing`,
      );
      const steadiness = judgement.shape?.steadiness ?? NaN;
      if (!Number.isNaN(steadiness)) {
        grounds.push(`late in the rise it adds ${steadiness.toFixed(2)} of what it added early`);
      }
      const { clock } = this.#numbers;
      if (clock !== undefined && clock.per !== 'hour') {
        grounds.push(`follows ${clock.per}s better than time: ${this.#amount(clock.amount)} for each`);
      }
    }
    const effect = this.#podEffect();
    if (effect !== undefined) grounds.push(effect);
    grounds.push(`read from ${this.#numbers.metric}, ${this.#seen()} of settled samples`);
    return grounds;
  }

  wouldChange(): string {
    const { verdict, resource, explanation } = this.#numbers;
    const { shape } = this.#one.judgement;
    switch (verdict) {
      case 'unknown':
        if (explanation === 'unproved')
          return 'if it goes on, it becomes a watch; after hours without a rise, it is healthy';
        return `${this.#span(Math.max(1, TUNING.leastFilled * 24 - this.#one.judgement.hoursSeen))} more of samples would give a verdict`;
      case 'healthy':
        return `a rise of ${resource} that pods and starts do not explain, of ${this.#amount(this.#one.judgement.leastGrowth)} or more within ${this.#timeScale() === 1 ? 'two weeks' : this.#span(14 * 24)}, would change it`;
      case 'watch': {
        const younger = TUNING.leastAgeHours - (shape?.ageHours ?? 0);
        if (younger > 0) return `${this.#span(younger)} more of the same would make it a leak`;
        if (explanation !== undefined) return 'a rise that goes on at the early rate would make it a leak';
        return 'a rise that stays as steady and stands out more would make it a leak';
      }
      case 'leak':
        return `${this.#span(TUNING.quietHours)} without a rise would clear it`;
    }
  }

  #rising(): string {
    const { resource, slopePerHour, slopeInterval, onsetSeconds } = this.#numbers;
    // By the day what is small by the hour.
    const daily = Math.abs(slopePerHour) < (this.#numbers.unit === 'bytes' ? 2 ** 20 : 2) && this.#timeScale() === 1;
    const rate = (perHour: number): string => this.#amount(daily ? perHour * 24 : perHour);
    const since = onsetSeconds === undefined ? '' : ` since ${toMinute(timeText(onsetSeconds))}`;
    const [low, high] = slopeInterval;
    return `${verbOf(resource, 'rises')} ${rate(slopePerHour)}/${daily ? 'day' : 'h'} (${rate(low)} to ${rate(high)})${since}`;
  }

  #flat(): string {
    const { slopePerHour, slopeInterval } = this.#numbers;
    const day = (perHour: number): string => this.#amount((perHour * 24) / this.#timeScale());
    const per = this.#timeScale() === 1 ? 'day' : this.#span(24);
    if (!Number.isFinite(slopePerHour)) return 'no slope yet';
    return `${slopePerHour < 0 ? '' : '+'}${day(slopePerHour)} per ${per} (${day(slopeInterval[0])} to ${day(slopeInterval[1])})`;
  }

  #notExplained(): string {
    const { target } = this.#one;
    return target.pods === undefined ? 'restarts and daily load do' : 'pods and their starts do';
  }

  #limit(): string {
    const limit = limitIn(this.#numbers.timeToLimitHours);
    return limit === undefined ? '' : `; ${limit}`;
  }

  #podEffect(): string | undefined {
    const { target, effects } = this.#one;
    if (target.pods === undefined) return `no ${POD_METRICS[0]}: pods cannot be ruled out`;
    const now = target.pods.at(this.#moment.endBin - 1);
    const before = target.pods.at(Math.max(target.firstBin, this.#moment.endBin - 168));
    const pods = Number.isNaN(now) || Number.isNaN(before) ? '' : `; pods ${Math.round(before)} -> ${Math.round(now)}`;
    return `one pod holds ${this.#amount(effects.pod)} (give or take ${this.#amount(Math.sqrt(effects.podVariance))})${pods}`;
  }

  #quiet(): string {
    return this.#span(this.#moment.endBin - this.#one.resource.leakEarnedBin);
  }

  #seen(): string {
    return this.#span(this.#one.judgement.hoursSeen);
  }

  /** Hours of the detector. */
  #span(hours: number): string {
    return formatAge((hours / this.#timeScale()) * 3600);
  }

  #timeScale(): number {
    return 3600 / this.#moment.binSeconds;
  }
}
