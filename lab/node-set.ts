/**
 * The hollow nodes of a lab, read from JSON:
 *
 *     [{ "name": "leak-a", "version": "1.36.0", "syncFrequencySeconds": 1, "pods": 30 }]
 */
import { LabError } from './lab-error.ts';
import { isKubernetesVersion, KUBERNETES_VERSIONS, type KubernetesVersion } from './programs.ts';

export interface LabNode {
  readonly name: string;
  readonly version: KubernetesVersion;
  /** A real kubelet's default is 60; the context leak of 1.36.0 grows with every sync. */
  readonly syncFrequencySeconds: number;
  readonly pods: number;
  /** One more pod at a time, until there are `toPods`. */
  readonly ramp?: { readonly toPods: number; readonly podEverySeconds: number };
  /** False: pprof, exec and logs answer 405. */
  readonly debuggingHandlers: boolean;
  readonly contentionProfiling: boolean;
  /** Signed by the cluster's CA, or self-signed as with kubeadm's defaults. */
  readonly servingCertificate: 'cluster' | 'self-signed';
}

const MAX_NODES = 20;
const MAX_PODS = 140;

export function readNodeSet(text: string, source: string): readonly LabNode[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (error) {
    throw new LabError(`${source}: not JSON (${(error as Error).message})`);
  }
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_NODES) {
    throw new LabError(`${source}: wanted a list of 1 to ${MAX_NODES} nodes`);
  }
  const nodes = list.map((entry, index) => readNode(entry, `${source}: node ${index + 1}`));
  const twice = nodes.find((node, index) => nodes.findIndex(other => other.name === node.name) !== index);
  if (twice !== undefined) throw new LabError(`${source}: two nodes are called ${twice.name}`);
  return nodes;
}

function readNode(entry: unknown, place: string): LabNode {
  if (typeof entry !== 'object' || entry === null) throw new LabError(`${place} is not an object`);
  const left = new Map(Object.entries(entry));
  const take = <T>(field: string, wanted: string, accept: (value: unknown) => value is T, otherwise?: T): T => {
    const value = left.get(field) ?? otherwise;
    left.delete(field);
    if (!accept(value)) throw new LabError(`${place}: "${field}" must be ${wanted}`);
    return value;
  };
  const ramp = left.get('ramp');
  left.delete('ramp');
  const node: LabNode = {
    name: take('name', 'a name of a-z, 0-9 and -', isName),
    version: take('version', `one of ${KUBERNETES_VERSIONS.join(', ')}`, isKubernetesVersion),
    syncFrequencySeconds: take('syncFrequencySeconds', 'a number from 0.1 to 3600', isBetween(0.1, 3600), 60),
    pods: take('pods', `a whole number from 0 to ${MAX_PODS}`, isCount),
    debuggingHandlers: take('debuggingHandlers', 'true or false', isBoolean, true),
    contentionProfiling: take('contentionProfiling', 'true or false', isBoolean, false),
    servingCertificate: take('servingCertificate', '"cluster" or "self-signed"', isServingCertificate, 'cluster'),
    ...(ramp === undefined ? {} : { ramp: readRamp(ramp, place) }),
  };
  const unknown = [...left.keys()][0];
  if (unknown !== undefined) throw new LabError(`${place}: "${unknown}" is not a field of a node`);
  if (node.ramp !== undefined && node.ramp.toPods <= node.pods) {
    throw new LabError(`${place}: "ramp.toPods" must be more than "pods"`);
  }
  return node;
}

function readRamp(value: unknown, place: string): NonNullable<LabNode['ramp']> {
  const { toPods, podEverySeconds } = (value ?? {}) as Record<string, unknown>;
  if (!isCount(toPods)) throw new LabError(`${place}: "ramp.toPods" must be a whole number up to ${MAX_PODS}`);
  if (!isBetween(1, 3600)(podEverySeconds)) {
    throw new LabError(`${place}: "ramp.podEverySeconds" must be a number from 1 to 3600`);
  }
  return { toPods, podEverySeconds };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z]([a-z0-9-]{0,30}[a-z0-9])?$/.test(value);
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isServingCertificate(value: unknown): value is LabNode['servingCertificate'] {
  return value === 'cluster' || value === 'self-signed';
}

function isBetween(least: number, most: number): (value: unknown) => value is number {
  return (value): value is number => typeof value === 'number' && value >= least && value <= most;
}

function isCount(value: unknown): value is number {
  return isBetween(0, MAX_PODS)(value) && Number.isInteger(value);
}
