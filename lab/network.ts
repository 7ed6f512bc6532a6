/**
 * The lab's own network: a namespace held by a sleeping process, joined to this machine by a pair of virtual
 * interfaces. Each kubelet has an address there and listens on 10250; nothing outside this machine can reach them. When
 * the last process in it ends, the kernel removes it with its interfaces.
 */
import { spawnSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { LabError } from './lab-error.ts';
import { addressOf, controlPlaneAddress, nodeAddress, outerAddress, POD_ADDRESS, type LabState } from './layout.ts';
import { startProcess } from './processes.ts';

export const NETWORK = 'network';

/** The N of the first 198.18.N.0/24 that this machine has no address in. */
export function freeSubnet(inUse: readonly string[] = ownAddresses()): number {
  for (let subnet = 0; subnet < 256; subnet++) {
    if (!inUse.some(address => address.startsWith(addressOf({ subnet }, 0).slice(0, -1)))) return subnet;
  }
  throw new LabError('198.18.0.0/16 is full of labs: stop some');
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap(list => (list ?? []).map(entry => entry.address));
}

export function requireNetworkTools(): void {
  if (process.platform !== 'linux') throw new LabError('the lab needs Linux: it lives in a network namespace');
  for (const [tool, source] of [
    ['ip', 'iproute2'],
    ['unshare', 'util-linux'],
    ['nsenter', 'util-linux'],
  ]) {
    if (spawnSync(tool, ['--version']).error !== undefined)
      throw new LabError(`the lab needs ${tool}: install ${source}`);
  }
  if (spawnSync('unshare', ['--net', 'true']).status !== 0) {
    throw new LabError('no network namespace can be made here: run the lab as root');
  }
}

export async function createNetwork(lab: LabState, lifetimeSeconds: number): Promise<void> {
  const { pid } = startProcess(lab.folder, NETWORK, ['unshare', '--net', 'sleep', String(lifetimeSeconds)]);
  await untilUnshared(pid);
  const outside = `oakumlab${lab.subnet}`;
  ip(['link', 'add', outside, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid)]);
  ip(['address', 'add', `${outerAddress(lab)}/24`, 'dev', outside]);
  ip(['link', 'set', outside, 'up']);
  const inside = [controlPlaneAddress(lab), ...lab.nodes.map(node => nodeAddress(lab, node.name))];
  for (const address of inside) ip(['address', 'add', `${address}/24`, 'dev', 'eth0'], pid);
  ip(['address', 'add', `${POD_ADDRESS}/32`, 'dev', 'lo'], pid);
  for (const device of ['lo', 'eth0']) ip(['link', 'set', device, 'up'], pid);
}

/** A command prefix that runs it in the network that `pid` holds. */
export function inNetworkOf(pid: number): string[] {
  return ['nsenter', `--net=/proc/${pid}/ns/net`, '--'];
}

/** unshare is visible by name before it has a namespace. */
async function untilUnshared(pid: number): Promise<void> {
  const own = readlinkSync('/proc/self/ns/net');
  for (let tries = 0; tries < 100; tries++) {
    if (readlinkSync(`/proc/${pid}/ns/net`) !== own) return;
    await delay(20);
  }
  throw new LabError('the network namespace did not come up in 2 s');
}

function ip(args: readonly string[], namespaceOf?: number): void {
  const command = [...(namespaceOf === undefined ? [] : inNetworkOf(namespaceOf)), 'ip', ...args];
  const result = spawnSync(command[0], command.slice(1), { encoding: 'utf8' });
  if (result.status !== 0) throw new LabError(`${command.join(' ')}: ${result.stderr.trim()}`);
}
