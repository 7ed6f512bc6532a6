/** The certificates of a lab: their subjects, and their files (NAME.crt and NAME.key). */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { LabError } from './lab-error.ts';
import { controlPlaneAddress, nodeAddress, type LabState } from './layout.ts';

export interface CertificateOrder {
  readonly name: string;
  readonly commonName: string;
  readonly groups?: readonly string[];
  readonly addresses?: readonly string[];
  readonly hostNames?: readonly string[];
}

/** Users of the lab with a certificate; workload.ts has their rights. */
export const CERTIFICATE_USERS = ['capture', 'metrics-only', 'nobody'] as const;

export function certificateOrders(lab: Pick<LabState, 'subnet' | 'nodes'>): readonly CertificateOrder[] {
  const service = 'kubernetes.default.svc';
  return [
    {
      name: 'apiserver',
      commonName: 'kube-apiserver',
      addresses: [controlPlaneAddress(lab), '127.0.0.1', '10.0.0.1'],
      hostNames: ['kubernetes', 'kubernetes.default', service],
    },
    { name: 'apiserver-to-kubelet', commonName: 'kube-apiserver-kubelet-client', groups: ['system:masters'] },
    { name: 'admin', commonName: 'admin', groups: ['system:masters'] },
    { name: 'controller-manager', commonName: 'system:kube-controller-manager' },
    { name: 'scheduler', commonName: 'system:kube-scheduler' },
    // Only its key is used: it signs the tokens of service accounts.
    { name: 'service-accounts', commonName: 'service-accounts' },
    ...CERTIFICATE_USERS.map(user => ({ name: user, commonName: user })),
    ...lab.nodes.map(({ name }) => ({
      name: `node-${name}`,
      commonName: `system:node:${name}`,
      groups: ['system:nodes'],
      addresses: [nodeAddress(lab, name)],
      hostNames: [name],
    })),
  ];
}

export function issueCertificates(lab: LabState): void {
  const folder = join(lab.folder, 'pki');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  issue(lab, folder, 'ca', certificateOrders(lab));
  // An authority that signed nothing here, for a kubeconfig that trusts the wrong one.
  issue(lab, folder, 'other-ca', []);
}

function issue(lab: LabState, folder: string, authority: string, certificates: readonly CertificateOrder[]): void {
  const result = spawnSync(lab.programs.certificates, ['-folder', folder], {
    input: JSON.stringify({ authority, certificates }),
    encoding: 'utf8',
  });
  if (result.status !== 0) throw new LabError(`no certificates: ${result.stderr.trim() || String(result.error)}`);
}
