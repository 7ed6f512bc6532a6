import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pathOf } from './api-client.ts';
import { readNodeSet } from './node-set.ts';
import { accessObjects, podsAtStart, workloadObjects } from './workload.ts';

const NODES = readNodeSet(
  JSON.stringify([
    { name: 'even', version: '1.36.0', pods: 7 },
    { name: 'ramp', version: '1.36.3', pods: 4, ramp: { toPods: 20, podEverySeconds: 15 } },
  ]),
  'test',
);

describe('workload', () => {
  it('has as many pods as the nodes specify, and the ramp adds the rest', () => {
    const specs = workloadObjects(NODES).map(object => ({
      kind: object.kind,
      spec: object.spec as { replicas?: number },
    }));
    const replicas = (kind: string): number =>
      specs.filter(object => object.kind === kind).reduce((sum, { spec }) => sum + (spec.replicas ?? 1), 0);
    assert.equal(replicas('Deployment') + replicas('Pod'), podsAtStart(NODES));
    assert.equal(replicas('StatefulSet'), 16);
  });

  it('is where the API server looks for it', () => {
    const paths = [...accessObjects(), ...workloadObjects(NODES)].map(pathOf);
    assert.ok(paths.includes('/api/v1/namespaces/lab'));
    assert.ok(paths.includes('/apis/apps/v1/namespaces/lab/deployments/rich-even'));
    assert.ok(paths.includes('/apis/rbac.authorization.k8s.io/v1/clusterroles/oakum-lab-capture'));
    assert.equal(new Set(paths).size, paths.length);
  });

  it('lets only capture through the node proxy', () => {
    const roles = accessObjects().filter(object => object.kind === 'ClusterRole');
    const withProxy = roles.filter(role => JSON.stringify(role.rules).includes('nodes/proxy'));
    assert.deepEqual(
      withProxy.map(role => role.metadata.name),
      ['oakum-lab-capture'],
    );
  });
});
