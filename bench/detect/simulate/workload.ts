/** The work of a node: pods, starts, probes, API requests, as counts since the last step. */
import type { Dice } from './dice.ts';
import type { NodePlan } from './plan.ts';
import { productOf, type Shape } from './shapes.ts';
import { wanderOf, type Wander } from './wander.ts';

const PODS_FOLLOW_HOURS = 0.25;
/** Starting pods and reconnecting keep goroutines and memory busy for a while. */
const START_EFFECT_HOURS = 1.5;
const RECONNECT_EFFECT_HOURS = 0.2;

export class Workload {
  pods: number;
  /** Pod starts per hour, as they affect the process. */
  startRate: number;
  /** 1 right after a reconnect. */
  reconnecting = 0;
  /** Since the last step. */
  starts = 0;
  probes = 0;
  reconnects = 0;

  readonly #podFactor: Shape;
  readonly #churnFactor: Shape;
  readonly #podWander: Wander;
  #podLevel: number;
  #nextBlip = 0;

  readonly #plan: NodePlan;
  readonly #dice: Dice;
  readonly #stepHours: number;
  readonly #podsFollow: number;
  readonly #startsCome: number;
  readonly #reconnectsStay: number;

  constructor(plan: NodePlan, stepHours: number, dice: Dice) {
    this.#plan = plan;
    this.#dice = dice;
    this.#stepHours = stepHours;
    this.#podsFollow = 1 - Math.exp(-stepHours / PODS_FOLLOW_HOURS);
    this.#startsCome = 1 - Math.exp(-stepHours / START_EFFECT_HOURS);
    this.#reconnectsStay = Math.exp(-stepHours / RECONNECT_EFFECT_HOURS);
    this.#podFactor = productOf(plan.podShapes);
    this.#churnFactor = productOf(plan.churnShapes);
    this.#podWander = wanderOf({ share: 0.02, tausHours: [6, 40] }, stepHours, dice);
    this.#podLevel = plan.pods * this.#podFactor(0);
    this.pods = Math.max(1, Math.round(this.#podLevel));
    this.startRate = plan.pods * plan.startsPerPodHour * this.#churnFactor(0);
  }

  advance(atHours: number): void {
    const hours = this.#stepHours;
    const plan = this.#plan;
    const dice = this.#dice;
    const target = plan.pods * this.#podFactor(atHours) * (1 + this.#podWander());
    this.#podLevel += (target - this.#podLevel) * this.#podsFollow;
    const pods = Math.max(1, Math.round(this.#podLevel));
    const churned = dice.poisson(plan.startsPerPodHour * pods * this.#churnFactor(atHours) * hours);
    this.starts = churned + Math.max(0, pods - this.pods);
    this.pods = pods;

    this.startRate += (this.starts / hours - this.startRate) * this.#startsCome;

    this.probes = dice.poisson(plan.traits.probesPerPodHour * pods * hours);
    this.reconnects = dice.poisson(plan.traits.reconnectsPerHour * hours);
    while (this.#nextBlip < plan.blipHours.length && plan.blipHours[this.#nextBlip] <= atHours) {
      this.reconnects += dice.poisson(4 * plan.blipStrength);
      this.#nextBlip++;
    }
    this.reconnecting = this.reconnecting * this.#reconnectsStay + this.reconnects;
  }
}
