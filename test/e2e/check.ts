/** One check, and the output in which a user sees that it holds. */
import assert from 'node:assert/strict';
import { oneLine } from '../../src/base/text-layout.ts';
import type { Environment } from '../../lab/environment.ts';
import type { LabState } from '../../lab/layout.ts';
import type { Installation, Run } from './installation.ts';

/** What checks run against: an installed oakum and a running lab. */
export interface CheckContext extends Installation {
  readonly lab: LabState;
  readonly environment: Environment;
}

export interface Check {
  readonly name: string;
  /** The output that proves it; throws if it does not. */
  readonly run: (context: CheckContext) => Promise<string>;
}

export interface CheckResult {
  readonly name: string;
  readonly passed: boolean;
  readonly said: string;
  readonly seconds: number;
}

export async function runCheck({ name, run }: Check, context: CheckContext): Promise<CheckResult> {
  const startedAt = performance.now();
  const finish = (passed: boolean, said: string): CheckResult => ({
    name,
    passed,
    said: oneLine(said).replace(/\s+/g, ' '),
    seconds: (performance.now() - startedAt) / 1000,
  });
  try {
    return finish(true, await run(context));
  } catch (error) {
    return finish(false, (error as Error).message);
  }
}

/** The part of the output that matches, regardless of line breaks. Fails on another exit code, or without a match. */
export function saw(run: Run, code: number, pattern: RegExp): string {
  const flat = `${run.out}\n${run.err}`.replace(/\s+/g, ' ');
  assert.equal(run.code, code, `${run.command} ended with ${run.code}, not ${code}: ${flat.slice(-600)}`);
  const found = pattern.exec(flat)?.[0];
  // The verdict comes last.
  const said = flat.length <= 1200 ? flat : `${flat.slice(0, 200)} ... ${flat.slice(-1000)}`;
  assert.ok(found !== undefined, `${run.command} did not say ${pattern}, but: ${said}`);
  return found;
}
