/** The process of the watch, as one of its targets and for its /metrics. */
import { readdirSync } from 'node:fs';
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

export interface OwnProcess {
  /** Under the names that Go processes use, which the detector knows. */
  read(): Readonly<Record<string, number>>;
  stop(): void;
}

export function ownProcess(): OwnProcess {
  const startSeconds = Date.now() / 1000 - process.uptime();
  const delay: IntervalHistogram = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  let lastMinute = { p99: NaN, max: NaN };
  const minute = setInterval(() => {
    lastMinute = { p99: delay.percentile(99) / 1e9, max: delay.max / 1e9 };
    delay.reset();
  }, 60_000).unref();
  return {
    read() {
      const { rss, heapUsed, external } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      const files = openFiles();
      return {
        process_resident_memory_bytes: rss,
        process_start_time_seconds: startSeconds,
        process_cpu_seconds_total: (user + system) / 1e6,
        ...(files === undefined ? {} : { process_open_fds: files }),
        oakum_heap_used_bytes: heapUsed,
        oakum_external_bytes: external,
        ...(Number.isNaN(lastMinute.p99)
          ? {}
          : { oakum_event_loop_p99_seconds: lastMinute.p99, oakum_event_loop_max_seconds: lastMinute.max }),
      };
    },
    stop: () => {
      clearInterval(minute);
      delay.disable();
    },
  };
}

/** Undefined if there is no /proc. */
function openFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return undefined;
  }
}
