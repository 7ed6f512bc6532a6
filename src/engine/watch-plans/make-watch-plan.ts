/** Makes a plan for the node of an incident, from what the watch knows about it. Reads the cluster; changes nothing. */
import { Failure } from '../../base/failure.ts';
import { recordOf } from '../../base/json.ts';
import { encodeText } from '../../base/text.ts';
import type { NodeFinding } from '../../model/cluster-facts.ts';
import type { Plan, PlanPolicy } from '../../model/plan.ts';
import { nodeName } from '../../model/target.ts';
import type { IncidentView } from '../../model/watch.ts';
import type { NewPlan } from '../../model/watch-plan.ts';
import { readPlan } from '../../plan/file/read-plan.ts';
import type { Sha256 } from '../../plan/file/seal.ts';
import { findingOfWatch } from '../../plan/findings/of-watch.ts';
import type { DrainChoice, RestartChoice } from '../../plan/steps/node-steps.ts';
import { planYaml } from '../../report/plan-yaml.ts';
import { draftPlan } from '../plan/draft-plan.ts';
import type { GatherPorts } from '../plan/gather-facts.ts';
import type { WatchService } from '../watch/watch-service.ts';

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
  readonly service: Pick<WatchService, 'fleet' | 'profile'>;
  readonly cluster: Omit<GatherPorts, 'nowSeconds'>;
  readonly now: () => number;
  readonly sha256: Sha256;
}

/** Throws a Failure with the reason if there is nothing to plan. */
export async function makeWatchPlan(
  incident: IncidentView,
  { action, drain, again, force }: NewPlan,
  settings: PlanSettings,
  ports: MakePorts,
): Promise<Plan> {
  const node = nodeName(incident.target);
  if (node === undefined) throw new Failure('no-evidence', `${incident.target} is not a node`);
  const finding = await findingOf(incident, settings, ports);
  const made = await draftPlan(
    { ...ports.cluster, nowSeconds: ports.now() },
    {
      action,
      names: [node],
      selector: null,
      allLeaking: false,
      force,
      isDirect: settings.isDirect,
      restart: settings.restart,
      drain: { ...settings.drain, before: drain && action === 'restart' },
      policy: { ...settings.policy, restartAgain: again },
      findings: new Map(finding === undefined ? [] : [[node, finding]]),
      oakumVersion: settings.oakumVersion,
    },
    ports.sha256,
  );
  // Names and texts come from outside: nothing is kept that apply could not read.
  return readPlan(encodeText(planYaml(made)), 'the plan', ports.sha256);
}

/** As `oakum plan --from` reads it through the API. */
async function findingOf(
  incident: IncidentView,
  { address }: PlanSettings,
  { service }: MakePorts,
): Promise<NodeFinding | undefined> {
  const row = service.fleet(1).rows.find(({ target }) => target === incident.target);
  if (row === undefined) return undefined;
  const [file] = incident.captures.flatMap(({ files }) => files);
  const bytes = file === undefined ? undefined : await service.profile(file.sha256).catch(() => undefined);
  const isReadable = bytes !== undefined && bytes.length > 0;
  // A closed or earlier incident is a reason of its own only while it is the one of the row.
  const shown = { ...row, incidentId: incident.id };
  return findingOfWatch({ row: recordOf(shown), incident: recordOf(incident), address, isReadable });
}
