/** Made-up samples of a kubelet: 25 values a minute, of the kinds that real ones have. */
import { randomFrom } from '../random.ts';

export const VALUES_PER_SAMPLE = 25;
const PAGE_BYTES = 4096;

export class MadeTarget {
  readonly name: string;
  readonly #random: () => number;
  readonly #start: number;
  #minute = 0;
  #heapPages: number;
  readonly #counters = new Float64Array(8);

  constructor(index: number, startSeconds: number) {
    this.name = `node/worker-${index}`;
    this.#random = randomFrom(index + 1);
    this.#start = startSeconds - Math.floor(this.#random() * 1e6) / 100;
    this.#heapPages = 15_000 + Math.floor(this.#random() * 5_000);
  }

  next(): Record<string, number> {
    this.#minute++;
    const noise = (spread: number): number => Math.round((this.#random() - 0.5) * spread);
    this.#heapPages = Math.max(8_000, this.#heapPages + noise(900));
    const values: Record<string, number> = {
      process_start_time_seconds: this.#start,
      process_max_fds: 1_048_576,
      go_info: 1,
      kubelet_node_pods: 30,
      go_threads: 20 + noise(2),
      go_goroutines: 300 + noise(40),
      process_open_fds: 60 + noise(6),
      kubelet_running_pods: 30 + noise(2),
      kubelet_running_containers: 60 + noise(4),
      go_memstats_heap_alloc_bytes: this.#heapPages * PAGE_BYTES + noise(4000),
      go_memstats_heap_inuse_bytes: (this.#heapPages + 800) * PAGE_BYTES,
      go_memstats_heap_sys_bytes: 134_217_728,
      go_memstats_stack_inuse_bytes: 3_000_000 + 32_768 * noise(6),
      go_memstats_next_gc_bytes: 2 * this.#heapPages * PAGE_BYTES,
      process_resident_memory_bytes: (this.#heapPages + 9_000) * PAGE_BYTES,
      process_virtual_memory_bytes: 2_000_000_000,
      process_cpu_seconds_total: Math.round((this.#minute * 1.8 + this.#random()) * 100) / 100,
    };
    this.#counters.forEach((count, i) => {
      this.#counters[i] = count + Math.floor(this.#random() * 10 ** (1 + (i % 4)));
      values[`kubelet_counter_${i}_total`] = this.#counters[i];
    });
    return values;
  }
}
