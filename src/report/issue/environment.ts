/** The machines, from kubectl's nodes: system, kernel, runtime, size. */
import { listOf, recordOf, textOf, type JsonRecord } from '../../base/json.ts';
import type { Environment } from './issue-facts.ts';

export class EnvironmentReader {
  private nodeCount = 0;
  private readonly osImages = new Set<string>();
  private readonly kernels = new Set<string>();
  private readonly runtimes = new Set<string>();
  private readonly architectures = new Set<string>();
  private readonly providers = new Set<string>();
  private readonly capacities = new Set<string>();

  /** Adds a parsed JSON document; anything but nodes is ignored. */
  add(value: unknown): void {
    const root = recordOf(value);
    const items = Array.isArray(root['items']) ? listOf(root['items']).map(recordOf) : [root];
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

  private node(item: JsonRecord): void {
    const status = recordOf(item['status']);
    const info = recordOf(status['nodeInfo']);
    if (typeof info['kubeletVersion'] !== 'string') return;
    this.nodeCount++;
    keep(this.osImages, info['osImage']);
    keep(this.kernels, info['kernelVersion']);
    keep(this.runtimes, info['containerRuntimeVersion']);
    keep(this.architectures, info['architecture']);
    const provider = /^([a-z][a-z0-9]*):\/\//.exec(textOf(recordOf(item['spec'])['providerID']))?.[1];
    keep(this.providers, provider);
    const { cpu, memory } = recordOf(status['capacity']);
    if (textOf(cpu) !== '' && textOf(memory) !== '') keep(this.capacities, `${textOf(cpu)} CPUs, ${textOf(memory)}`);
  }
}

function keep(values: Set<string>, value: unknown): void {
  if (typeof value === 'string' && value !== '') values.add(value);
}
