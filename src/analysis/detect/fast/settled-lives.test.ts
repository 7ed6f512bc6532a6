import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Verdict } from '../../../model/verdict.ts';
import { createFleetDetector } from '../fleet-detector.ts';

const START = 1_794_700_800;
const HOUR = 60;
const WARM_UP = 5 * HOUR;

interface Life {
  readonly name: string;
  readonly bornMinute: number;
  /** Goroutines at an age in minutes. */
  readonly goroutines: (age: number) => number;
  /** It was there before, at this level, and was restarted. */
  readonly levelBefore?: number;
}

/** 100 at first, 560 after five hours, as a straight line. */
const warmUp = (age: number): number => 100 + 460 * Math.min(1, age / WARM_UP);

/** Runs all lives for ten hours each; the worst verdict that each ever had. */
function worstVerdicts(lives: readonly Life[]): Map<string, { verdict: Verdict; reasons: string }> {
  const detector = createFleetDetector();
  const worst = new Map<string, { verdict: Verdict; reasons: string }>();
  const end = Math.max(...lives.map(life => life.bornMinute)) + 10 * HOUR;
  for (let minute = 1; minute < end; minute++) {
    for (const { name, bornMinute, goroutines, levelBefore } of lives) {
      const age = minute - bornMinute;
      const level = age < 1 ? levelBefore : goroutines(age);
      if (level === undefined || age > 10 * HOUR) continue;
      detector.observe(name, START + minute * 60, {
        go_goroutines: Math.round(level * (1 + 0.01 * Math.sin(minute * 1.7))),
        process_start_time_seconds: START + (age < 1 ? -86_400 : bornMinute * 60),
      });
    }
    if (minute % 10 !== 0) continue;
    for (const { target, verdict, resources } of detector.evaluate(START + minute * 60 + 1)) {
      const before = worst.get(target)?.verdict;
      if (before === 'leak' || (before === 'watch' && verdict !== 'leak')) continue;
      worst.set(target, { verdict, reasons: resources[0]?.reasons.join('\n') ?? '' });
    }
  }
  return worst;
}

const named = (name: string, bornMinute: number, goroutines: Life['goroutines']): Life => ({
  name,
  bornMinute,
  goroutines,
});

/** Their first life had the same level, so their second is no leak by itself. */
const known = ['a', 'b', 'c'].map((name, i) => ({
  ...named(name, 3 * HOUR + i * 20, age => warmUp(age) * (1 + 0.05 * i)),
  levelBefore: 560,
}));
const later = 14 * HOUR;

describe('lives that began alike and settled', () => {
  it('show that a warm-up of hours is no leak', () => {
    assert.equal(worstVerdicts([named('alone', 0, warmUp)]).get('alone')?.verdict, 'leak');
    assert.notEqual(worstVerdicts([...known, named('new', later, warmUp)]).get('new')?.verdict, 'leak');
  });

  it('do not hide a leak that goes on beyond them', () => {
    // Of 560 goroutines, 30 minutes and two doubling times are 9.8 hours.
    const leaking = (age: number): number => warmUp(age) + (age * 120) / HOUR;
    const said = worstVerdicts([...known, named('new', later, leaking)]).get('new');
    assert.equal(said?.verdict, 'leak');
    assert.match(said?.reasons ?? '', /3 processes that began alike settled below/);
  });

  it('say nothing about a process that began at another level', () => {
    const tall = (age: number): number => 3 * warmUp(age);
    assert.equal(worstVerdicts([...known, named('new', later, tall)]).get('new')?.verdict, 'leak');
  });

  it('are never those that leak: a version that leaks everywhere does not vouch for itself', () => {
    const leaking = (age: number): number => 100 + (age * 60) / HOUR;
    const lives = ['a', 'b', 'c', 'd'].map((name, i) => named(name, i * 4 * HOUR, leaking));
    for (const [name, { verdict }] of worstVerdicts(lives)) assert.equal(verdict, 'leak', name);
  });
});
