/**
 * Makes a plan for the nodes of an incident, from what the watch knows about them, and tells whether one still fits the
 * settings. Reads the cluster; changes nothing.
 */
import { recordOf } from '../../base/json.ts';
import { encodeText } from '../../base/text.ts';
import type { NodeFinding } from '../plan/cluster-facts.ts';
import type { Plan, PlanPolicy } from '../plan/plan.ts';
import { nodeName } from '../../evidence/target.ts';
import type { NewPlan, Refused } from './watch-plan.ts';
import { isOfTemplate, restartTemplate } from '../plan/distribution.ts';
import { readPlan, type Sha256 } from '../plan/plan-file.ts';
import { findingOfWatch } from '../plan/watch-findings.ts';
import type { DrainChoice, RestartChoice } from '../plan/node-steps.ts';
import { draftPlan } from '../plan/draft-plan.ts';
import type { GatherPorts } from '../plan/gather-facts.ts';
import type { WatchService } from '../../watch/watch-service.ts';
import { clustersOf, type PlanSubject } from './plan-subject.ts';
import { planYaml } from '../plan/plan-text.ts';
import { Failure } from '../../base/errors.ts';

/** What a client cannot choose: it decides what is run, where and how fast. */
export interface PlanSettings {
  readonly restart: RestartChoice;
  readonly drain: Omit<DrainChoice, 'before'>;
  readonly policy: PlanPolicy;
  readonly oakumVersion: string;
  /** Kubelets are read at their own port. */
  readonly isDirect: boolean;
  /** Of this watch, for the plan's evidence. */
  readonly address: string;
}

export interface MakePorts {
  readonly service: Pick<WatchService, 'fleetRows' | 'incident' | 'profile'>;
  readonly cluster: Omit<GatherPorts, 'nowSeconds'> & { readonly isDirect?: boolean };
  readonly now: () => number;
  readonly sha256: Sha256;
}

/** Throws a Failure with the reason if there is nothing to plan. */
export async function makeWatchPlan(
  subject: PlanSubject,
  { action, drain, again, force }: NewPlan,
  settings: PlanSettings,
  ports: MakePorts,
): Promise<Plan> {
  const names = subject.members.flatMap(({ target }) => nodeName(target) ?? []);
  if (names.length === 0) throw new Failure('no-evidence', 'no node of this incident grows');
  const made = await draftPlan(
    { ...ports.cluster, nowSeconds: ports.now() },
    {
      action,
      names,
      selector: null,
      allLeaking: false,
      force,
      isDirect: ports.cluster.isDirect ?? settings.isDirect,
      restart: settings.restart,
      drain: { ...settings.drain, before: drain && action === 'restart' },
      policy: { ...settings.policy, restartAgain: again },
      findings: await findingsOf(subject, settings, ports),
      oakumVersion: settings.oakumVersion,
    },
    ports.sha256,
  );
  // Names and texts come from outside: nothing is kept that apply could not read.
  return readPlan(encodeText(planYaml(made)), 'the plan', ports.sha256);
}

/** As `oakum plan --from` reads them through the API. */
async function findingsOf(
  { members, cohortSentence }: PlanSubject,
  { address }: PlanSettings,
  { service }: MakePorts,
): Promise<Map<string, NodeFinding>> {
  const asked = members.map(({ target }) => target);
  const rows = new Map(service.fleetRows(asked, 1).map(row => [row.target, row]));
  const findings = new Map<string, NodeFinding>();
  for (const { target, incidentId } of members) {
    const row = rows.get(target);
    if (row === undefined) continue;
    const incident = incidentId === null ? undefined : await service.incident(incidentId);
    const [file] = incident?.captures.flatMap(({ files }) => files) ?? [];
    const bytes = file === undefined ? undefined : await service.profile(file.sha256).catch(() => undefined);
    const isReadable = bytes !== undefined && bytes.length > 0;
    // A closed or earlier incident is a reason of its own only while it is the one of the row.
    const shown = { ...row, incidentId };
    const finding = findingOfWatch({ row: recordOf(shown), incident: recordOf(incident), address, isReadable });
    if (finding !== undefined) findings.set(finding.node, ofCohort(finding, cohortSentence));
  }
  return findings;
}

/** A node that grows with its cohort leaks, also where it would not be proved of it alone. */
function ofCohort(finding: NodeFinding, sentence: string | null): NodeFinding {
  return sentence === null || finding.verdict === 'leak' ? finding : { ...finding, verdict: 'leak', sentence };
}

/** A plan is for one cluster. Undefined if there are not several. */
export function chosenCluster(subject: PlanSubject, asked: string | undefined): string | undefined | Refused {
  const clusters = clustersOf(subject);
  const list = clusters.join(', ');
  if (asked === undefined && clusters.length > 1)
    return { refused: `its nodes are in ${clusters.length} clusters (${list}), and a plan is for one: choose it` };
  if (asked !== undefined && !clusters.includes(asked))
    return { refused: `no node of it grows in the cluster ${asked}${list === '' ? '' : `; there are ${list}`}` };
  return asked ?? clusters[0];
}

/**
 * A plan runs only what this server was started to run, whatever the store says.
 *
 * Why the plan does not fit the settings any more; undefined if it does.
 */
export function notOfSettings(plan: Plan, { restart }: PlanSettings): string | undefined {
  const changed = 'this server restarts kubelets in another way than the plan says; make a new plan';
  if (plan.via !== null && plan.via !== restart.via) return changed;
  for (const { node, distribution, isControlPlane, steps } of plan.waves.flatMap(wave => wave.nodes)) {
    const template = restart.template ?? restartTemplate(distribution, isControlPlane);
    for (const { call } of steps) {
      const isOther =
        (call.kind === 'command' && (restart.via !== 'command' || !isOfTemplate(call.argv, template, node))) ||
        (call.kind === 'pod' &&
          (restart.via !== 'pod' || call.path !== `/api/v1/namespaces/${restart.namespace}/pods`));
      if (isOther) return changed;
    }
  }
  return undefined;
}
