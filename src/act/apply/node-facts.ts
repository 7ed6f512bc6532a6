/** The fields of a Node that acting looks at. */
import { listOf, recordOf, textOf, type JsonRecord } from '../../base/json.ts';
import { RESTARTED_ANNOTATION } from '../../evidence/plan-marks.ts';

export interface NodeFacts {
  readonly name: string;
  readonly uid: string;
  readonly bootId: string;
  readonly kubeletVersion: string;
  readonly zone: string;
  readonly isReady: boolean;
  /** Unix seconds; NaN if there is none. */
  readonly heartbeatSeconds: number;
  readonly isCordoned: boolean;
  readonly annotations: JsonRecord;
  /** Unix seconds; undefined if Oakum never restarted it. */
  readonly restartedAt: number | undefined;
  readonly restartedBy: string;
}

export function nodeFacts(node: JsonRecord): NodeFacts {
  const metadata = recordOf(node['metadata']);
  const status = recordOf(node['status']);
  const info = recordOf(status['nodeInfo']);
  const annotations = recordOf(metadata['annotations']);
  const ready = listOf(status['conditions'])
    .map(recordOf)
    .find(({ type }) => type === 'Ready');
  const [restarted = '', by = ''] = textOf(annotations[RESTARTED_ANNOTATION]).split(' ');
  const restartedAt = Date.parse(restarted) / 1000;
  return {
    name: textOf(metadata['name']),
    uid: textOf(metadata['uid']),
    bootId: textOf(info['bootID']),
    kubeletVersion: textOf(info['kubeletVersion']),
    zone: textOf(recordOf(metadata['labels'])['topology.kubernetes.io/zone']),
    isReady: ready?.['status'] === 'True',
    heartbeatSeconds: Date.parse(textOf(ready?.['lastHeartbeatTime'])) / 1000,
    isCordoned: recordOf(node['spec'])['unschedulable'] === true,
    annotations,
    restartedAt: Number.isNaN(restartedAt) ? undefined : restartedAt,
    restartedBy: by,
  };
}
