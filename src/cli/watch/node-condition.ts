/** The condition of leaking nodes, for `oakum watch --node-condition`. */
import { SYSTEM_CLOCK } from '../../live/io/system-clock.ts';
import type { KubeCluster } from '../../live/io/kube/kube-cluster.ts';
import { oneLine } from '../../base/text-layout.ts';
import { BUNDLED_LEAKS } from '../../knowledge/bundled.ts';
import { CONDITION_TYPE, followConditions, type ConditionFollower } from '../../watch/notify/follow-condition.ts';
import { fencedActions } from '../../watch/replicas/fenced-actions.ts';
import type { ReplicaSession } from '../../watch/replicas/replica-session.ts';
import type { Watch } from '../../watch/watch.ts';
import { packageVersion } from '../terminal/package-files.ts';

const DEADLINE_SECONDS = 15;

/** Follows the verdicts of a watch on the nodes of a cluster, after each evaluation. `name`: where there are several. */
export function nodeConditions(
  watch: Watch,
  cluster: KubeCluster,
  name: string | undefined,
  log: (line: string) => void,
  replica?: ReplicaSession,
): ConditionFollower {
  const own = cluster.actions(`oakum/${packageVersion()} (watch)`, DEADLINE_SECONDS);
  const actions = replica === undefined ? own : fencedActions(own, () => replica.mayAct(replica.term));
  const follower = followConditions({
    actions,
    clock: SYSTEM_CLOCK,
    idOfLeak: ref => BUNDLED_LEAKS.find(({ refs }) => refs.includes(ref))?.id,
    log,
    refused: message =>
      watch.setMissingRight(
        'node condition',
        message === undefined
          ? undefined
          : {
              why: 'forbidden',
              what: `the condition ${CONDITION_TYPE} is not written: ${oneLine(message)}`,
              command: 'oakum access --for condition',
            },
        name,
      ),
  });
  watch.subscribe(event => {
    if (event.kind !== 'fleet' || replica?.isLeader === false) return;
    follower.follow(watch.nodeStandings(name)).catch((error: Error) => log(`conditions: ${oneLine(error.message)}`));
  });
  return follower;
}
