/** The counters a kubelet exposes, from the work it did. */
import type { ProcessTraits } from './pool.ts';
import type { Workload } from './workload.ts';

const API_REQUESTS_PER_POD_HOUR = 40;
const API_REQUESTS_PER_HOUR = 600;
const API_REQUESTS_PER_RECONNECT = 25;
const RUNTIME_CALLS_PER_HOUR = 7200;
const RUNTIME_CALLS_PER_POD_HOUR = 60;
const RUNTIME_CALLS_PER_START = 12;

export class Counters {
  #pods = 0;
  #containers = 0;
  #probes = 0;
  #requests = 0;
  #transports = 0;
  #calls = 0;
  #failedCalls = 0;
  #cpuSeconds = 0;

  readonly #traits: ProcessTraits;

  constructor(traits: ProcessTraits) {
    this.#traits = traits;
  }

  reset(): void {
    this.#pods = this.#containers = this.#probes = this.#requests = 0;
    this.#transports = this.#calls = this.#failedCalls = this.#cpuSeconds = 0;
  }

  /** As if it had run at the present load for so many hours. */
  preload(hours: number, { pods, startRate }: Workload): void {
    const { probesPerPodHour, reconnectsPerHour } = this.#traits;
    this.#add(hours, pods, startRate * hours, probesPerPodHour * pods * hours, reconnectsPerHour * hours);
  }

  advance(hours: number, { pods, starts, probes, reconnects }: Workload): void {
    this.#add(hours, pods, starts, probes, reconnects);
  }

  #add(hours: number, pods: number, starts: number, probes: number, reconnects: number): void {
    this.#pods += starts;
    this.#containers += starts * this.#traits.containersPerPod;
    this.#probes += probes;
    this.#requests +=
      (API_REQUESTS_PER_HOUR + API_REQUESTS_PER_POD_HOUR * pods) * hours + API_REQUESTS_PER_RECONNECT * reconnects;
    this.#transports += reconnects;
    const calls =
      (RUNTIME_CALLS_PER_HOUR + RUNTIME_CALLS_PER_POD_HOUR * pods) * hours + RUNTIME_CALLS_PER_START * starts;
    this.#calls += calls;
    this.#failedCalls += calls * 0.0005;
    this.#cpuSeconds += hours * 60 + pods * hours * 4 + starts * 0.5;
  }

  expose(values: Record<string, number>, kubelet: boolean): void {
    values.process_cpu_seconds_total = Math.round(this.#cpuSeconds * 100) / 100;
    if (!kubelet) return;
    values.kubelet_started_pods_total = Math.round(this.#pods);
    values.kubelet_started_containers_total = Math.round(this.#containers);
    values.prober_probe_total = Math.round(this.#probes);
    values.rest_client_requests_total = Math.round(this.#requests);
    values.rest_client_transport_create_calls_total = Math.round(this.#transports);
    values.kubelet_runtime_operations_total = Math.round(this.#calls);
    values.kubelet_runtime_operations_errors_total = Math.round(this.#failedCalls);
  }
}
