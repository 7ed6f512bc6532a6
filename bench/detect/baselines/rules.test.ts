import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RECORD_START_SECONDS } from '../simulate/simulated-node.ts';
import { baselinePanel, stockAndTuned } from './baseline-panel.ts';
import { RULES } from './rules.ts';
import { TargetHistory } from './target-history.ts';
import { readTuned } from './tune.ts';
import { fitLine, View } from './view.ts';

const HOURS = 400;

/** A target with this many goroutines and resident bytes at each hour. */
function viewOf(goroutines: (hour: number) => number, megabytes: (hour: number) => number): View {
  const history = new TargetHistory(RECORD_START_SECONDS);
  for (let step = 0; step < HOURS * 4; step++) {
    const hour = step / 4;
    history.add(RECORD_START_SECONDS + hour * 3600, {
      go_goroutines: goroutines(hour),
      process_resident_memory_bytes: megabytes(hour) * 1e6,
      go_gc_heap_live_bytes: (megabytes(hour) - 50) * 1e6,
      container_spec_memory_limit_bytes: 1e9,
      process_start_time_seconds: RECORD_START_SECONDS - 1e6,
    });
  }
  return new View(history, HOURS);
}

const noise = (hour: number): number => 2 * Math.sin(hour * 17);
const flat = viewOf(
  hour => 300 + noise(hour),
  hour => 150 + noise(hour),
);
/** Every rule should see this one: hundreds of goroutines and MB per day, to the limit. */
const steep = viewOf(
  hour => 200 + Math.exp(hour / 48) * 4,
  hour => 100 + Math.exp(hour / 60) * 1.1,
);

describe('the common rules', () => {
  for (const { subject, variant } of stockAndTuned(readTuned())) {
    it(`${subject}: quiet on a flat target`, () => assert.equal(variant.fires(flat), false));
  }

  it('are tuned if there is something to tune', () => {
    const tuned = readTuned();
    for (const { name, grid } of RULES) {
      const parameters = grid.map(variant => JSON.stringify(variant.parameters));
      if (grid.length > 0) assert.ok(parameters.includes(JSON.stringify(tuned[name])), `${name} in tuned.json`);
    }
  });

  it('fire on a leak that cannot be missed', () => {
    const silent = stockAndTuned(readTuned()).filter(({ variant }) => !variant.fires(steep));
    // Published thresholds of ten goroutines or 10 MB a second, and of a tenth of the level per hour, miss it.
    assert.deepEqual(
      silent.map(({ subject }) => subject),
      ['deriv over 5 m, stock', 'Coroot, stock'],
    );
  });

  it('report alarms by target through a panel', () => {
    const panel = baselinePanel(stockAndTuned({}));
    for (let hour = 0; hour < 12; hour++) {
      panel.observe('many', RECORD_START_SECONDS + hour * 3600, { go_goroutines: 800 });
      panel.observe('few', RECORD_START_SECONDS + hour * 3600, { go_goroutines: 80 });
    }
    const judged = panel.judge(RECORD_START_SECONDS + 12 * 3600);
    const alarms = judged.filter(({ calls }) => calls.size > 0).map(({ subject, calls }) => [subject, ...calls.keys()]);
    assert.deepEqual(alarms, [['more than 500 goroutines, stock', 'many']]);
  });
});

describe('a line', () => {
  it('is fitted over holes', () => {
    const values = [1, 3, NaN, 7, 9, NaN, 13];
    const line = fitLine(values, 0, values.length);
    assert.ok(line !== undefined);
    assert.ok(Math.abs(line.slopePerHour - 2) < 1e-12 && Math.abs(line.r2 - 1) < 1e-12);
    assert.ok(Math.abs(line.last - 13) < 1e-12);
    assert.equal(line.points, 5);
    assert.equal(fitLine([1, NaN, 2], 0, 3), undefined);
  });
});
