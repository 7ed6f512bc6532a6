/**
 * The script of `oakum collect-script`, for sites without oakum, which review it before they run it. It needs POSIX sh
 * and kubectl. Its files are named by kind and unix time, which is all that `oakum analyze` needs.
 */
import type { TargetRef } from '../../evidence/target.ts';

/** Where the API server serves the target, and the name of its folder. */
interface Place {
  readonly name: string;
  readonly base: string;
  readonly needs: string;
  /** An additional kubectl request, and the file for its answer. */
  readonly about: readonly [request: string, file: string];
}

const ABOUT_NODE = ['get node "$name"', 'nodes.json'] as const;
const ABOUT_SERVER = ['version', 'version.json'] as const;

/** The script, or why there is none for this target. Without a target, the script takes a node as its argument. */
export function collectScript(
  target: TargetRef | undefined,
): { readonly script: string } | { readonly problem: string } {
  const place = target === undefined ? undefined : placeOfTarget(target);
  if (typeof place === 'string') return { problem: place };
  return { script: scriptFor(place) };
}

/** Needs no quotes in a shell script. */
const PLAIN = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

function placeOfTarget(target: TargetRef): Place | string {
  switch (target.kind) {
    case 'node':
      if (!PLAIN.test(target.name)) return `${target.name} is not a valid node name`;
      return {
        name: target.name,
        base: `/api/v1/nodes/${target.name}/proxy`,
        needs: 'get nodes, nodes/proxy',
        about: ABOUT_NODE,
      };
    case 'apiserver':
      return {
        name: 'kube-apiserver',
        base: '',
        needs: 'get on the paths /metrics and /debug/pprof/*',
        about: ABOUT_SERVER,
      };
    case 'pod': {
      const { namespace = 'default', name, scheme, port } = target;
      if (!PLAIN.test(namespace) || !PLAIN.test(name)) return `${namespace}/${name} is not a valid pod name`;
      const pod = `${scheme === 'https' ? 'https:' : ''}${name}${port === undefined ? '' : `:${port}`}`;
      return {
        name,
        base: `/api/v1/namespaces/${namespace}/pods/${pod}/proxy`,
        needs: 'get pods/proxy',
        about: ABOUT_SERVER,
      };
    }
    case 'url':
    case 'unix':
      return 'the script takes evidence with kubectl: name a node, a pod or apiserver';
  }
}

function scriptFor(place: Place | undefined): string {
  const usage = place === undefined ? 'sh collect.sh NODE [FOLDER]' : 'sh collect.sh [FOLDER]';
  const [request, aboutFile] = place?.about ?? ABOUT_NODE;
  const argument = place === undefined ? '2' : '1';
  const setUp =
    place === undefined
      ? `[ $# -ge 1 ] || { echo "usage: ${usage}" >&2; exit 2; }
case $1 in '' | *[!a-z0-9.-]*) echo "$1 is not a valid node name" >&2; exit 2 ;; esac
name=$1
base=/api/v1/nodes/$name/proxy`
      : `name=${place.name}
base=${place.base}`;
  return `#!/bin/sh
# Takes evidence of a leak in a Go process through the Kubernetes API: metrics, goroutines and heap, twice.
#
#   ${usage}
#   oakum analyze NAME-TIME.tar.gz            on any machine, or: oakum bundle NAME-TIME.tar.gz -o FILE
#
# Needs kubectl with: ${place?.needs ?? 'get nodes, nodes/proxy'}. A right to nodes/proxy or pods/proxy allows far
# more than reading: use an identity that exists for this run only. The script only reads, and never asks for command
# lines, environments, secrets or logs.
# GAP: seconds between the two sets (300). TIMEOUT: seconds that one request may take (60).
set -eu
umask 077
LC_ALL=C
export LC_ALL
${setUp}
gap=\${GAP:-300}
timeout=\${TIMEOUT:-60}
cd "\${${argument}:-.}"
start=$(date +%s)
out=$name/$start
mkdir -p "$out"

# take KIND EXTENSION PATH: one file of at most 80 MiB (163840 blocks of 512 bytes). A failure is noted, and the
# script goes on.
take() {
  file=$out/$1-$(date +%s).$2
  if (ulimit -f 163840 && kubectl get --raw "$base/$3" --request-timeout="\${timeout}s") \\
    >"$file" 2>"$out/error" </dev/null; then
    echo "took $file" >&2
  else
    echo "could not take $3: $(head -n 1 "$out/error")" | tee -a "$out/not-taken.txt" >&2
    rm -f "$file"
  fi
  rm -f "$out/error"
}

# goroutines: how many there were in the last metrics, or nothing.
goroutines() {
  cat "$out"/metrics-*.prom 2>/dev/null | awk '$1 == "go_goroutines" { n = int($2) } END { if (n) print n }'
}

take_set() {
  take metrics prom metrics
  take goroutine pb.gz debug/pprof/goroutine
  take goroutine-d1 txt 'debug/pprof/goroutine?debug=1'
  take heap pb.gz debug/pprof/heap
  # Writing every stack in full stops the process, so take it only if there are few.
  count=$(goroutines)
  if [ -n "$count" ] && [ "$count" -lt 10000 ]; then
    take goroutine-d2 txt 'debug/pprof/goroutine?debug=2'
  else
    echo "left out goroutine?debug=2: \${count:-an unknown number of} goroutines" | tee -a "$out/not-taken.txt" >&2
  fi
}

about=$out/${aboutFile}
kubectl ${request} -o json --request-timeout="\${timeout}s" >"$about" 2>/dev/null </dev/null || rm -f "$about"
take_set
echo "waiting \${gap}s for the second set; the first set is in $out" >&2
sleep "$gap"
take_set
tar -czf "$name-$start.tar.gz" "$out"
echo "$name-$start.tar.gz"
`;
}
