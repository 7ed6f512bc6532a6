/** What was not measured, and the one command that would fill each gap. */
import type { Finding, MissingEvidence } from '../../model/analysis.ts';
import type { TargetFacts } from '../../catalogue/preconditions.ts';
import type { ProcessEvidence } from './evidence.ts';

export function missingEvidence(
  { process, goroutines, heap, series }: ProcessEvidence,
  facts: TargetFacts,
  findings: readonly Finding[],
): MissingEvidence[] {
  const fetch = fetcher(process.target, facts.component);
  const missing: MissingEvidence[] = [];
  const add = (what: string, why: string, command: string): void => void missing.push({ what, why, command });
  const of = process.target;
  if (goroutines.length === 0) {
    add(
      `goroutines of ${of}`,
      'without them only the heap can be judged',
      fetch('debug/pprof/goroutine', 'goroutine-1.pb.gz'),
    );
  } else if (goroutines.length === 1) {
    add(
      `a second goroutine profile of ${of}`,
      'one shows what is there, not what grows; take it 5 minutes or more later',
      fetch('debug/pprof/goroutine', 'goroutine-2.pb.gz'),
    );
  }
  if (heap.length === 0) {
    add(`heap of ${of}`, 'a heap leak moves no goroutine', fetch('debug/pprof/heap', 'heap-1.pb.gz'));
  } else if (heap.length === 1) {
    add(
      `a second heap profile of ${of}`,
      'sampling hides slow leaks: only growth over several profiles proves one',
      fetch('debug/pprof/heap', 'heap-2.pb.gz'),
    );
  }
  if (series === undefined) {
    add(
      `metrics of ${of}`,
      'go_gc_heap_live_bytes over time is the cleanest sign of a heap leak',
      fetch('metrics', 'metrics-1.prom'),
    );
  }
  if (facts.version === undefined && findings.length > 0) {
    add(`the version of ${of}`, 'known leaks are matched by version', versionCommand(of, facts.component));
  }
  const cut = goroutines.find(({ truncated }) => truncated !== undefined);
  if (cut !== undefined) {
    add(
      `all goroutines of ${of}`,
      `the dump is cut (${cut.truncated}); debug=0 is complete, smaller and stops the process for less time`,
      fetch('debug/pprof/goroutine', 'goroutine.pb.gz'),
    );
  }
  return missing;
}

/** Through the API server for a node; else by the address only the user knows. */
function fetcher(target: string, component: string | undefined): (path: string, file: string) => string {
  if (component === 'kubelet') {
    return (path, file) => `kubectl get --raw "/api/v1/nodes/${nodeName(target)}/proxy/${path}" > ${file}`;
  }
  if (component === 'kube-apiserver' || component === 'kcp')
    return (path, file) => `kubectl get --raw "/${path}" > ${file}`;
  return (path, file) => `curl -s "http://$HOST:$PORT/${path}" > ${file}`;
}

function versionCommand(target: string, component: string | undefined): string {
  if (component === 'kubelet')
    return `kubectl get node ${nodeName(target)} -o jsonpath='{.status.nodeInfo.kubeletVersion}'`;
  return 'kubectl version -o json';
}

/** A target's name goes into a shell command: anything but a node's name becomes a variable. */
function nodeName(target: string): string {
  return /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(target) ? target : '$NODE';
}
