/** The fast scale without the slow one: a fifth of the work, and what the slow scale finds is missing. */
import { AttributeLog } from '../../../src/judge/cohorts/attribute-log.ts';
import { fastVerdict } from '../../../src/judge/detect/fast/fast-verdict.ts';
import { Peers, programOf } from '../../../src/judge/detect/fast/peers.ts';
import { TargetState } from '../../../src/judge/detect/target-state.ts';
import { worstKnown } from '../../../src/judge/verdict.ts';
import type { JudgedDetector } from './run-fleet.ts';

const BIN_SECONDS = 3600;

export function fastScaleAlone(): JudgedDetector {
  const targets = new Map<string, TargetState>();
  const attributes = new AttributeLog();
  const peers = new Peers(
    () => targets.values(),
    target => programOf(target, attributes.attributesOf(target.name)),
  );
  return {
    describe: (name, described) => attributes.describe(name, described, -Infinity),
    observe(name, atSeconds, values) {
      let target = targets.get(name);
      if (target === undefined) targets.set(name, (target = new TargetState(name, BIN_SECONDS)));
      target.observe(atSeconds, values);
    },
    evaluate(atSeconds) {
      for (const target of targets.values()) target.advance(Math.floor(atSeconds / BIN_SECONDS));
      return [...targets.values()].map(target => {
        const resources = target.resources.flatMap(
          resource => fastVerdict({ target, resource, atSeconds, binSeconds: BIN_SECONDS, options: {}, peers }) ?? [],
        );
        return { target: target.name, verdict: worstKnown(resources.map(({ verdict }) => verdict)), resources };
      });
    },
  };
}
