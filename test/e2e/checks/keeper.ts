/** A daemon whose pace is known: the rate must be right from captures that lie seconds apart. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Analysis } from '../../../src/judge/analysis.ts';
import { type Check, saw } from '../check.ts';

const ADDRESS = '127.0.0.1:6061';
/** 64 KiB every 100 ms. */
const TRUE_MIB_PER_HOUR = 2250;
const WARM_UP_MS = 10_000;

export const keeperChecks: readonly Check[] = ['20s', '60s'].map(gap => ({
  name: `capture: a rate from profiles ${gap} apart`,
  run: async ({ oakum, lab }) => {
    const keeper = spawn(lab.programs.keeper, ['-listen', ADDRESS], { stdio: 'ignore' });
    try {
      await delay(WARM_UP_MS);
      const folder = `keeper-${gap}`;
      saw(await oakum(['capture', `http://${ADDRESS}`, '--gap', gap, '-o', folder]), 0, /heap-d1-\d+\.txt\.gz/);
      const { out } = await oakum(['analyze', folder, '-o', 'json']);
      const { findings } = JSON.parse(out) as Analysis;
      const growth = findings.find(({ family }) => family.title === 'main.keep')?.growth;
      const rate = (growth?.perHour ?? 0) / 1024 ** 2;
      assert.ok(Math.abs(rate / TRUE_MIB_PER_HOUR - 1) < 0.1, `${rate} MiB/h, not ${TRUE_MIB_PER_HOUR}`);
      return `${Math.round(rate)} MiB/h of ${TRUE_MIB_PER_HOUR}`;
    } finally {
      keeper.kill();
    }
  },
}));
