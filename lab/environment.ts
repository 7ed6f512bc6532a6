/** What users of the lab need to know about it, as data. */
import { commandLine, processNames } from './command-lines.ts';
import { KUBECONFIG_USERS, type KubeconfigUser } from './kubeconfig.ts';
import {
  apiserverSocket,
  apiserverUrl,
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
import { findProcess, isAlive, logFile, programPid, residentBytes } from './processes.ts';

export interface Environment {
  readonly folder: string;
  readonly expiresAt: string;
  readonly kubectl: string;
  readonly kubeconfigs: Readonly<Record<KubeconfigUser, string>>;
  readonly apiserver: { readonly url: string; readonly authority: string; readonly debugSocket: string };
  readonly nodes: readonly (LabNode & { readonly leaks: boolean; readonly url: string })[];
  readonly daemons: { readonly http: string; readonly socket: string; readonly pod: string };
}

export function environmentOf(lab: LabState): Environment {
  const kubeconfigs = Object.fromEntries(KUBECONFIG_USERS.map(user => [user, kubeconfigFile(lab, user)]));
  return {
    folder: lab.folder,
    expiresAt: lab.expiresAt,
    kubectl: lab.programs.kubectl,
    kubeconfigs: kubeconfigs as Record<KubeconfigUser, string>,
    apiserver: { url: apiserverUrl(lab), authority: pkiFile(lab, 'ca.crt'), debugSocket: apiserverSocket(lab) },
    nodes: lab.nodes.map(node => ({
      ...node,
      leaks: node.version === '1.36.0',
      url: `https://${nodeAddress(lab, node.name)}:${KUBELET_PORT}`,
    })),
    daemons: {
      http: `http://${controlPlaneAddress(lab)}:${DAEMON_PORT}`,
      socket: `unix://${daemonSocket(lab)}`,
      pod: `lab/daemon:${DAEMON_PORT}`,
    },
  };
}

export interface ProcessStatus {
  readonly name: string;
  /** Undefined if it is not running. */
  readonly pid: number | undefined;
  readonly residentBytes: number;
  readonly program: string;
  readonly log: string;
}

export function processStatuses(lab: LabState): readonly ProcessStatus[] {
  return processNames(lab).map(name => {
    const record = findProcess(lab.folder, name);
    const pid = record !== undefined && isAlive(record) ? programPid(record) : undefined;
    return {
      name,
      pid,
      residentBytes: pid === undefined ? 0 : residentBytes(pid),
      program: commandLine(lab, name)![0],
      log: logFile(lab.folder, name),
    };
  });
}
