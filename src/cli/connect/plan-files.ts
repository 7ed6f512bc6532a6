/** A plan and the files beside it: `plan.yaml`, `plan.log.jsonl`, `plan.samples.jsonl`. */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { planLogFile } from '../../act/io/plan-log.ts';
import { readBoundedFile } from '../../evidence/io/read-bounded-file.ts';
import { verifySamplesFile } from '../../act/io/verify-samples.ts';
import type { Plan } from '../../act/plan/plan.ts';
import { MAX_PLAN_BYTES, readPlan } from '../../act/plan/read-plan.ts';
import type { PlanLog, VerifySamples } from '../../act/ports.ts';

export interface PlanFiles {
  readonly plan: Plan;
  readonly log: PlanLog;
  readonly samples: VerifySamples;
}

/** Throws a Failure if the plan cannot be read or was changed. */
export async function openPlanFiles(path: string, cwd: string): Promise<PlanFiles> {
  const bytes = await readBoundedFile(resolve(cwd, path), MAX_PLAN_BYTES, path);
  const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
  const plan = readPlan(bytes, path, sha256);
  const beside = (ending: string): string => `${path.replace(/\.(?:ya?ml|json)$/, '')}.${ending}`;
  const log = beside('log.jsonl');
  const samples = beside('samples.jsonl');
  return {
    plan,
    log: planLogFile(resolve(cwd, log), log),
    samples: verifySamplesFile(resolve(cwd, samples), samples),
  };
}
