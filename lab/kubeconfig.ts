/** Kubeconfigs of the lab's users and programs, each in one self-contained file. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { stringify } from 'yaml';
import { CERTIFICATE_USERS } from './certificates.ts';
import { apiserverUrl, kubeconfigFile, pkiFile, type LabState } from './layout.ts';
import { expiredToken } from './token.ts';

/** Those that a test may need; `kubeconfigs` of the environment has their paths. */
export const KUBECONFIG_USERS = [
  'admin',
  'capture',
  'metrics-only',
  'nobody',
  'service-account',
  'expired-token',
  'wrong-ca',
] as const;
export type KubeconfigUser = (typeof KUBECONFIG_USERS)[number];

export type Credentials = { readonly token: string } | { readonly certificate: Buffer; readonly key: Buffer };

export function kubeconfigText(server: string, authority: Buffer, user: string, credentials: Credentials): string {
  const secrets =
    'token' in credentials
      ? { token: credentials.token }
      : {
          'client-certificate-data': credentials.certificate.toString('base64'),
          'client-key-data': credentials.key.toString('base64'),
        };
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'lab', cluster: { server, 'certificate-authority-data': authority.toString('base64') } }],
      users: [{ name: user, user: secrets }],
      contexts: [{ name: 'lab', context: { cluster: 'lab', user } }],
      'current-context': 'lab',
    },
    { lineWidth: 0 },
  );
}

/** All except service-account, whose token only a running API server issues. */
export function writeKubeconfigs(lab: LabState): void {
  const components = ['controller-manager', 'scheduler', ...lab.nodes.map(node => `node-${node.name}`)];
  for (const user of ['admin', ...CERTIFICATE_USERS, ...components]) {
    write(lab, user, 'ca.crt', certificateOf(lab, user));
  }
  write(lab, 'wrong-ca', 'other-ca.crt', certificateOf(lab, 'admin'));
  const signingKey = readFileSync(pkiFile(lab, 'service-accounts.key'), 'utf8');
  write(lab, 'expired-token', 'ca.crt', { token: expiredToken(signingKey, new Date()) });
}

export function writeTokenKubeconfig(lab: LabState, user: KubeconfigUser, token: string): void {
  write(lab, user, 'ca.crt', { token });
}

function certificateOf(lab: LabState, name: string): Credentials {
  return { certificate: readFileSync(pkiFile(lab, `${name}.crt`)), key: readFileSync(pkiFile(lab, `${name}.key`)) };
}

function write(lab: LabState, user: string, authority: string, credentials: Credentials): void {
  const path = kubeconfigFile(lab, user);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const text = kubeconfigText(apiserverUrl(lab), readFileSync(pkiFile(lab, authority)), user, credentials);
  writeFileSync(path, text, { mode: 0o600 });
}
