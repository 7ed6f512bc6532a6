/** The common rules as a panel that shares one history of the fleet. */
import type { Panel } from '../panel.ts';
import type { Call } from '../score/tally.ts';
import { RECORD_START_SECONDS } from '../simulate/simulated-node.ts';
import { RULES } from './rules.ts';
import type { Parameters, Variant } from './rule.ts';
import { TargetHistory } from './target-history.ts';
import { View } from './view.ts';

export interface NamedVariant {
  readonly subject: string;
  readonly variant: Variant;
}

export type TunedParameters = Readonly<Record<string, Parameters>>;

const ALARM: Call = { alarm: true, watch: true };

export function baselinePanel(variants: readonly NamedVariant[]): Panel {
  const histories = new Map<string, TargetHistory>();
  return {
    observe: (target, atSeconds, values) => {
      let history = histories.get(target);
      if (history === undefined) histories.set(target, (history = new TargetHistory(RECORD_START_SECONDS)));
      history.add(atSeconds, values);
    },
    judge: atSeconds => {
      const endHour = Math.floor((atSeconds - RECORD_START_SECONDS) / 3600);
      const judged = variants.map(({ subject }) => ({ subject, calls: new Map<string, Call>() }));
      for (const [target, history] of histories) {
        const view = new View(history, endHour);
        variants.forEach(({ variant }, i) => {
          if (variant.fires(view)) judged[i].calls.set(target, ALARM);
        });
      }
      return judged;
    },
  };
}

/** Every rule as published and, if it was tuned, as tuned. */
export function stockAndTuned(tuned: TunedParameters): readonly NamedVariant[] {
  return RULES.flatMap(rule => {
    const parameters = tuned[rule.name];
    return [
      ...(rule.stock === undefined ? [] : [{ subject: `${rule.name}, stock`, variant: rule.stock }]),
      ...(parameters === undefined ? [] : [{ subject: `${rule.name}, tuned`, variant: rule.with(parameters) }]),
    ];
  });
}

export function wholeGrid(): readonly NamedVariant[] {
  return RULES.flatMap(rule => rule.grid).map((variant, i) => ({ subject: String(i), variant }));
}
