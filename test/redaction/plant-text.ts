/** Text members with a secret in every place that can hold one. `next` gives another secret, as it is to be written. */
import { asIdentifier } from './secrets.ts';

export type NextSecret = () => string;

const oneLine = (text: string): string => text.replace(/[\n\r]/g, ' ');
const quoted = (text: string): string => JSON.stringify(text);
const inLabel = (text: string): string => text.replace(/[\\"\n]/g, char => (char === '\n' ? '\\n' : `\\${char}`));

/** Lines that other programs write to the same stderr. */
export function logLine(next: NextSecret, form: number): string {
  const forms = [
    `E1116 06:00:00.123456       1 sync.go:212] "Could not sync" token="${next()}" for=${next()} (attempt 2)`,
    `time="2026-11-16T06:00:00Z" level=error msg="dial ${next()} failed" user=${next()}`,
    `{"level":"error","ts":1794772000.1,"msg":"login","password":"${next()}","${next()}":true}`,
    `2026/11/16 06:00:00 http: TLS handshake error from ${next()}: EOF`,
    `${next()}`,
    `retrying ${next()}(0x1)`,
    `Authorization: ${next()} (${next()})`,
    `panic: ${next()} [recovered]`,
  ];
  return oneLine(forms[form % forms.length]);
}

/** A debug=2 dump with log lines between its lines, and labels, arguments and paths that name things. */
export function plantedDebug2(dump: string, next: NextSecret): string {
  let seen = 0;
  const lines = dump.split('\n').flatMap((line, i) => {
    const out = [line];
    if (seen < 24 && i % 7 === 3) out.push(logLine(next, seen++));
    if (i % 397 === 50) out.push('', logLine(next, i), '');
    return out;
  });
  const more = `
goroutine 900001 [chan receive, 5 minutes] {${quoted('controller')}: ${quoted(next())}, ${quoted(next())}: ${quoted(next())}}:
main.leak(0xc000116000, {0x4991f4?, 0x2a})
	/home/${oneLine(next())}/src/main.go:21 +0x35
main.other(...)
	/src/m.go:7 ${oneLine(next())}.go:30
created by main.start ${oneLine(next())} in goroutine 1
	/src/main.go:9 +0x1d

goroutine 900002 [${oneLine(next()).replace(/[[\],]/g, ' ')}, 2 minutes]:
main.f token=${oneLine(next())}(0x1)
	/src/main.go:9 +0x1d
${oneLine(next())}
	/src/x.c:4 pc=0x7f01
created by main.start in goroutine 1
	/src/main.go:9 +0x1d
`;
  return `fatal error: ${oneLine(next())}\n${next()}\n\n${lines.join('\n')}\n${more}\nrax 0x1\n${next()}\n`;
}

export function plantedDebug1(dump: string, next: NextSecret): string {
  return `${dump}
1 @ 0x1 0x2
# labels: {"controller":${quoted(next())}, ${quoted(next())}:"x"}
#	0x1	main.leak+0x1	/home/${oneLine(next())}/main.go:7
#	0x2	token=${oneLine(next()).replace(/\t/g, ' ')}+0x1	/src/main.go:9
# ${next()}

${next()}
`;
}

export function plantedHeapText(next: NextSecret): string {
  return `heap profile: 1: 8 [1: 8] @ heap/1048576
1: 8 [1: 8] @ 0x1
#	0x1	main.keep+0x1	/home/${oneLine(next())}/main.go:3
#	0x1	token=${oneLine(next())}+0x1	/src/main.go:3
${oneLine(next())}

# runtime.MemStats
# Alloc = 5
# ${asIdentifier(next()).slice(0, 18)} = 12
# ${next()}
MAPPED_LIBRARIES:
1-2 r-xp 0 0 0 ${next()}
`;
}

export function plantedMetrics(text: string, next: NextSecret): string {
  return `# HELP go_goroutines ${next()}
# TYPE go_goroutines ${next()}
# ${next()}
${text.trimEnd()}
kube_pod_info{node="${inLabel(next())}",pod="${inLabel(next())}",code="${inLabel(next())}"} 1 # {trace_id="${inLabel(next())}"} 1
kube_pod_labels{label_${asIdentifier(next())}="${inLabel(next())}"} 1
kube_node_info{${asIdentifier(next())}="x",version="${inLabel(next())}",kernel_version="${inLabel(next())}"} 1
app_build_info{version="${inLabel(next())}",git_version="1.2.3-${inLabel(next())}",git_commit="${inLabel(next())}"} 1
kubernetes_feature_enabled{name="${inLabel(next())}",stage="${inLabel(next())}"} 1
rest_client_requests_total{code="200",host="${inLabel(next())}",method="${inLabel(next())}",verb="${inLabel(next())}"} 3
kubelet_evictions{eviction_signal="${inLabel(next())}"} 1
{"${inLabel(next())}","${inLabel(next())}"="x"} 4
broken{a=${next()}} 1
${next()}
# EOF
`;
}

/** Marks between scrapes with the node in them. */
export function plantedScrapes(next: NextSecret): string {
  const mark = (at: number): string =>
    `# LAB scrape ts=${at} node=${encodeURIComponent(next())} path=/metrics/${encodeURIComponent(next())} status=200 who=${encodeURIComponent(next())}`;
  return `${mark(1794772000)}\ngo_goroutines 5\n${mark(1794772060)}\ngo_goroutines 6\n# LAB scrape ts=1794772100 node=x status=500\n${next()}\n`;
}

export function plantedFolded(next: NextSecret): string {
  return `main.main;main.work;token=${oneLine(next()).replace(/[; ]/g, '+')} 7\nmain.main;${oneLine(next()).replace(/[; ]/g, '+')}@x 3\n`;
}
