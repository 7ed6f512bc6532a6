/** Nodes that leak: how fast, driven by what, and what hides it. */
import type { Dice } from './dice.ts';
import { churnWaves, densityRamp, restartsEvery, seasons, severalAtOnce } from './healthy-scenarios.ts';
import { typicalLevel, type Leak, type NodePlan, type Scenario, type Setting } from './plan.ts';
import { factor, pulse } from './shapes.ts';

const MB = 1e6;

type LeakWish = Partial<Leak> & Pick<Leak, 'unitsPerHour'>;

export const LEAK_SCENARIOS: readonly Scenario[] = [
  leaking('fast', fast),
  leaking('10 %/day', share(0.08, 0.12)),
  leaking('5 %/day', share(0.04, 0.06)),
  leaking('1.5-4 %/day', share(0.015, 0.04, 0.35)),
  leaking('very slow', share(0.007, 0.015, 0.15)),
  leaking('per pod start', perPodStart),
  leaking('per probe', onClock('probe')),
  leaking('per API reconnect', onClock('API reconnect')),
  leaking('heap 10-25 MB/day', heapOnly(10, 25)),
  leaking('heap 15 MB/day', heapOnly(14.5, 18)),
  leaking('stairs', stairs),
  leaking('masked by drain', maskedByDrain, true),
  leaking('across restarts', acrossRestarts),
  leaking('with density ramp', withDensityRamp, true),
  leaking('midway', share(0.05, 0.15, 0.65, 0.35)),
  leaking('stops', stops),
  leaking('fixed by upgrade', fixedByUpgrade),
  leaking('goroutines and heap', goroutinesAndHeap),
  leaking('file descriptors', descriptors),
  leaking('threads', threads),
  leaking('behind much else', behindMuchElse, true),
];

function leaking(name: string, apply: Scenario['apply'], needsPods = false): Scenario {
  return {
    name,
    leaking: true,
    needsPods,
    apply: (plan, setting) => {
      const background = drawBackground(plan, setting);
      return { ...background, ...apply({ ...plan, ...background }, setting) };
    },
  };
}

/** A leak can occur on a busy node. */
function drawBackground(plan: NodePlan, setting: Setting): Partial<NodePlan> {
  const { dice, hours } = setting;
  const draw = dice.uniform(0, 1);
  if (draw < 0.15 && plan.metrics !== 'no kubelet metrics') return seasons(plan, setting);
  if (draw < 0.25 && plan.metrics !== 'no kubelet metrics') return churnWaves(plan, setting);
  if (draw < 0.35) return { restartHours: [dice.uniform(hours * 0.2, hours)] };
  if (draw < 0.45) return { wander: { share: dice.uniform(0.01, 0.03), tausHours: [0.5, 2, 8, 32, 128] } };
  return {};
}

function withLeak(plan: NodePlan, { dice, hours }: Setting, wish: LeakWish, latest = 0.45): Partial<NodePlan> {
  const leak: Leak = {
    resource: 'goroutines',
    clock: 'hour',
    stairHours: undefined,
    onsetHours: dice.chance(0.3) ? -dice.uniform(1, 96) : dice.uniform(0, hours * latest),
    stopHours: Infinity,
    heapBytesPerUnit: dice.logUniform(1500, 20_000),
    ...wish,
  };
  const perDay = (leak.unitsPerHour * 24) / typicalLevel(plan, leak.resource);
  const notes = { resource: leak.resource, percentPerDay: perDay * 100, onsetHours: leak.onsetHours, ...plan.notes };
  return { leak, notes };
}

function drawResource(dice: Dice): 'goroutines' | 'live heap' {
  return dice.chance(0.6) ? 'goroutines' : 'live heap';
}

/** A share of the level per day, on goroutines or heap. */
function drawShare(plan: NodePlan, dice: Dice, low: number, high: number): LeakWish & Pick<Leak, 'resource'> {
  const resource = drawResource(dice);
  return { resource, unitsPerHour: (typicalLevel(plan, resource) * dice.uniform(low, high)) / 24 };
}

/** `latest` and `earliest`: the part of the record in which it begins. */
function share(low: number, high: number, latest?: number, earliest?: number): Scenario['apply'] {
  return (plan, setting) => {
    const { dice, hours } = setting;
    const wish = drawShare(plan, dice, low, high);
    if (earliest === undefined || latest === undefined) return withLeak(plan, setting, wish, latest);
    return withLeak(plan, setting, { ...wish, onsetHours: dice.uniform(hours * earliest, hours * latest) });
  };
}

function fast(plan: NodePlan, setting: Setting): Partial<NodePlan> {
  const { dice, hours } = setting;
  return withLeak(plan, setting, {
    ...drawShare(plan, dice, 24 * 0.03, 24 * 0.3),
    onsetHours: dice.uniform(12, hours * 0.9),
  });
}

function perPodStart(plan: NodePlan, setting: Setting): Partial<NodePlan> {
  const { dice } = setting;
  const busy = { ...plan, startsPerPodHour: dice.logUniform(0.03, 0.3) };
  const wish = drawShare(busy, dice, 0.02, 0.15);
  return { startsPerPodHour: busy.startsPerPodHour, ...withLeak(busy, setting, { ...wish, clock: 'pod start' }) };
}

function onClock(clock: Leak['clock']): Scenario['apply'] {
  return (plan, setting) => withLeak(plan, setting, { ...drawShare(plan, setting.dice, 0.02, 0.15), clock });
}

function heapOnly(lowMegabytes: number, highMegabytes: number): Scenario['apply'] {
  return (plan, setting) =>
    withLeak(plan, setting, {
      resource: 'live heap',
      unitsPerHour: (setting.dice.uniform(lowMegabytes, highMegabytes) * MB) / 24,
    });
}

function stairs(plan: NodePlan, setting: Setting): Partial<NodePlan> {
  const wish = drawShare(plan, setting.dice, 0.03, 0.12);
  return withLeak(plan, setting, { ...wish, stairHours: setting.dice.logUniform(4, 40) });
}

/** Pods are lost for good while it leaks, so that the raw level falls or stays. */
function maskedByDrain(plan: NodePlan, setting: Setting): Partial<NodePlan> {
  const { dice, hours } = setting;
  const onsetHours = dice.uniform(0, hours * 0.35);
  const atHours = onsetHours + dice.uniform(0, 96);
  const drain = factor(pulse(atHours, dice.logUniform(0.5, 48), 10 * hours, 1, -dice.uniform(0.3, 0.7)));
  const leak = withLeak(plan, setting, { ...drawShare(plan, dice, 0.04, 0.12), onsetHours });
  return { podShapes: [drain], ...leak };
}

function acrossRestarts(plan: NodePlan, setting: Setting): Partial<NodePlan> {
  const { dice, hours } = setting;
  const restartHours = restartsEvery(dice.uniform(44, 76), hours, dice);
  return { ...withLeak(plan, setting, drawShare(plan, dice, 0.05, 0.25)), restartHours };
}

function withDensityRamp(plan: NodePlan, setting: Setting): Partial<NodePlan> {
  const ramped = { ...plan, ...densityRamp(plan, setting) };
  return { ...ramped, ...withLeak(ramped, setting, drawShare(ramped, setting.dice, 0.04, 0.14), 0.35) };
}

function behindMuchElse(plan: NodePlan, setting: Setting): Partial<NodePlan> {
  const busy = { ...plan, ...severalAtOnce(plan, setting) };
  return { ...busy, ...withLeak(busy, setting, drawShare(busy, setting.dice, 0.03, 0.12), 0.35) };
}

function stops(plan: NodePlan, setting: Setting): Partial<NodePlan> {
  const { dice, hours } = setting;
  const onsetHours = dice.uniform(0, hours * 0.4);
  const stopHours = onsetHours + dice.uniform(96, 240);
  return withLeak(plan, setting, { ...drawShare(plan, dice, 0.05, 0.15), onsetHours, stopHours });
}

/** The restart brings a version with the fix. */
function fixedByUpgrade(plan: NodePlan, setting: Setting): Partial<NodePlan> {
  const { dice, hours } = setting;
  const onsetHours = -dice.uniform(1, 96);
  const stopHours = dice.uniform(hours * 0.3, hours * 0.6);
  const leak = withLeak(plan, setting, { ...drawShare(plan, dice, 0.03, 0.12), onsetHours, stopHours });
  return { ...leak, restartHours: [stopHours] };
}

function goroutinesAndHeap(plan: NodePlan, setting: Setting): Partial<NodePlan> {
  const { dice } = setting;
  const unitsPerHour = (typicalLevel(plan, 'goroutines') * dice.uniform(0.03, 0.15)) / 24;
  return withLeak(plan, setting, { unitsPerHour, heapBytesPerUnit: dice.logUniform(30_000, 300_000) });
}

function descriptors(plan: NodePlan, setting: Setting): Partial<NodePlan> {
  const unitsPerHour = (typicalLevel(plan, 'file descriptors') * setting.dice.uniform(0.05, 0.4)) / 24;
  return withLeak(plan, setting, { resource: 'file descriptors', unitsPerHour });
}

function threads(plan: NodePlan, setting: Setting): Partial<NodePlan> {
  const unitsPerHour = (typicalLevel(plan, 'threads') * setting.dice.uniform(0.08, 0.4)) / 24;
  return withLeak(plan, setting, { resource: 'threads', unitsPerHour });
}
