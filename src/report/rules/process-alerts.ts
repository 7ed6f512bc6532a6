/** Alerts about any process, and about rules that see none. */
import { alertOf } from './alert.ts';
import type { AlertRule, RuleGroup } from './rule.ts';
import { each, ofTargets, type Scope } from './scope.ts';

const RESTARTS_PER_HOUR = 3;
/** The start time moves by a second or two when the clock is set; three restarts lie farther apart. */
const LEAST_RESTART_SPREAD_SECONDS = 60;

export function processGroup(scope: Scope): RuleGroup {
  return { name: 'oakum-processes', rules: [restartStorm(scope), seesNothing(scope)] };
}

function restartStorm(scope: Scope): AlertRule {
  const start = `${ofTargets(scope, 'process_start_time_seconds')}[1h]`;
  const spread = each(scope, `max_over_time(${start}) - min_over_time(${start})`);
  return alertOf(
    {
      name: 'OakumRestartStorm',
      tier: 'leak',
      expr: `${each(scope, `changes(${start})`)} >= ${RESTARTS_PER_HOUR}\nand ${spread} > ${LEAST_RESTART_SPREAD_SECONDS}`,
      holdFor: '1m',
      summary: `${scope.subject}: {{ $value }} restarts in an hour`,
      description:
        'It started {{ $value }} times within an hour. Each start lists and syncs everything again; a process that is ' +
        'killed for memory while it does so will not come back by itself.',
      anchor: 'restart-storm',
    },
    scope,
  );
}

function seesNothing(scope: Scope): AlertRule {
  return alertOf(
    {
      name: 'OakumSeesNothing',
      tier: 'watch',
      expr: `absent(${ofTargets(scope, 'go_goroutines')})`,
      holdFor: '30m',
      summary: 'the rules of oakum see no process',
      description: 'No series matches the selector of these rules: nothing is watched. Make them with the right --job.',
      command: 'oakum rules --help',
      anchor: 'nothing-seen',
    },
    scope,
  );
}
