/** The command line of npm run bench:detect. */
import { parseArgs } from 'node:util';

export const USAGE = `npm run bench:detect: the leak detector on simulated and real fleets, beside the rules in common use

    npm run bench:detect                              tuning seeds, our detector
    npm run bench:detect -- --scenario plateau --misses
                                                      one scenario; each false alarm and miss, with what was said
    npm run bench:detect -- --baselines               the common rules in the same run, stock and tuned
    npm run bench:detect -- --real                    real machines' memory, as it is and with leaks put in
    npm run bench:detect -- --cost                    10,000 targets for 14 days
    npm run bench:detect -- --fast [--full]           leaks within hours and healthy bursts, a scrape a minute
    npm run bench:detect -- --cost-fast               1,000 targets, evaluated each minute and each five minutes
    npm run bench:detect -- --cohorts [--full]        rollouts: leaking versions, healthy upgrades; fleets of --nodes (80)
    npm run bench:detect -- --cost-cohorts            5,000 targets with 20 attributes
    npm run bench:detect -- --tune                    tunes the common rules, writes baselines/tuned.json

  --seeds tuning|test|N,N   which fleets (tuning)       --nodes N        nodes of each fleet (150)
  --days D                  length of the record (28)   --step SECONDS   between scrapes (300)
  --every HOURS             between evaluations (6)     --prevalence P   share that leaks (0.36)
  --scenario WORD           scenarios whose name has it --misses         list what went wrong
  --json FILE               every node's score          --markdown       everything, as in docs/detection-figures.md
  --full                    with --fast: all fleets, 10 healthy node-years, instead of two fleets; with --cohorts: 357
  --jobs N                  with --fast: fleets in N processes at a time (1)
  --fleets N                with --cohorts: fleets of each kind (3)
  --alone                   with --fast: the fast scale without the slow one, in a fifth of the time
  --coarse                  with --fast: healthy processes only, a scrape each 5 min, judged every 4 h, for the slow
                            scale's false alarms
`;

/** Test seeds are for published figures; nothing is tuned on them. */
const SEEDS: Readonly<Record<string, readonly number[]>> = {
  tuning: [1, 2, 3, 4, 5],
  tune: [1, 2, 3, 4, 5],
  test: [1001, 1002, 1003, 1004, 1005],
};

/** A fleet of fast leaks and bursts has 1.3 healthy node-years; a run that is not full uses the first two. */
const FAST_FLEETS = 8;
const FEW_FAST_FLEETS = 2;
const FIRST_SEED: Readonly<Record<string, number>> = { tuning: 1, tune: 1, test: 1001 };

/** Seeds from 1001 on were looked at while the shape of growth was chosen. */
const COHORT_SEEDS: Readonly<Record<string, readonly number[]>> = { tuning: [1], tune: [1], test: [2001] };

const DEFAULT_NODES = 150;
const COHORT_NODES = 80;

export interface Options {
  readonly seeds: readonly number[];
  readonly isTest: boolean;
  readonly nodes: number;
  readonly days: number;
  readonly stepSeconds: number;
  readonly everyHours: number;
  readonly prevalence: number;
  readonly scenario: string | undefined;
  readonly misses: boolean;
  readonly baselines: boolean;
  readonly real: boolean;
  readonly cost: boolean;
  readonly fast: boolean;
  readonly costFast: boolean;
  readonly cohorts: boolean;
  readonly costCohorts: boolean;
  readonly full: boolean;
  readonly jobs: number;
  /** Undefined: as many as usual. */
  readonly fleets: number | undefined;
  /** The fast scale alone. */
  readonly alone: boolean;
  /** Healthy processes only, seen and judged less often. */
  readonly coarse: boolean;
  readonly tune: boolean;
  readonly markdown: boolean;
  readonly jsonFile: string | undefined;
}

export class UsageError extends Error {}

export function parseOptions(argv: readonly string[]): Options | 'help' {
  const { values } = parse(argv);
  if (values.help) return 'help';
  const number = (
    name: 'nodes' | 'days' | 'step' | 'every' | 'prevalence' | 'jobs' | 'fleets',
    least: number,
    most: number,
  ): number => {
    const value = Number(values[name] ?? DEFAULT_NODES);
    if (value >= least && value <= most) return value;
    throw new UsageError(`--${name} takes a number from ${least} to ${most}, not ${values[name]}`);
  };
  const named = values.seeds ?? 'tuning';
  return {
    seeds: values.fast
      ? fastSeeds(named, values.full || values.markdown)
      : ((values.cohorts ? COHORT_SEEDS[named] : SEEDS[named]) ?? seedList(named)),
    isTest: named === 'test',
    nodes: values.cohorts && values.nodes === undefined ? COHORT_NODES : number('nodes', 1, 100_000),
    days: number('days', 1, 365),
    stepSeconds: number('step', 10, 3600),
    everyHours: number('every', 1, 168),
    prevalence: number('prevalence', 0, 1),
    scenario: values.scenario,
    misses: values.misses,
    baselines: values.baselines,
    real: values.real,
    cost: values.cost,
    fast: values.fast,
    costFast: values['cost-fast'],
    cohorts: values.cohorts,
    costCohorts: values['cost-cohorts'],
    full: values.full,
    jobs: number('jobs', 1, 64),
    fleets: values.fleets === undefined ? undefined : number('fleets', 1, 99),
    alone: values.alone,
    coarse: values.coarse,
    tune: values.tune,
    markdown: values.markdown,
    jsonFile: values.json,
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        seeds: { type: 'string' },
        nodes: { type: 'string' },
        days: { type: 'string', default: '28' },
        step: { type: 'string', default: '300' },
        every: { type: 'string', default: '6' },
        prevalence: { type: 'string', default: '0.36' },
        scenario: { type: 'string' },
        misses: { type: 'boolean', default: false },
        baselines: { type: 'boolean', default: false },
        real: { type: 'boolean', default: false },
        cost: { type: 'boolean', default: false },
        fast: { type: 'boolean', default: false },
        'cost-fast': { type: 'boolean', default: false },
        cohorts: { type: 'boolean', default: false },
        'cost-cohorts': { type: 'boolean', default: false },
        full: { type: 'boolean', default: false },
        jobs: { type: 'string', default: '1' },
        fleets: { type: 'string' },
        alone: { type: 'boolean', default: false },
        coarse: { type: 'boolean', default: false },
        tune: { type: 'boolean', default: false },
        markdown: { type: 'boolean', default: false },
        json: { type: 'string' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function fastSeeds(named: string, full: boolean): readonly number[] {
  const first = FIRST_SEED[named];
  if (first === undefined) return seedList(named);
  return Array.from({ length: full ? FAST_FLEETS : FEW_FAST_FLEETS }, (_, i) => first + i);
}

function seedList(text: string): readonly number[] {
  const seeds = text.split(',').map(Number);
  if (seeds.every(seed => Number.isInteger(seed) && seed >= 0)) return seeds;
  throw new UsageError(`--seeds takes tuning, test or numbers like 1,2,3, not ${text}`);
}
