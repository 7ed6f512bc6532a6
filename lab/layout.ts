/**
 * Where everything in a lab is: files below its folder, and addresses in its own network.
 *
 *     198.18.N.1    this machine's end of the wire
 *     198.18.N.2    control plane: API server 6443, controller manager 10257, scheduler 10259; the daemon 6060
 *     198.18.N.11   first node: kubelet 10250
 *     198.18.N.12   second node ...
 *
 * 198.18.0.0/15 is reserved for network tests, so it conflicts with nothing. Loopback addresses would not work: a
 * kubelet does not register with one, and the API server does not proxy to them.
 */
import { join } from 'node:path';
import type { LabNode } from './node-set.ts';

export const API_PORT = 6443;
export const KUBELET_PORT = 10250;
export const DAEMON_PORT = 6060;
const FIRST_NODE = 11;
/** The fake runtime gives it to every pod. */
export const POD_ADDRESS = '192.168.192.168';

/** The content of `lab.json` in the lab's folder, from which everything else is derived. */
export interface LabState {
  readonly folder: string;
  /** The N of 198.18.N.0/24. */
  readonly subnet: number;
  readonly expiresAt: string;
  readonly nodes: readonly LabNode[];
  /** Paths of the programs by name. */
  readonly programs: Readonly<Record<string, string>>;
}

export function addressOf(lab: Pick<LabState, 'subnet'>, host: number): string {
  return `198.18.${lab.subnet}.${host}`;
}

export function outerAddress(lab: Pick<LabState, 'subnet'>): string {
  return addressOf(lab, 1);
}

export function controlPlaneAddress(lab: Pick<LabState, 'subnet'>): string {
  return addressOf(lab, 2);
}

export function apiserverUrl(lab: Pick<LabState, 'subnet'>): string {
  return `https://${controlPlaneAddress(lab)}:${API_PORT}`;
}

export function nodeAddress(lab: Pick<LabState, 'subnet' | 'nodes'>, name: string): string {
  return addressOf(lab, FIRST_NODE + lab.nodes.findIndex(node => node.name === name));
}

export function pkiFile(lab: LabState, file: string): string {
  return join(lab.folder, 'pki', file);
}

export function kubeconfigFile(lab: LabState, user: string): string {
  return join(lab.folder, 'kubeconfigs', `${user}.yaml`);
}

export function apiserverSocket(lab: LabState): string {
  return join(lab.folder, 'apiserver.sock');
}

export function daemonSocket(lab: LabState): string {
  return join(lab.folder, 'daemon.sock');
}
