/**
 * A process that answers for thousands of kubelets: `/t/7/metrics` is number 7. Each has the size of a real kubelet's
 * metrics, and none grows. Prints its port; `/counts` returns how often each was scraped, `/gaps` the longest time between
 * two scrapes of each since `/gaps` was last asked, in seconds.
 */
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';

const targets = Number(process.argv[2]);
const kilobytes = Number(process.argv[3]);
/** With the files KEY and CERT, it speaks TLS as kubelets do. */
const [, , , , keyFile, certFile] = process.argv;
const counts = new Uint32Array(targets);
const startSeconds = Date.now() / 1000 - 86_400;
const lastAt = new Float64Array(targets).fill(startSeconds + 86_400);
let longest = new Float64Array(targets);

/** Metrics of a kubelet that nothing reads. */
const bulk = bulkText(kilobytes * 1024);

const answer: RequestListener = (request, response) => {
  const match = /^\/t\/(\d+)\/metrics$/.exec(request.url ?? '');
  if (match !== null && Number(match[1]) < targets) {
    const target = Number(match[1]);
    counts[target]++;
    longest[target] = Math.max(longest[target], Date.now() / 1000 - lastAt[target]);
    lastAt[target] = Date.now() / 1000;
    response.setHeader('content-type', 'text/plain; version=0.0.4');
    response.write(headText(target));
    response.end(bulk);
  } else if (request.url === '/counts') response.end(JSON.stringify(Array.from(counts)));
  else if (request.url === '/gaps') {
    const now = Date.now() / 1000;
    response.end(JSON.stringify(Array.from(longest, (gap, i) => Math.max(gap, now - lastAt[i]))));
    longest = new Float64Array(targets);
  } else {
    response.statusCode = 404;
    response.end();
  }
};
const server =
  keyFile === undefined || certFile === undefined
    ? createServer(answer)
    : createTlsServer({ key: readFileSync(keyFile), cert: readFileSync(certFile) }, answer);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : 0}\n`);
});

function headText(target: number): string {
  const now = Date.now() / 1000;
  const wave = Math.sin(now / 600 + target);
  return `go_goroutines ${Math.round(300 + 10 * wave)}
go_threads 14
go_gc_heap_live_bytes ${Math.round(4e7 + 1e6 * wave)}
go_memstats_heap_inuse_bytes ${Math.round(6e7 + 2e6 * wave)}
go_memory_classes_heap_stacks_bytes ${Math.round(5e6 + 1e5 * wave)}
go_memory_classes_heap_free_bytes 5e+06
go_memory_classes_heap_released_bytes 7e+06
process_resident_memory_bytes ${Math.round(1.2e8 + 2e6 * wave)}
process_open_fds 31
process_max_fds 1e+06
process_start_time_seconds ${startSeconds + target}
process_cpu_seconds_total ${(now - startSeconds) * 0.05}
kubelet_running_pods ${40 + (target % 20)}
kubelet_started_pods_total ${Math.round((now - startSeconds) / 300)}
kubelet_pleg_last_seen_seconds ${Math.floor(now)}
kubernetes_build_info{git_version="v1.36.${target % 4}",go_version="go1.26.7"} 1
`;
}

function bulkText(bytes: number): string {
  const lines: string[] = [];
  for (let size = 0, i = 0; size < bytes; i++) {
    const line = `kubelet_http_requests_duration_seconds_bucket{method="GET",path="p${i % 50}",le="${i % 12}"} ${i * 7}`;
    lines.push(line);
    size += line.length + 1;
  }
  return `${lines.join('\n')}\n`;
}
