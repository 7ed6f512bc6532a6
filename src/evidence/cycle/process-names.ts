/** Which names in logs refer to the process. */

/** Programs that are the kubelet, or contain it. */
const KUBELETS: readonly string[] = ['kubelet', 'hyperkube', 'k3s', 'k3s-server', 'k3s-agent', 'rke2', 'kubelite'];

/** The kernel keeps 15 characters of a name. */
const COMM_LENGTH = 15;

export interface ProcessNames {
  /** Its name in sentences. */
  readonly name: string;
  isProcess(comm: string): boolean;
  /** `kubelet.service`, or a description such as `kubelet: The Kubernetes Node Agent`. */
  isUnit(unit: string): boolean;
}

/** The names of `process`; by default, all names of the kubelet. */
export function processNames(process?: string): ProcessNames {
  const names = process === undefined ? KUBELETS : [process];
  const comms = new Set(names.map(name => name.slice(0, COMM_LENGTH)));
  return {
    name: process ?? 'kubelet',
    isProcess: comm => comms.has(comm.slice(0, COMM_LENGTH)),
    isUnit: unit => {
      if (unit.endsWith('.service')) return names.includes(unit.slice(0, -'.service'.length));
      const words = unit.toLowerCase().split(/[^\w-]+/);
      return names.some(name => words.includes(name));
    },
  };
}
