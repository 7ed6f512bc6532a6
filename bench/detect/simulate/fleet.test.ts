import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeFleet, scenariosNamed, type FleetOptions } from './fleet.ts';
import { RECORD_START_SECONDS, type SimulatedNode, type Values } from './simulated-node.ts';

const OPTIONS: FleetOptions = {
  seed: 7,
  nodes: 42,
  days: 10,
  stepSeconds: 900,
  prevalence: 0.36,
  scenario: undefined,
};

interface Scrape {
  readonly hours: number;
  readonly values: Values;
}

function scrapesOf(node: SimulatedNode, hours: number): Scrape[] {
  const scrapes: Scrape[] = [];
  node.advance(hours, (_target, atSeconds, values) => {
    scrapes.push({ hours: (atSeconds - RECORD_START_SECONDS) / 3600, values: { ...values } });
  });
  return scrapes;
}

/** Hours at which the process was a new one, as its start time shows. */
function restartsOf(scrapes: readonly Scrape[]): number[] {
  return scrapes
    .filter(({ values }, i) => {
      const before = scrapes[i - 1]?.values.process_start_time_seconds ?? values.process_start_time_seconds;
      return values.process_start_time_seconds - before > 60;
    })
    .map(({ hours }) => hours);
}

describe('a simulated fleet', () => {
  it('is the same for the same seed, and different for another', () => {
    const run = (seed: number): Scrape[][] => makeFleet({ ...OPTIONS, seed }).map(node => scrapesOf(node, 48));
    assert.deepEqual(run(7), run(7));
    assert.notDeepEqual(run(7), run(8));
  });

  it('has the same truth for every scrape interval', () => {
    const truth = (stepSeconds: number): unknown =>
      makeFleet({ ...OPTIONS, stepSeconds }).map(({ scenario, plan }) => [scenario, plan.leak, plan.limitBytes]);
    assert.deepEqual(truth(60), truth(900));
  });

  it('has the requested share of leaks, each scenario in turn', () => {
    const fleet = makeFleet({ ...OPTIONS, nodes: 200 });
    assert.equal(fleet.filter(({ plan }) => plan.leak !== undefined).length, 72);
    assert.deepEqual(
      new Set(fleet.map(({ scenario }) => scenario)),
      new Set(scenariosNamed(undefined).map(s => s.name)),
    );
  });

  it('exposes finite numbers, and counters that fall only with a restart or a reset', () => {
    for (const node of makeFleet(OPTIONS)) {
      const scrapes = scrapesOf(node, 240);
      assert.ok(scrapes.length > 100, node.scenario);
      const restarts = restartsOf(scrapes).length;
      let falls = 0;
      scrapes.forEach(({ values }, i) => {
        for (const [name, value] of Object.entries(values))
          assert.ok(Number.isFinite(value), `${name} of ${node.scenario}`);
        if (i > 0 && values.process_cpu_seconds_total < scrapes[i - 1].values.process_cpu_seconds_total) falls++;
      });
      assert.ok(falls <= restarts + node.plan.counterResetHours.length, `${node.scenario}: ${falls} falls`);
    }
  });

  it('never kills a healthy node', () => {
    for (const node of makeFleet({ ...OPTIONS, prevalence: 0 })) {
      const planned = node.plan.restartHours;
      const surprises = restartsOf(scrapesOf(node, 240)).filter(at => !planned.some(hour => Math.abs(at - hour) < 40));
      if (node.scenario !== 'clock skew') assert.deepEqual(surprises, [], `${node.name} ${node.scenario}`);
    }
  });
});

describe('a simulated leak', () => {
  it('raises the leaking resource by its rate', () => {
    for (const node of makeFleet({ ...OPTIONS, scenario: '10 %/day', nodes: 6 })) {
      const { leak } = node.plan;
      assert.ok(leak !== undefined);
      const from = Math.max(0, leak.onsetHours);
      const key = leak.resource === 'goroutines' ? 'go_goroutines' : 'go_memstats_heap_inuse_bytes';
      const day = (scrapes: readonly Scrape[], start: number): number => {
        const inDay = scrapes.filter(({ hours }) => hours >= start && hours < start + 24);
        return Math.min(...inDay.map(({ values }) => values[key]));
      };
      const scrapes = scrapesOf(node, 240);
      if (restartsOf(scrapes).length > 0 || node.plan.podShapes.length + node.plan.churnShapes.length > 0) continue;
      const grown = (day(scrapes, 216) - day(scrapes, from)) / (216 - from);
      const wanted = node.leakPerHour(key);
      assert.ok(Math.abs(grown / wanted - 1) < 0.5, `${grown} for ${wanted} of ${leak.resource} per hour`);
    }
  });

  it('ends where it stops', () => {
    const node = makeFleet({ ...OPTIONS, scenario: 'stops', nodes: 1, days: 28 })[0];
    const { leak } = node.plan;
    assert.ok(leak !== undefined && leak.stopHours < 672);
    const rates = [leak.onsetHours - 1, leak.onsetHours + 1, leak.stopHours - 1, leak.stopHours + 1].map(hours => {
      node.advance(hours, () => {});
      return node.leakPerHour();
    });
    assert.deepEqual(rates, [0, leak.unitsPerHour, leak.unitsPerHour, 0]);
  });

  it('is killed when the truth says so', () => {
    let killed = 0;
    for (const node of makeFleet({ ...OPTIONS, scenario: 'heap 1', nodes: 16 })) {
      if (!node.plan.exposesLimit) continue;
      const saidAt = Math.max(6, node.plan.leak?.onsetHours ?? 0) + 6;
      const early = restartsOf(scrapesOf(node, saidAt)).length > 0;
      const said = node.hoursToLimit();
      assert.ok(said !== undefined);
      const next = restartsOf(scrapesOf(node, 240))[0];
      if (early || next === undefined || node.plan.restartHours.length > 0) continue;
      killed++;
      const really = next - saidAt;
      assert.ok(Math.abs(said - really) < 6 + 0.1 * really, `${node.name}: said ${said}, really ${really}`);
    }
    assert.ok(killed >= 2, `${killed} nodes were killed`);
  });
});
