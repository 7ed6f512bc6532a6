/** npm run bench:detect; the options are in options.ts. */
import { evaluateCohortCost } from './cohorts/cost-cohorts.ts';
import { evaluateCohorts } from './cohorts/evaluate-cohorts.ts';
import { evaluateCost } from './cost.ts';
import { evaluateFast } from './fast/evaluate-fast.ts';
import { evaluateFastCost } from './fast/cost-fast.ts';
import { parseOptions, UsageError, USAGE, type Options } from './options.ts';
import { evaluateReal } from './real/evaluate-real.ts';
import { evaluateSimulated, tuneBaselines } from './evaluate-simulated.ts';

process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<number> {
  try {
    const options = parseOptions(argv);
    if (options === 'help') process.stdout.write(USAGE);
    else await run(options);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`bench:detect: ${error.message}\n`);
    return 2;
  }
}

async function run(options: Options): Promise<void> {
  const say = (text: string): void => void process.stdout.write(text);
  if (options.tune) return say(tuneBaselines(options));
  if (options.cohorts) return say(evaluateCohorts(options));
  if (options.costCohorts) return say(evaluateCohortCost());
  const { real, cost, fast, costFast, markdown } = options;
  if (fast) say(await evaluateFast(options));
  if (costFast || (fast && markdown)) say(`${fast ? '\n' : ''}${evaluateFastCost()}`);
  if (fast || costFast) return;
  if (!(real || cost) || markdown) say(evaluateSimulated(options));
  if (real || markdown) say(`${markdown ? '\n' : ''}${evaluateReal(options)}`);
  if (cost || markdown) say(`${markdown ? '\n' : ''}${evaluateCost()}`);
}
