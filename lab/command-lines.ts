/** The command line of each of the lab's processes. */
import { join } from 'node:path';
import {
  API_PORT,
  apiserverSocket,
  controlPlaneAddress,
  DAEMON_PORT,
  daemonSocket,
  KUBELET_PORT,
  kubeconfigFile,
  nodeAddress,
  pkiFile,
  type LabState,
} from './layout.ts';
import type { LabNode } from './node-set.ts';
import { TOKEN_ISSUER } from './token.ts';

const ETCD_URL = 'http://127.0.0.1:2379';
const ETCD_PEER_URL = 'http://127.0.0.1:2380';

/** In start order. */
export const CONTROL_PLANE = ['etcd', 'apiserver', 'controller-manager', 'scheduler'] as const;
export const DAEMONS = ['daemon', 'daemon-on-socket'] as const;

export function processNames(lab: LabState): readonly string[] {
  return [...CONTROL_PLANE, ...DAEMONS, ...lab.nodes.map(node => node.name)];
}

export function commandLine(lab: LabState, name: string): readonly string[] | undefined {
  switch (name) {
    case 'etcd':
      return etcd(lab);
    case 'apiserver':
      return apiserver(lab);
    case 'controller-manager':
      return [
        ...controller(lab, 'kube-controller-manager', name),
        `--service-account-private-key-file=${pkiFile(lab, 'service-accounts.key')}`,
        `--root-ca-file=${pkiFile(lab, 'ca.crt')}`,
        '--use-service-account-credentials=true',
      ];
    case 'scheduler':
      return controller(lab, 'kube-scheduler', name);
    case 'daemon':
      return [lab.programs.daemon, '-listen', `:${DAEMON_PORT}`];
    case 'daemon-on-socket':
      return [lab.programs.daemon, '-listen', daemonSocket(lab)];
    default: {
      const node = lab.nodes.find(candidate => candidate.name === name);
      return node && kubelet(lab, node);
    }
  }
}

function etcd(lab: LabState): readonly string[] {
  return [
    lab.programs.etcd,
    `--data-dir=${join(lab.folder, 'etcd')}`,
    `--listen-client-urls=${ETCD_URL}`,
    `--advertise-client-urls=${ETCD_URL}`,
    `--listen-peer-urls=${ETCD_PEER_URL}`,
    `--initial-advertise-peer-urls=${ETCD_PEER_URL}`,
    `--initial-cluster=default=${ETCD_PEER_URL}`,
    // A lab can afford to lose data in a power cut.
    '--unsafe-no-fsync',
    '--enable-pprof',
    '--log-level=warn',
  ];
}

function apiserver(lab: LabState): readonly string[] {
  const address = controlPlaneAddress(lab);
  const pki = (file: string): string => pkiFile(lab, file);
  return [
    lab.programs['kube-apiserver'],
    `--etcd-servers=${ETCD_URL}`,
    `--bind-address=${address}`,
    `--advertise-address=${address}`,
    `--secure-port=${API_PORT}`,
    // As kubeadm does: a pod that restarts a kubelet is privileged.
    '--allow-privileged=true',
    `--tls-cert-file=${pki('apiserver.crt')}`,
    `--tls-private-key-file=${pki('apiserver.key')}`,
    `--client-ca-file=${pki('ca.crt')}`,
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    `--service-account-issuer=${TOKEN_ISSUER}`,
    `--service-account-key-file=${pki('service-accounts.crt')}`,
    `--service-account-signing-key-file=${pki('service-accounts.key')}`,
    `--kubelet-client-certificate=${pki('apiserver-to-kubelet.crt')}`,
    `--kubelet-client-key=${pki('apiserver-to-kubelet.key')}`,
    '--kubelet-preferred-address-types=InternalIP',
    '--service-cluster-ip-range=10.0.0.0/24',
    `--debug-socket-path=${apiserverSocket(lab)}`,
  ];
}

function controller(lab: LabState, program: string, user: string): readonly string[] {
  const kubeconfig = kubeconfigFile(lab, user);
  return [
    lab.programs[program],
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    `--bind-address=${controlPlaneAddress(lab)}`,
    // There is one of each, and it must not give up when the API server is down.
    '--leader-elect=false',
    '--kube-api-qps=100',
    '--kube-api-burst=200',
  ];
}

function kubelet(lab: LabState, node: LabNode): readonly string[] {
  const certificate = pkiFile(lab, `node-${node.name}`);
  return [
    lab.programs[`kubelet-${node.version}`],
    `-name=${node.name}`,
    `-kubeconfig=${kubeconfigFile(lab, `node-${node.name}`)}`,
    `-address=${nodeAddress(lab, node.name)}`,
    `-port=${KUBELET_PORT}`,
    `-client-ca=${pkiFile(lab, 'ca.crt')}`,
    `-root=${join(lab.folder, 'nodes', node.name)}`,
    `-sync-frequency=${node.syncFrequencySeconds}s`,
    `-debugging-handlers=${node.debuggingHandlers}`,
    `-contention-profiling=${node.contentionProfiling}`,
    ...(node.servingCertificate === 'cluster' ? [`-tls-cert=${certificate}.crt`, `-tls-key=${certificate}.key`] : []),
    '-v=2',
  ];
}
