/** Passes the nodes and events of a cluster to watch as they come. */
import { readNodeEvent } from '../../evidence/formats/kube-events.ts';
import { recordOf, textOf } from '../../base/json.ts';
import { type KubeObject, readNodeStatus } from '../../evidence/formats/kube-objects.ts';
import { CLUSTER_ATTRIBUTE } from '../../judge/cohorts/cohort-model.ts';
import { inCluster, targetText, type Attributes } from '../../evidence/target.ts';
import type { TargetConnection } from '../../live/ports.ts';
import type { Watch } from '../watch-service.ts';
import { allocatableMemory, daemonSetAttribute, nodeAttributes } from '../../evidence/node-attributes.ts';

const SOURCE = 'API server';
/** A valid node name; an API server never sends any other. */
const NODE_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;

export interface ClusterSink {
  addNode(object: KubeObject): void;
  removeNode(name: string): void;
  addEvent(object: KubeObject): void;
  addPod(object: KubeObject): void;
}

/**
 * `connect` opens a connection to a node; undefined while the node has no address. `cluster` is its name, where there
 * are several: it is part of the names of its targets and one of their attributes.
 */
export function clusterSink(
  watch: Pick<Watch, 'addTarget' | 'removeTarget' | 'addObservation' | 'describe'>,
  connect: (name: string, object: KubeObject) => TargetConnection | undefined,
  cluster?: { readonly name: string; readonly memoryLimitBytes: number | undefined },
): ClusterSink {
  const targetOf = (name: string): string => inCluster(targetText({ kind: 'node', name }), cluster?.name);
  const known = new Map<string, string>();
  return {
    addNode(object) {
      const name = textOf(recordOf(object['metadata'])['name']);
      if (!NODE_NAME.test(name)) return;
      const target = targetOf(name);
      const attributes = { ...nodeAttributes(object), ...clusterAttribute(cluster?.name) };
      // Nodes report every few minutes; only changes of the connection or the attributes matter.
      const key = JSON.stringify([attributes, recordOf(object['status'])['addresses']]);
      if (known.get(name) !== key) {
        const connection = connect(name, object);
        if (connection === undefined) return;
        known.set(name, key);
        watch.addTarget({
          name: target,
          connection,
          attributes,
          allocatableBytes: allocatableMemory(object),
          memoryLimitBytes: cluster?.memoryLimitBytes,
        });
      }
      const status = readNodeStatus(object);
      for (const condition of status?.conditions ?? []) watch.addObservation(target, { ...condition, source: SOURCE });
      if (status?.boot !== undefined) watch.addObservation(target, { ...status.boot, source: SOURCE });
    },
    removeNode(name) {
      known.delete(name);
      watch.removeTarget(targetOf(name));
    },
    addPod(object) {
      const found = daemonSetAttribute(object);
      if (found !== undefined) watch.describe(targetOf(found.node), found.attributes);
    },
    addEvent(object) {
      const event = readNodeEvent(object);
      if (event !== undefined) watch.addObservation(targetOf(event.node), { ...event.observation, source: SOURCE });
    },
  };
}

/** Of a target in one of several clusters. */
export function clusterAttribute(cluster: string | undefined): Attributes {
  return cluster === undefined ? {} : { [CLUSTER_ATTRIBUTE]: cluster };
}
