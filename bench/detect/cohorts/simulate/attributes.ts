/** What the nodes of a fleet are: attributes as real clusters have them, some of them bound to the pool. */
import type { Dice } from '../../simulate/dice.ts';

export type NodeAttributes = Record<string, string>;

export const OLD_VERSION = 'v1.35.7';
export const NEW_VERSION = 'v1.36.0';

/** Per pool: what machines of one pool share. */
export interface PoolAttributes {
  readonly pool: string;
  readonly machine: string;
  readonly arch: string;
  readonly kernel: string;
  readonly runtime: string;
  readonly image: string;
}

const MACHINES = ['m5.xlarge', 'm5.2xlarge', 'c6i.4xlarge', 'm6g.2xlarge'];
const KERNELS = ['6.1.0-28', '6.8.0-45', '6.8.0-49', '5.15.0-125'];
const RUNTIMES = ['containerd://1.7.24', 'containerd://2.0.1', 'cri-o://1.31.2'];

export function drawPoolAttributes(count: number, dice: Dice): PoolAttributes[] {
  return Array.from({ length: count }, (_, i) => {
    const machine = dice.pick(MACHINES);
    return {
      pool: 'abcdef'[i],
      machine,
      arch: machine.startsWith('m6g') ? 'arm64' : 'amd64',
      kernel: dice.pick(KERNELS),
      runtime: dice.pick(RUNTIMES),
      image: dice.pick(['Ubuntu 24.04', 'Debian 12', 'Bottlerocket 1.28']),
    };
  });
}

export function drawAttributes(pool: PoolAttributes, dice: Dice): NodeAttributes {
  return {
    version: OLD_VERSION,
    go: 'go1.24.9',
    kernel: dice.chance(0.8) ? pool.kernel : dice.pick(KERNELS),
    runtime: pool.runtime,
    image: pool.image,
    arch: pool.arch,
    pool: pool.pool,
    machine: pool.machine,
    zone: dice.pick(['eu-1a', 'eu-1b', 'eu-1c']),
    'daemonset/cni': dice.chance(0.9) ? '6f7d' : '59cc',
    'daemonset/csi': '77b4',
    'daemonset/logs': dice.chance(0.5) ? '8c11' : '8c12',
    'gate/InPlacePodVerticalScaling': dice.chance(0.3) ? 'true' : 'false',
    'gate/KubeletTracing': dice.chance(0.1) ? 'true' : 'false',
    taints: dice.chance(0.15) ? 'dedicated' : 'none',
    config: pool.pool < 'c' ? 'd41d8c' : '98f00b',
  };
}

/** Go comes with the version: an alias by nature. */
export const UPGRADE: NodeAttributes = { version: NEW_VERSION, go: 'go1.25.3' };
