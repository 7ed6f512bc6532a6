/** A judge of targets: one detector, or many rules that share their history. */
import type { FleetDetector } from '../../src/judge/detect/detection.ts';
import type { Call } from './score/tally.ts';
import type { Observe } from './simulate/simulated-node.ts';

export interface Judged {
  readonly subject: string;
  /** By target; targets that are not listed are quiet. */
  readonly calls: ReadonlyMap<string, Call>;
}

export interface Panel {
  readonly observe: Observe;
  judge(atSeconds: number): readonly Judged[];
}

export const OURS = 'oakum';

/** The cost of evaluations, shared by the panels of all seeds. */
export interface EvaluationCost {
  cpuSeconds: number;
  /** Targets times resources times evaluations. */
  verdicts: number;
}

export function detectorPanel(detector: FleetDetector, cost: EvaluationCost): Panel {
  return {
    observe: (target, atSeconds, values) => detector.observe(target, atSeconds, values),
    judge: atSeconds => {
      const before = process.cpuUsage();
      const verdicts = detector.evaluate(atSeconds);
      const { user, system } = process.cpuUsage(before);
      cost.cpuSeconds += (user + system) / 1e6;
      const calls = new Map<string, Call>();
      for (const { target, resources } of verdicts) {
        cost.verdicts += resources.length;
        const said = (verdict: string): boolean => resources.some(resource => resource.verdict === verdict);
        calls.set(target, { alarm: said('leak'), watch: said('watch'), resources });
      }
      return [{ subject: OURS, calls }];
    },
  };
}
