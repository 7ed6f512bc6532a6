import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { poolNoise } from '../detect/slow/judge.ts';
import { NOISE_MODELS } from './noise-design.ts';
import { mixtureSlope, modelWeights, type Slope, type TrendPoints, wanderTrend } from './wander-trend.ts';

const UNIFORM = new Float64Array(NOISE_MODELS.length).fill(1 / NOISE_MODELS.length);

describe('the trend of a wandering level', () => {
  it('fits an exact line with no uncertainty', () => {
    const slope = slopeOf(pointsOf(60, hour => 5 + 2 * hour));
    assert.ok(Math.abs(slope.perHour - 2) < 1e-9);
    assert.ok(Math.abs(slope.endPerHour - 2) < 1e-6);
    assert.ok(slope.tail < 1e-6);
  });

  it('equals least squares for white noise alone, and the memoryless models win', () => {
    const random = noise(1);
    const points = pointsOf(200, hour => 0.05 * hour + random());
    const trend = wanderTrend(points, false);
    assert.ok(trend !== undefined);
    const weights = modelWeights(trend, UNIFORM);
    const memory = NOISE_MODELS.reduce(
      (sum, { tauHours, white }, i) => sum + (tauHours > 20 && white < 1 ? weights[i] : 0),
      0,
    );
    assert.ok(memory < 0.01, `weight of long memories ${memory}`);
    const slope = mixtureSlope(trend, weights, 0);
    assert.ok(Math.abs(slope.perHour - leastSquares(points)) < 0.5 * slope.standardError);
  });

  it('ignores the levels of epochs, and uses only changes within them', () => {
    const random = noise(2);
    const jumps = [0, 500, -300];
    const straight = pointsOf(90, hour => 0.2 * hour + random());
    const broken: TrendPoints = {
      ...straight,
      epoch: Uint16Array.from({ length: 90 }, (_, i) => Math.floor(i / 30)),
      values: straight.values.map((value, i) => value + jumps[Math.floor(i / 30)]),
    };
    const moved: TrendPoints = { ...broken, values: broken.values.map((value, i) => value + 77 * Math.floor(i / 30)) };
    assert.ok(Math.abs(slopeOf(broken).perHour - slopeOf(moved).perHour) < 1e-9);
    assert.ok(Math.abs(slopeOf(broken).perHour - 0.2) < 3 * slopeOf(broken).standardError);
  });

  it('has 90 % intervals that contain the slope for every noise, once it is known how common each is', () => {
    for (const keep of [0, 0.8, 0.97, 1]) {
      const trends = Array.from({ length: 300 }, (_, run) => {
        const random = noise(1000 * keep + run + 3);
        let level = 0;
        const points = pointsOf(48, hour => {
          level = keep * level + random();
          return 0.3 * hour + level;
        });
        const trend = wanderTrend(points, false);
        assert.ok(trend !== undefined);
        return trend;
      });
      const prior = poolNoise(trends.map(trend => trend.logLikelihood));
      const inside = trends.filter(trend => {
        const { perHour, standardError } = mixtureSlope(trend, modelWeights(trend, prior), 0);
        return Math.abs(perHour - 0.3) < 1.7 * standardError;
      });
      const share = inside.length / trends.length;
      // Random walks over so few points are the hardest: 83 % were observed. Short memories are covered more than
      // enough.
      assert.ok(share > 0.8, `memory ${keep}: ${share} of the intervals hold the truth`);
    }
  });

  it('is undefined for too few points', () => {
    assert.equal(
      wanderTrend(
        pointsOf(7, hour => hour),
        false,
      ),
      undefined,
    );
    const still: TrendPoints = { ...pointsOf(20, hour => hour), hours: new Float64Array(20) };
    assert.equal(wanderTrend(still, false), undefined);
  });
});

function slopeOf(points: TrendPoints): Slope {
  const trend = wanderTrend(points, false);
  assert.ok(trend !== undefined);
  return mixtureSlope(trend, modelWeights(trend, UNIFORM), 0);
}

function pointsOf(count: number, value: (hour: number) => number): TrendPoints {
  const hours = Float64Array.from({ length: count }, (_, i) => 1000 + i);
  return { count, hours, values: hours.map(hour => value(hour - 1000)), epoch: new Uint16Array(count), stepHours: 1 };
}

function leastSquares({ hours, values, count }: TrendPoints): number {
  const mx = hours.reduce((sum, x) => sum + x, 0) / count;
  const my = values.reduce((sum, y) => sum + y, 0) / count;
  let xx = 0;
  let xy = 0;
  hours.forEach((x, i) => {
    xx += (x - mx) ** 2;
    xy += (x - mx) * (values[i] - my);
  });
  return xy / xx;
}

/** About normal, mean 0, variance 1. */
function noise(seed: number): () => number {
  let state = Math.floor(seed * 7919 + 12345) >>> 0;
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return () => {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += uniform();
    return sum;
  };
}
