/** How sure a gate must be, how long it tries, and what it allows; `npm run bench:gate` shows what these give. */
import type { GateResource } from './gate.ts';

interface GateRules {
  /** The chance of a wrong answer about one resource; that about one family is divided by their number. */
  readonly alpha: number;
  readonly maxRounds: number;
  /** Levels at rest are not known better than this. */
  readonly levelNoise: Readonly<Record<GateResource, number>>;
  /** Growth per operation that is allowed. */
  readonly budgets: Readonly<Record<GateResource, number>>;
}

export const GATE_RULES: GateRules = {
  alpha: 0.0005,
  maxRounds: 40,
  levelNoise: { goroutines: 0.5, heap: 4096, objects: 10, 'file descriptors': 0.5, threads: 0.5 },
  budgets: { goroutines: 0.01, heap: 512, objects: 0.5, 'file descriptors': 0.01, threads: 0.01 },
};
