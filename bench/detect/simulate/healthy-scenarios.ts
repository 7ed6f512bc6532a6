/** Nodes that do not leak, although they may look like it. */
import type { Dice } from './dice.ts';
import type { Burst, NodePlan, Scenario, Setting } from './plan.ts';
import { daily, factor, pulse, ramp, saturating, sawtooth, step, weekend, type Shape } from './shapes.ts';

export const HEALTHY_SCENARIOS: readonly Scenario[] = [
  healthy('steady', () => ({})),
  healthy('density ramp', densityRamp, true),
  healthy('organic growth', organicGrowth, true),
  healthy('churn waves', churnWaves, true),
  healthy('seasons', seasons, true),
  healthy('steps', steps),
  healthy('plateau', plateau),
  healthy('restarts', restarts),
  healthy('crash loop', crashLoop),
  healthy('exec storms', execStorms),
  healthy('scrape loss', scrapeLoss),
  healthy('clock skew', clockSkew),
  healthy('counter resets', counterResets),
  healthy('fleet events', fleetEvents),
  healthy('GC regime', gcRegime),
  healthy('image GC', imageGc),
  healthy('long memory', longMemory),
  healthy('drain and refill', drainAndRefill, true),
  healthy('heavy bursts', heavyBursts),
  healthy('tiny node', tinyNode),
  healthy('huge node', hugeNode),
  healthy('workload shift', workloadShift),
  healthy('several at once', severalAtOnce, true),
];

function healthy(name: string, apply: Scenario['apply'], needsPods = false): Scenario {
  return { name, leaking: false, needsPods, apply };
}

export function densityRamp(plan: NodePlan, { dice, hours }: Setting): Partial<NodePlan> {
  const from = dice.uniform(12, 35);
  const to = dice.uniform(80, 120);
  const lengthHours = Math.min(dice.logUniform(36, 500), hours * 0.9);
  const startHours = dice.uniform(0, hours - lengthHours);
  return {
    pods: from,
    podShapes: [ramp(1, to / from, startHours, lengthHours)],
    notes: { ...plan.notes, from, to, startHours, lengthHours },
  };
}

function organicGrowth(_plan: NodePlan, { dice, hours }: Setting): Partial<NodePlan> {
  const podGrowth = dice.uniform(0.1, 0.6);
  const churnGrowth = dice.uniform(0, 1.5);
  return {
    podShapes: [ramp(1, 1 + podGrowth, 0, hours)],
    churnShapes: [ramp(1, 1 + churnGrowth, 0, hours)],
    notes: { podGrowth, churnGrowth },
  };
}

export function churnWaves(_plan: NodePlan, { dice, hours }: Setting): Partial<NodePlan> {
  const waves = dice.integer(3, 14);
  const shapes = Array.from({ length: waves }, () =>
    factor(
      pulse(
        dice.uniform(0, hours),
        dice.logUniform(0.5, 24),
        dice.logUniform(2, 72),
        dice.logUniform(0.5, 24),
        dice.logUniform(2, 15),
      ),
    ),
  );
  return { startsPerPodHour: dice.logUniform(0.02, 0.15), churnShapes: shapes, notes: { waves } };
}

/** Load by day and week: pods, churn, and a part that neither shows (logs, streams). */
export function seasons(_plan: NodePlan, { dice }: Setting): Partial<NodePlan> {
  const podsByDay = dice.uniform(0.05, 0.4);
  const podsByWeek = dice.uniform(0, 0.4);
  const loadByDay = dice.uniform(0, 0.05);
  const peakHour = dice.uniform(0, 24);
  const weekendHour = dice.uniform(0, 168);
  const load: Shape[] = [daily(loadByDay, peakHour + dice.uniform(-3, 3)), weekend(loadByDay, weekendHour)];
  return {
    podShapes: [factor(daily(podsByDay, peakHour)), factor(weekend(podsByWeek, weekendHour))],
    churnShapes: [factor(daily(dice.uniform(0, 0.8), peakHour))],
    goroutineShapes: load,
    heapShapes: load,
    notes: { podsByDay, podsByWeek, loadByDay },
  };
}

/** A configuration change, a feature switched on. */
function steps(_plan: NodePlan, { dice, hours }: Setting): Partial<NodePlan> {
  const count = dice.integer(1, 3);
  const drawn = Array.from({ length: count }, () => step(dice.uniform(12, hours), drawStep(dice)));
  const both = dice.chance(0.5);
  return {
    goroutineShapes: both || dice.chance(0.5) ? drawn : [],
    heapShapes: both ? drawn : [step(dice.uniform(12, hours), drawStep(dice))],
    notes: { steps: count },
  };
}

function drawStep(dice: Dice): number {
  return dice.logUniform(0.04, 0.5) * (dice.chance(0.25) ? -0.4 : 1);
}

function plateau(_plan: NodePlan, { dice, hours }: Setting): Partial<NodePlan> {
  const tauHours = dice.logUniform(12, 120);
  const by = dice.logUniform(0.05, 0.5);
  const atHours = dice.uniform(-24, hours * 0.5);
  const inHeap = dice.chance(0.75);
  return {
    heapShapes: inHeap ? [saturating(atHours, by, tauHours)] : [],
    goroutineShapes: inHeap && dice.chance(0.6) ? [] : [saturating(atHours, by, tauHours)],
    notes: { tauHours, by, atHours },
  };
}

function restarts(_plan: NodePlan, { dice, hours }: Setting): Partial<NodePlan> {
  const everyHours = dice.logUniform(30, 200);
  return { restartHours: restartsEvery(everyHours, hours, dice), notes: { everyHours } };
}

export function restartsEvery(everyHours: number, hours: number, dice: Dice): number[] {
  const times: number[] = [];
  for (let at = dice.uniform(0, everyHours); at < hours; at += everyHours * dice.around(0.1)) times.push(at);
  return times;
}

function crashLoop(_plan: NodePlan, { dice, hours }: Setting): Partial<NodePlan> {
  const loops = dice.integer(1, 4);
  const times: number[] = [];
  for (let loop = 0; loop < loops; loop++) {
    let at = dice.uniform(0, hours);
    for (let crash = dice.integer(4, 25); crash > 0; crash--) times.push((at += dice.logUniform(0.1, 3)));
  }
  return {
    restartHours: times.filter(at => at < hours).sort((a, b) => a - b),
    notes: { loops, crashes: times.length },
  };
}

function execStorms(_plan: NodePlan, { dice, hours }: Setting): Partial<NodePlan> {
  const perDay = dice.logUniform(0.5, 20);
  const strength = dice.logUniform(20, 400);
  const bursts: Burst[] = [];
  // Half of them come more and more often, as when people debug something.
  const bend = dice.chance(0.5) ? 0.6 : 1;
  for (let i = 0; i < (perDay * hours) / 24; i++) {
    bursts.push({
      atHours: hours * Math.pow(dice.uniform(0, 1), bend),
      lengthHours: dice.logUniform(0.1, 4),
      goroutines: strength * dice.around(0.6),
    });
  }
  return { bursts: inOrder(bursts), notes: { perDay, strength } };
}

function heavyBursts(_plan: NodePlan, { dice, hours }: Setting): Partial<NodePlan> {
  const perDay = dice.logUniform(1, 30);
  const bursts: Burst[] = [];
  for (let i = 0; i < (perDay * hours) / 24; i++) {
    bursts.push({
      atHours: dice.uniform(0, hours),
      lengthHours: Math.min(48, dice.pareto(0.08, 1.1)),
      goroutines: Math.min(3000, dice.pareto(8, 1.2)),
    });
  }
  return { bursts: inOrder(bursts), notes: { perDay } };
}

function inOrder(bursts: Burst[]): Burst[] {
  return bursts.sort((a, b) => a.atHours - b.atHours);
}

function scrapeLoss(_plan: NodePlan, { dice, hours }: Setting): Partial<NodePlan> {
  const lostShare = dice.uniform(0.05, 0.45);
  const gaps = Array.from({ length: dice.integer(1, 6) }, () => {
    const from = dice.uniform(0, hours);
    return [from, from + dice.logUniform(1, 60)] as const;
  });
  return { lostShare, gaps, notes: { lostShare, gaps: gaps.length } };
}

function clockSkew(_plan: NodePlan, { dice, hours }: Setting): Partial<NodePlan> {
  const offsetSeconds = dice.pick([-1, 1]) * dice.logUniform(5, 20_000);
  const corrected = step(dice.uniform(0, hours * 2), -offsetSeconds * dice.uniform(0.5, 1));
  const trembles = dice.chance(0.5);
  return {
    // btime of /proc/stat moves by a second or so as the clock is disciplined.
    skewSeconds: hour => offsetSeconds + corrected(hour) + (trembles ? Math.sin(hour * 7919) : 0),
    notes: { offsetSeconds },
  };
}

function counterResets(_plan: NodePlan, { dice, hours }: Setting): Partial<NodePlan> {
  const everyHours = dice.logUniform(12, 200);
  return { counterResetHours: restartsEvery(everyHours, hours, dice), notes: { everyHours } };
}

/** The API server goes away for all, and every DaemonSet is rolled: stronger here than on the other nodes. */
function fleetEvents(plan: NodePlan, { dice, events }: Setting): Partial<NodePlan> {
  const strength = dice.uniform(2, 8);
  const churn = events.rolloutHours.map(at => factor(pulse(at, 0.5, dice.uniform(2, 12), 1, dice.uniform(5, 30))));
  const grown = events.rolloutHours.map(at => step(at, dice.uniform(-0.05, 0.12)));
  return {
    blipStrength: strength,
    churnShapes: churn,
    goroutineShapes: grown,
    heapShapes: grown,
    restartHours: dice.chance(0.5) ? events.rolloutHours.map(at => at + dice.uniform(0, 6)) : plan.restartHours,
    notes: { strength, events: events.blipHours.length + events.rolloutHours.length },
  };
}

function gcRegime(_plan: NodePlan, { dice, hours }: Setting): Partial<NodePlan> {
  const atHours = dice.uniform(hours * 0.1, hours * 0.9);
  const before = dice.pick([0.5, 1, 1]);
  const after = dice.pick([0.5, 1.5, 2, 3]);
  const overHours = dice.pick([1, 1, 72]);
  return {
    gogc: ramp(before, after, atHours, overHours),
    restartHours: overHours === 1 && dice.chance(0.7) ? [atHours] : [],
    notes: { atHours, before, after, overHours },
  };
}

/** Image and container records collect until the sweep. */
function imageGc(_plan: NodePlan, { dice }: Setting): Partial<NodePlan> {
  const periodHours = dice.logUniform(10, 96);
  const by = dice.uniform(0.02, 0.12);
  const shape = sawtooth(periodHours, by, dice.uniform(0, 1));
  return { heapShapes: [shape], goroutineShapes: dice.chance(0.3) ? [shape] : [], notes: { periodHours, by } };
}

function longMemory(_plan: NodePlan, { dice }: Setting): Partial<NodePlan> {
  const share = dice.uniform(0.02, 0.07);
  return { wander: { share, tausHours: [0.5, 2, 8, 32, 128] }, notes: { share } };
}

function drainAndRefill(_plan: NodePlan, setting: Setting): Partial<NodePlan> {
  const drains = setting.dice.integer(1, 5);
  return { podShapes: Array.from({ length: drains }, () => drawDrain(setting)), notes: { drains } };
}

function drawDrain({ dice, hours }: Setting): Shape {
  const stays = dice.logUniform(0.5, 36);
  return factor(
    pulse(dice.uniform(0, hours), dice.logUniform(0.2, 2), stays, dice.logUniform(0.5, 72), -dice.uniform(0.6, 0.95)),
  );
}

/** As many pods as before, but of a heavier kind, which arrive over hours or days. */
function workloadShift(_plan: NodePlan, { dice, hours }: Setting): Partial<NodePlan> {
  const lengthHours = dice.logUniform(2, 60);
  const atHours = dice.uniform(0, hours);
  const by = dice.logUniform(0.05, 0.4);
  const shape = ramp(0, by, atHours, lengthHours);
  return {
    goroutineShapes: [shape],
    heapShapes: [ramp(0, by * dice.uniform(0, 1.5), atHours, lengthHours)],
    notes: { lengthHours, atHours, by },
  };
}

/** What a real node has: two or three of them together. */
export function severalAtOnce(plan: NodePlan, setting: Setting): Partial<NodePlan> {
  const choices = {
    densityRamp,
    organicGrowth,
    churnWaves,
    seasons,
    steps,
    restarts,
    execStorms,
    imageGc,
    drainAndRefill,
  };
  const names = setting.dice
    .shuffle(Object.keys(choices) as (keyof typeof choices)[])
    .slice(0, setting.dice.integer(2, 3));
  const merged = names.reduce((sofar, name) => mergePlans(sofar, choices[name](sofar, setting)), plan);
  return { ...merged, notes: { together: names.join('+') } };
}

/** Combines both. */
function mergePlans(plan: NodePlan, more: Partial<NodePlan>): NodePlan {
  return {
    ...plan,
    ...more,
    podShapes: [...plan.podShapes, ...(more.podShapes ?? [])],
    churnShapes: [...plan.churnShapes, ...(more.churnShapes ?? [])],
    goroutineShapes: [...plan.goroutineShapes, ...(more.goroutineShapes ?? [])],
    heapShapes: [...plan.heapShapes, ...(more.heapShapes ?? [])],
  };
}

function tinyNode(plan: NodePlan, { dice }: Setting): Partial<NodePlan> {
  const pods = dice.uniform(2, 8);
  const traits = { ...plan.traits, goroutines: dice.uniform(50, 110), heapBytes: dice.uniform(8e6, 18e6) };
  return { pods, traits, notes: { pods } };
}

function hugeNode(plan: NodePlan, { dice }: Setting): Partial<NodePlan> {
  const pods = dice.uniform(200, 500);
  const traits = { ...plan.traits, heapBytes: dice.logUniform(150e6, 900e6), goroutines: dice.uniform(300, 1500) };
  return { pods, traits, notes: { pods } };
}
