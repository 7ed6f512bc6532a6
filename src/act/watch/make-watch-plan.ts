/**
 * Makes a plan for the nodes of an incident, from what the watch knows about them, and tells whether one still fits the
 * settings. Reads the cluster; changes nothing.
 */
import { recordOf } from '../../base/json.ts';
import { encodeText } from '../../base/text.ts';
import type { NodeFinding } from '../plan/cluster-facts.ts';
import type { DrainChoice, Plan, PlanPolicy } from '../plan/plan.ts';
import { nodeName } from '../../evidence/target.ts';
import type { NewPlan, Refused } from './watch-plan.ts';
import { planYaml, canonicalJson, readPlan, type Sha256 } from '../plan/plan-file.ts';
import { findingOfWatch } from '../plan/watch-findings.ts';
import type { RestartChoice } from '../plan/node-steps.ts';
import { draftPlan } from '../plan/draft-plan.ts';
import type { GatherPorts } from '../plan/gather-facts.ts';
import type { WatchService } from '../../watch/watch-service.ts';
import { clustersOf, type PlanSubject } from './plan-subject.ts';
import { Failure } from '../../base/errors.ts';

/** What a client cannot choose: it decides what is run, where and how fast. */
export interface PlanSettings {
  readonly restart: RestartChoice;
  readonly drain: DrainChoice;
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
  { by, action, drain, again, force }: NewPlan,
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
      author: `${by}, through oakum watch`,
    },
    ports.sha256,
  );
  // Names and texts come from outside: nothing is kept that apply could not read.
  const { oakumVersion, restart } = settings;
  const reading = { to: 'act', oakumVersion, template: restart.template } as const;
  return readPlan(encodeText(planYaml(made)), 'the plan', ports.sha256, reading);
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
 * A plan does only what this server was started to do, whatever the store says. Its calls are derived from its intent
 * with the command of this server; what else the server was started with must be in the intent.
 *
 * Why the plan does not fit the settings; undefined if it does.
 */
export function notOfSettings(plan: Plan, { restart, policy, drain }: PlanSettings): string | undefined {
  if (plan.via !== null && plan.via !== restart.via)
    return 'this server restarts kubelets in another way than the plan says; make a new plan';
  const own = { ...policy, restartAgain: plan.policy.restartAgain };
  if (canonicalJson(plan.policy) !== canonicalJson(own))
    return 'the budget or the lock of the plan is not that of this server; make a new plan';
  if (plan.drain !== null && canonicalJson(plan.drain) !== canonicalJson(drain))
    return 'the plan evicts pods in another way than this server does; make a new plan';
  return undefined;
}
