/** What was not measured, with one command for each gap. */
import { isMeasured } from '../growth/metric-growth.ts';
import type { Finding, MissingEvidence } from '../analysis.ts';
import type { TargetFacts } from '../../knowledge/preconditions.ts';
import type { ProcessEvidence } from '../../evidence/snapshots/process-evidence.ts';

/** `lives` are all processes of one target. */
export function missingEvidence(
  of: string,
  lives: readonly ProcessEvidence[],
  facts: TargetFacts,
  findings: readonly Finding[],
): MissingEvidence[] {
  const most = <T>(lists: readonly (readonly T[])[]): readonly T[] =>
    lists.reduce((best, list) => (list.length > best.length ? list : best));
  const goroutines = most(lives.map(life => life.goroutines));
  const heap = most(lives.map(life => life.heap));
  const series = lives.find(life => life.series !== undefined)?.series;
  const isProved = findings.some(({ resource, verdict }) => resource === 'goroutines' && verdict === 'leak');
  const fetch = fetcher(facts.component);
  const missing: MissingEvidence[] = [];
  const add = (what: string, why: string, command: string): void => void missing.push({ what, why, command });
  if (goroutines.length === 0) {
    const counted = isMeasured('goroutines', series);
    const hasLeakProfile = lives.some(life => life.runtimeLeaks !== undefined);
    const why = hasLeakProfile
      ? 'the leak profile has only what nothing can reach; most leaks can still be reached'
      : counted
        ? 'metrics show how many there are, not whose'
        : 'without them only the heap can be judged';
    add(
      `${counted || hasLeakProfile ? 'goroutine profiles' : 'goroutines'} of ${of}`,
      why,
      fetch('debug/pprof/goroutine', 'goroutine-1.pb.gz'),
    );
  } else if (goroutines.length === 1 && !isProved) {
    add(
      `a second goroutine profile of ${of}`,
      'one shows what is there, not what grows; take it 5 minutes or more later',
      fetch('debug/pprof/goroutine', 'goroutine-2.pb.gz'),
    );
  }
  if (heap.length === 0) {
    const measured = isMeasured('live heap', series);
    add(
      `${measured ? 'heap profiles' : 'heap'} of ${of}`,
      measured ? 'metrics show how much there is, not whose' : 'a heap leak moves no goroutine',
      fetch('debug/pprof/heap', 'heap-1.pb.gz'),
    );
  } else if (heap.length === 1) {
    add(
      `a second heap profile of ${of}`,
      'one shows what was never freed, not whether it still grows; take it 5 minutes or more later',
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
    add(
      `the version of ${of}`,
      'known leaks are matched by version; oakum analyze --version says which it is',
      versionCommand(facts.component),
    );
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

/** Through the API server for a kubelet, of a node that the user must name; else at an address. */
function fetcher(component: string | undefined): (path: string, file: string) => string {
  if (component === 'kubelet') {
    return (path, file) => `kubectl get --raw "/api/v1/nodes/$NODE/proxy/${path}" > ${file}`;
  }
  if (component === 'kube-apiserver' || component === 'kcp') {
    return (path, file) => `kubectl get --raw "/${path}" > ${file}`;
  }
  return (path, file) => `curl -s "http://$HOST:$PORT/${path}" > ${file}`;
}

/** '' for other programs, which have no common command for it. */
function versionCommand(component: string | undefined): string {
  if (component === 'kubelet') return `kubectl get node "$NODE" -o jsonpath='{.status.nodeInfo.kubeletVersion}'`;
  return component === 'kube-apiserver' || component === 'kcp' ? 'kubectl version -o json' : '';
}
