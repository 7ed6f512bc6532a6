/** A fleet of one seed: pools, shared events, and scenarios dealt out in turn. */
import { diceFrom, type Dice } from './dice.ts';
import { settledResidentBytes } from './go-memory.ts';
import { HEALTHY_SCENARIOS } from './healthy-scenarios.ts';
import { LEAK_SCENARIOS } from './leak-scenarios.ts';
import { basePlan, settledLevels, type FleetEvents, type NodePlan, type Scenario, type Setting } from './plan.ts';
import { drawPools } from './pool.ts';
import { productOf, sumOf } from './shapes.ts';
import { SimulatedNode } from './simulated-node.ts';

export interface FleetOptions {
  readonly seed: number;
  readonly nodes: number;
  readonly days: number;
  readonly stepSeconds: number;
  /** The share of leaking nodes. */
  readonly prevalence: number;
  /** Only scenarios whose name contains this. */
  readonly scenario: string | undefined;
}

/** Without its own limit, the machine's memory is the limit. */
const MACHINE_BYTES = 32e9;

export function scenariosNamed(word: string | undefined): readonly Scenario[] {
  const all = [...HEALTHY_SCENARIOS, ...LEAK_SCENARIOS];
  return word === undefined ? all : all.filter(({ name }) => name.includes(word));
}

export function makeFleet(options: FleetOptions): readonly SimulatedNode[] {
  const { seed, nodes, days, stepSeconds } = options;
  const dice = diceFrom(seed, 1);
  const hours = days * 24;
  const pools = drawPools(dice);
  const withPods = pools.filter(({ metrics }) => metrics !== 'no kubelet metrics');
  const events = drawEvents(dice, hours);
  return dealScenarios(options, dice).map((scenario, index) => {
    const setting: Setting = { dice: diceFrom(seed, 2, index), hours, events };
    const pool = setting.dice.pick(scenario.needsPods === true ? withPods : pools);
    const plan = planOf(scenario, basePlan(pool, setting), setting);
    const name = `node-${String(index).padStart(String(nodes - 1).length, '0')}`;
    return new SimulatedNode(name, scenario.name, plan, seed * 7919 + index, stepSeconds / 3600);
  });
}

function planOf(scenario: Scenario, base: NodePlan, setting: Setting): NodePlan {
  const plan = { ...base, ...scenario.apply(base, setting) };
  return { ...plan, limitBytes: plan.exposesLimit ? drawLimit(plan, setting) : MACHINE_BYTES };
}

/** Leaves room for the highest load of the plan, so that healthy nodes are not killed. */
function drawLimit(plan: NodePlan, { dice, hours }: Setting): number {
  const pods = productOf(plan.podShapes);
  const churn = productOf(plan.churnShapes);
  const heap = sumOf(plan.heapShapes);
  const goroutines = sumOf(plan.goroutineShapes);
  const bursts = plan.bursts.reduce((most, burst) => Math.max(most, burst.goroutines), 0);
  let most = 0;
  for (let hour = 0; hour <= hours; hour++) {
    const podCount = plan.pods * pods(hour);
    const levels = settledLevels(plan, podCount, podCount * plan.startsPerPodHour * churn(hour));
    const resident = settledResidentBytes(plan.traits, {
      liveBytes: levels.heapBytes * (1 + heap(hour)) + bursts * 24_000,
      goroutines: levels.goroutines * (1 + goroutines(hour)) + 2 * bursts,
      threads: levels.threads * 2.5,
      gogc: plan.gogc(hour),
    });
    most = Math.max(most, resident);
  }
  return Math.round((most * dice.logUniform(1.4, 5)) / 1e6) * 1e6;
}

function drawEvents(dice: Dice, hours: number): FleetEvents {
  const times = (count: number): number[] =>
    Array.from({ length: count }, () => dice.uniform(0, hours)).sort((a, b) => a - b);
  return { blipHours: times(dice.integer(2, 8)), rolloutHours: times(dice.integer(1, 4)) };
}

function dealScenarios({ nodes, prevalence, scenario }: FleetOptions, dice: Dice): readonly Scenario[] {
  const chosen = scenariosNamed(scenario);
  const leaking = chosen.filter(one => one.leaking);
  const healthy = chosen.filter(one => !one.leaking);
  const leaks = healthy.length === 0 ? nodes : leaking.length === 0 ? 0 : Math.round(nodes * prevalence);
  const deal = (from: readonly Scenario[], count: number): Scenario[] =>
    Array.from({ length: count }, (_, i) => from[i % from.length]);
  // If the scenarios do not divide evenly, a different one gets one more each time.
  return dice.shuffle([...deal(dice.shuffle(leaking), leaks), ...deal(dice.shuffle(healthy), nodes - leaks)]);
}
