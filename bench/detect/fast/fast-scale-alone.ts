/** The fast scale without the slow one: a fifth of the work, and what the slow scale finds is missing. */
import { fastVerdict } from '../../../src/analysis/detect/fast/fast-verdict.ts';
import { SettledLives } from '../../../src/analysis/detect/fast/settled-lives.ts';
import { TargetState } from '../../../src/analysis/detect/state/target-state.ts';
import type { FleetDetector } from '../../../src/model/detection.ts';
import { worstKnown } from '../../../src/model/verdict.ts';

const BIN_SECONDS = 3600;
const MINUTE_SECONDS = 60;

export function fastScaleAlone(): Pick<FleetDetector, 'observe' | 'evaluate'> {
  const targets = new Map<string, TargetState>();
  const lives = new SettledLives();
  return {
    observe(name, atSeconds, values) {
      let target = targets.get(name);
      if (target === undefined) targets.set(name, (target = new TargetState(name, BIN_SECONDS)));
      target.observe(atSeconds, values);
    },
    evaluate(atSeconds) {
      for (const target of targets.values()) lives.follow(target, Math.floor(atSeconds / MINUTE_SECONDS));
      return [...targets.values()].map(target => {
        const resources = target.resources.flatMap(
          resource => fastVerdict({ target, resource, atSeconds, binSeconds: BIN_SECONDS, options: {}, lives }) ?? [],
        );
        return { target: target.name, verdict: worstKnown(resources.map(({ verdict }) => verdict)), resources };
      });
    },
  };
}
