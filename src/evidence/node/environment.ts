/** What kubectl's nodes say of the machines: system, kernel, runtime, size. */
import type { Environment } from '../../model/issue-facts.ts';

export class EnvironmentReader {
  private nodeCount = 0;
  private readonly osImages = new Set<string>();
  private readonly kernels = new Set<string>();
  private readonly runtimes = new Set<string>();
  private readonly architectures = new Set<string>();
  private readonly providers = new Set<string>();
  private readonly capacities = new Set<string>();

  /** Takes a parsed JSON document; anything but nodes is ignored. */
  add(value: unknown): void {
    const root = asRecord(value);
    const items = Array.isArray(root['items']) ? root['items'].map(asRecord) : [root];
    for (const item of items) this.node(item);
  }

  finish(): Environment {
    return {
      nodeCount: this.nodeCount,
      osImages: [...this.osImages],
      kernels: [...this.kernels],
      runtimes: [...this.runtimes],
      architectures: [...this.architectures],
      providers: [...this.providers],
      capacities: [...this.capacities],
    };
  }

  private node(item: Readonly<Record<string, unknown>>): void {
    const status = asRecord(item['status']);
    const info = asRecord(status['nodeInfo']);
    if (typeof info['kubeletVersion'] !== 'string') return;
    this.nodeCount++;
    keep(this.osImages, info['osImage']);
    keep(this.kernels, info['kernelVersion']);
    keep(this.runtimes, info['containerRuntimeVersion']);
    keep(this.architectures, info['architecture']);
    const provider = /^([a-z][a-z0-9]*):\/\//.exec(asText(asRecord(item['spec'])['providerID']))?.[1];
    keep(this.providers, provider);
    const { cpu, memory } = asRecord(status['capacity']);
    if (asText(cpu) !== '' && asText(memory) !== '') keep(this.capacities, `${asText(cpu)} CPUs, ${asText(memory)}`);
  }
}

function keep(values: Set<string>, value: unknown): void {
  if (typeof value === 'string' && value !== '') values.add(value);
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
