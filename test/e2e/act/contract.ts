/** The contract of ClusterActions on the real API server: the double that the fast tests use is held to the same. */
import { readFileSync } from 'node:fs';
import { clusterActions } from '../../../src/live/io/kube/cluster-actions.ts';
import { httpSender } from '../../../src/live/io/send-request.ts';
import { pkiFile } from '../../../lab/layout.ts';
import { clusterActionsContract } from '../../contract/cluster-actions-contract.ts';
import type { ActCheck } from './acting.ts';
import { budgetFor } from './acting.ts';
import { until } from '../../until.ts';
import { recordOf } from '../../../src/base/json.ts';

export const contractChecks: readonly ActCheck[] = clusterActionsContract.map(({ name, run }) => ({
  name: `contract: ${name}`,
  run: async lab => {
    const read = (file: string): Buffer => readFileSync(pkiFile(lab.lab, file));
    const actions = clusterActions({
      endpoint: {
        base: new URL(lab.environment.apiserver.url),
        tls: {},
        credentials: () =>
          Promise.resolve({ headers: {}, ca: read('ca.crt'), cert: read('admin.crt'), key: read('admin.key') }),
      },
      send: httpSender({}),
      deadlineSeconds: 15,
    });
    await run({
      actions,
      node: 'fix-b',
      namespace: 'lab',
      makePod: async (pod, app) => {
        await lab.put({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: pod, namespace: 'lab', labels: { app } },
          spec: {
            nodeName: 'fix-b',
            terminationGracePeriodSeconds: 1,
            containers: [{ name: 'app', image: 'lab/app:1' }],
          },
        });
        await lab.kubectl('wait', '-n', 'lab', '--for=condition=Ready', `pod/${pod}`, '--timeout=60s');
      },
      makeBudget: async (budget, app) => {
        const wanted = budgetFor(budget);
        await lab.put({ ...wanted, spec: { minAvailable: 1, selector: { matchLabels: { app } } } });
        await until(async () => {
          const { metadata, status } = await lab.get('pdb', '-n', 'lab', budget);
          return recordOf(status)['observedGeneration'] === recordOf(metadata)['generation'];
        });
      },
      wait: work => work,
    });
    await lab.kubectl('delete', 'pods', '-n', 'lab', '-l', 'app in (uid,budget,watch)', '--wait=false');
    await lab.kubectl('delete', 'pdb', '-n', 'lab', '--all');
    await lab.kubectl('delete', 'lease', '-n', 'lab', 'contract', '--ignore-not-found');
    return 'as on the double';
  },
}));
