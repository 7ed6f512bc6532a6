import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { SampleTableBuilder, type SampleTable } from './sample-table.ts';
import { Timeline } from './timeline.ts';

const rising = fc.uniqueArray(fc.nat({ max: 20 }), { maxLength: 8 }).map(times => times.sort((a, b) => a - b));
const one = fc.record({ metric: fc.constantFrom('a', 'b'), times: rising, isSum: fc.boolean(), ends: fc.boolean() });

describe('a table of samples', () => {
  it('is the same from whole series as from single samples', () => {
    fc.assert(
      fc.property(fc.array(one, { maxLength: 4 }), all => {
        const [whole, single] = [new SampleTableBuilder(), new SampleTableBuilder()];
        for (const { metric, times, isSum, ends } of all) {
          const [at, values] = [Float64Array.from(times), Float64Array.from(times, time => time * 3)];
          whole.addSeries(metric, at, values, isSum);
          for (const time of times) single.add(metric, time, time * 3, isSum);
          if (!ends) continue;
          whole.endScrape();
          single.endScrape();
        }
        const rowsOf = (table: SampleTable) => [...new Timeline([table]).until(Infinity)];
        assert.deepEqual(rowsOf(whole.finish()), rowsOf(single.finish()));
      }),
    );
  });
});

describe('a timeline', () => {
  it('gives samples in time order; if a metric comes twice at one time, the later table counts', () => {
    const table = fc.record({ times: fc.array(fc.nat({ max: 9 }), { maxLength: 8 }), isSorted: fc.boolean() });
    fc.assert(
      fc.property(fc.array(table, { maxLength: 4 }), given => {
        let number = 0;
        const tables = given.map(({ times, isSorted }) => ({
          metrics: ['x'],
          times: Float64Array.from(isSorted ? times.sort((a, b) => a - b) : times),
          values: Float64Array.from(times, () => number++),
          isDated: false,
          described: [],
        }));
        const last = new Map<number, number>();
        for (const { times, values } of tables) times.forEach((time, i) => last.set(time, values[i]));
        assert.deepEqual(
          [...new Timeline(tables).until(Infinity)].map(({ atSeconds, values }) => [atSeconds, values['x']]),
          [...last].sort(([a], [b]) => a - b),
        );
      }),
    );
  });
});
