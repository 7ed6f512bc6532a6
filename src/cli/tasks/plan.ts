/** `oakum plan`: writes what would be done, for review. Changes nothing. */
import { createHash } from 'node:crypto';
import { encodeText } from '../../base/text.ts';
import { draftPlan, type DraftRequest } from '../../act/plan/draft-plan.ts';
import type { Plan } from '../../act/plan/plan.ts';
import { readPlan } from '../../act/plan/read-plan.ts';
import { planText, planYaml } from '../../act/plan/plan-text.ts';
import { clusterName } from '../../evidence/target.ts';
import { openKube, optionsAt } from '../connect/open-target.ts';
import { type FindingsRequest, readFindings } from '../connect/read-findings.ts';
import { OWNER_ONLY, writeFileAtomically } from '../connect/write-file-atomically.ts';
import type { TargetOptions } from '../options/connection.ts';
import type { Io } from '../terminal/io.ts';
import { packageVersion } from '../terminal/package-files.ts';
import { EXIT, Failure } from '../../base/errors.ts';

export interface PlanTaskRequest {
  readonly options: TargetOptions;
  /** Of several; undefined for that of the kubeconfig's context. */
  readonly cluster: string | undefined;
  readonly from: Pick<FindingsRequest, 'from' | 'fromTokenFile' | 'catalogue'>;
  readonly draft: Omit<DraftRequest, 'findings' | 'oakumVersion'>;
  /** Undefined: stdout. */
  readonly output: string | undefined;
}

export async function plan(request: PlanTaskRequest, io: Io, programName: string): Promise<number> {
  const { draft, output, cluster } = request;
  const options = await optionsAt(cluster, request.options);
  const names = draft.allLeaking || draft.selector !== null ? undefined : draft.names;
  const kube = await openKube(options);
  const watched = cluster ?? clusterName(kube.cluster.context);
  const findings = await readFindings({ ...request.from, options, names, cluster: watched }, io);
  const made = await draftPlan(
    {
      cluster: kube.cluster,
      kubelet: async name => {
        if (!options.direct) return kube.target({ kind: 'node', name });
        const found = await kube.findKubelet(name);
        return 'kind' in found ? `no way to its own port at ${found.address}` : found;
      },
      nowSeconds: Date.now() / 1000,
      deadlineSeconds: options.requestTimeoutSeconds,
    },
    { ...draft, findings, oakumVersion: packageVersion() },
    sha256,
  );
  const text = checkedYaml(made);
  if (output === undefined) {
    io.stdout.write(text);
    return EXIT.done;
  }
  await writeFileAtomically(output, encodeText(text), io.cwd, OWNER_ONLY);
  io.stdout.write(planText(made, io.stdout.columns ?? 100));
  io.stdout.write(`\nWritten to ${output}. Valid until ${made.expiresAt}. Next: ${programName} apply -f ${output}\n`);
  return EXIT.done;
}

/** Nothing is written that apply could not read: names and texts come from outside. */
function checkedYaml(made: Plan): string {
  const text = planYaml(made);
  try {
    readPlan(encodeText(text), 'the plan', sha256);
  } catch (error) {
    if (error instanceof Failure)
      throw new Failure('no-evidence', `this would not make a sound plan: ${error.message}`, { cause: error });
    throw error;
  }
  return text;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
