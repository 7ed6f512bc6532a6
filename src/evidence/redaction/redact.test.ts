import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { concatBytes, decodeText, encodeText } from '../../base/text.ts';
import { readDebug1 } from '../../profile/formats/goroutine-text/debug1.ts';
import { readDebug2 } from '../../profile/formats/goroutine-text/debug2.ts';
import { readAny } from '../formats/read.ts';
import { ProfileBuilder } from '../../profile/profile-builder.ts';
import { packageOf, redactFunction } from './code-names.ts';
import { redactBinaryPath, redactSourcePath } from './code-paths.ts';
import { redactExposition } from './redact-exposition.ts';
import { redactGoroutineDump } from './redact-goroutine-dump.ts';
import { redactMemberPath } from './member-path.ts';
import { isHidden } from './redactor.ts';
import { explain, plainRedactor } from '../../../test/redaction/plain-redactor.ts';
import { redactCountedText } from './redact-member.ts';

const CAPTURES = fileURLToPath(new URL('../../../test/fixtures/captures/', import.meta.url));

describe('the redactor', () => {
  it('gives equal names equal tokens, and does not hide a token again', () => {
    const redactor = plainRedactor();
    const token = redactor.hide('name', 'worker-17');
    assert.ok(isHidden(token), token);
    assert.equal(redactor.hide('label', 'worker-17'), token);
    assert.equal(redactor.hide('label', token), token);
    assert.notEqual(redactor.hide('name', 'worker-18'), token);
    assert.equal(redactor.hide('name', ''), '');
    assert.deepEqual(
      [...redactor.originals],
      [
        ['worker-17', 'name'],
        ['worker-18', 'name'],
      ],
    );
    assert.deepEqual(
      [...redactor.replacements],
      [
        ['name', 2],
        ['label', 1],
      ],
    );
  });
});

describe('names of code', () => {
  it('stay, except those of private modules', () => {
    const redactor = plainRedactor(['corp.example/*', '*.internal']);
    const cases: readonly (readonly [string, string])[] = [
      ['k8s.io/client-go/rest.(*Request).Do', 'k8s.io/client-go/rest.(*Request).Do'],
      ['corp.example/pay/ledger.(*Book).Close', '<corp.example/pay/ledger>.(*Book).Close'],
      ['corp.example.org/pay.Run', 'corp.example.org/pay.Run'],
      ['git.internal/x.Run', '<git.internal/x>.Run'],
      ['sort.Slice[corp.example/pay.Entry]', 'sort.Slice[...]'],
      ['main.main', 'main.main'],
    ];
    for (const [name, expected] of cases) assert.equal(explain(redactFunction(name, '', redactor), redactor), expected);
    assert.equal(packageOf('gopkg.in/yaml%2ev3.Unmarshal'), 'gopkg.in/yaml%2ev3');
  });

  it('stay in every capture', () => {
    let count = 0;
    for (const path of textFiles(CAPTURES)) {
      const { functions, strings } = profileOf(path);
      const redactor = plainRedactor();
      for (const [row, index] of functions.name.entries()) {
        count++;
        assert.equal(redactFunction(strings[index], strings[functions.filename[row]], redactor), strings[index], path);
      }
    }
    assert.ok(count > 1000, `${count} names`);
  });

  it('are hidden if they are none', () => {
    const redactor = plainRedactor();
    for (const text of [
      'E1116 06:00:00.1 1 a.go:2] token=hunter2 for bob@corp.example ',
      '10.0.0.5',
      'hunter2hunter2',
      'db1.prod.internal',
      'eyJhbGciOi.eyJzdWIi.SflKxw',
    ]) {
      const hidden = redactFunction(text, '', redactor);
      assert.equal(explain(hidden, redactor), `<${text}>.hidden`);
      assert.equal(redactFunction(hidden, '', redactor), hidden, 'twice');
    }
  });

  it('have paths that reveal no more than the names', () => {
    const redactor = plainRedactor(['corp.example/*']);
    const cases: readonly (readonly [fn: string, path: string, expected: string])[] = [
      [
        'k8s.io/kubernetes/pkg/kubelet.Run',
        '/home/alice/go/pkg/mod/k8s.io/kubernetes@v1.36.0/pkg/kubelet/kubelet.go',
        '/home/<alice>/go/pkg/mod/k8s.io/kubernetes@v1.36.0/pkg/kubelet/kubelet.go',
      ],
      ['runtime.gopark', '/usr/local/go1.26.7/src/runtime/proc.go', '/usr/local/go1.26.7/src/runtime/proc.go'],
      ['main.main', '/build/secret-project/main.go', '/build/<secret-project>/main.go'],
      ['main.main', 'C:\\Users\\bob\\app\\main.go', 'C:\\Users\\<bob>\\<app>\\main.go'],
      // Inlined: the file belongs to another package than the name.
      ['a.io/x.Run.Do.func1', '/go/pkg/mod/b.io/y@v1.0.0/z/do.go', '/go/pkg/mod/b.io/y@v1.0.0/z/do.go'],
      ['corp.example/pay.Run', '/src/corp.example/pay/run.go', '/src/<corp.example>/<pay>/run.go'],
      ['main.main', '/srv/secret.txt', '/<srv>/<secret.txt>'],
    ];
    for (const [fn, path, expected] of cases)
      assert.equal(explain(redactSourcePath(path, fn, redactor), redactor), expected);
  });

  it('of public binaries stay', () => {
    const redactor = plainRedactor();
    for (const [path, expected] of [
      ['/usr/local/bin/kubelet', '/usr/local/bin/kubelet'],
      ['/opt/acme/bin/billing', '/opt/<acme>/bin/<billing>'],
      ['/usr/lib/x86_64-linux-gnu/libc.so.6', '/usr/lib/x86_64-linux-gnu/libc.so.6'],
      ['/opt/acme/libacme.so.1', '/opt/<acme>/<libacme>.so.1'],
      ['[vdso]', '[vdso]'],
      ['/bin/kubelet (deleted)', '/bin/kubelet (deleted)'],
    ] as const) {
      assert.equal(explain(redactBinaryPath(path, redactor), redactor), expected);
    }
  });
});

describe('paths of members', () => {
  it('keep kinds, moments and times', () => {
    const redactor = plainRedactor();
    for (const [path, expected] of [
      ['worker-17/profiles/heap-1794772585.pb.gz', '<worker-17>/profiles/heap-1794772585.pb.gz'],
      ['lab/worker-17-heap-2.pb.gz', '<lab>/<worker-17>-heap-2.pb.gz'],
      ['10.0.0.5/metrics.prom', '<10.0.0.5>/metrics.prom'],
      ['ip-10-0-0-5/t3/goroutine.debug2.txt', '<ip-10-0-0-5>/t3/goroutine.debug2.txt'],
      ['node-17/before/heap.pb.gz', '<node-17>/before/heap.pb.gz'],
      ['go1.26/kube-apiserver-heap.pb.gz', 'go1.26/kube-apiserver-heap.pb.gz'],
      ['2026-08-17T03-12/allocs.pb.gz', '2026-08-17T03-12/allocs.pb.gz'],
      ['../../etc/passwd', '<etc>/<passwd>'],
    ] as const) {
      const once = redactMemberPath(path, redactor);
      assert.equal(explain(once, redactor), expected);
      assert.equal(redactMemberPath(once, redactor), once, 'twice');
    }
  });
});

describe('metrics', () => {
  const redact = (text: string): string => {
    const redactor = plainRedactor();
    const once = concatBytes(redactExposition(encodeText(text), redactor));
    assert.deepEqual(concatBytes(redactExposition(once, redactor)), once, 'twice');
    return explain(decodeText(once), redactor);
  };

  it('keep numbers, types and fixed vocabularies', () => {
    assert.equal(
      redact(`# HELP up mentions worker-17
# TYPE prober_probe_total counter
prober_probe_total{pod="web-7f9c",probe_type="Liveness",result="successful"} 14 1794772040000
rest_client_requests_total{code="200",host="10.0.0.5:6443",method="GET"} 3
go_memstats_alloc_bytes 1.5e+07
kube_pod_labels{label_team="secret"} 1
kubernetes_feature_enabled{name="EventedPLEG",stage="ALPHA"} 1
x_bucket{le="+Inf",code="sneaky"} 2 # {trace_id="abc"} 1
not a sample
# a comment with a name
# EOF
`),
      `# TYPE prober_probe_total counter
prober_probe_total{pod="<web-7f9c>",probe_type="Liveness",result="successful"} 14 1794772040000
rest_client_requests_total{code="200",host="<10.0.0.5:6443>",method="GET"} 3
go_memstats_alloc_bytes 1.5e+07
kube_pod_labels{label_<team>="<secret>"} 1
kubernetes_feature_enabled{name="EventedPLEG",stage="ALPHA"} 1
x_bucket{le="+Inf",code="<sneaky>"} 2
# EOF
`,
    );
  });

  it('keep the marks between scrapes, and nothing of a failed scrape', () => {
    assert.equal(
      redact(`# LAB scrape ts=1794772040.001 node=worker-17 path=/metrics status=200
go_goroutines 5
# LAB scrape ts=1794772050 node=worker-17 path=/metrics status=500
# Internal Error: worker-17
secret_metric 1
`),
      `# CAPTURE scrape ts=1794772040.001 node=<worker-17> path=/metrics status=200
go_goroutines 5
# CAPTURE scrape ts=1794772050 node=<worker-17> path=/metrics status=500
`,
    );
  });

  it('keep no node called by its address, no version that is one, no metric called after a property', () => {
    assert.equal(
      redact(`# LAB scrape ts=1794772040.001 node=10.0.0.5 path=/metrics status=200
go_info{version="10.0.0.5"} 1
go_info{version="go1.26.7 X:acme"} 1
kubernetes_build_info{git_version="v1.36.0-acme"} 1
constructor{name="a"} 1
__proto__{constructor="b"} 1
`),
      `# CAPTURE scrape ts=1794772040.001 node=<10.0.0.5> path=/metrics status=200
go_info{version="<10.0.0.5>"} 1
go_info{version="go1.26.7"} 1
kubernetes_build_info{git_version="v1.36.0"} 1
constructor{name="<a>"} 1
<__proto__>{<constructor>="<b>"} 1
`,
    );
  });

  it('count series whose labels cannot be read', () => {
    assert.equal(redact('a_total{b=secret"x"} 1\n'), 'a_total{labels="<b=secret"x">"} 1\n');
  });
});

describe('goroutine dumps', () => {
  it('lose arguments, label values and folders, and nothing else', () => {
    const text = `goroutine 18 gp=0xc000102700 m=nil [chan receive (leaked), 5 minutes, locked to thread] {tenant: "acme corp"}:
main.(*listener).run(0xc000116000, {0x4991f4?, 0x2a})
	/home/alice/demo/main.go:21 +0x35 fp=0xc0007e5090 sp=0xc0007e5070 pc=0xc9e676
main.inlined(...)
	/home/alice/demo/main.go:30
...additional frames elided...
created by main.start in goroutine 1
	/home/alice/demo/main.go:9 +0x1d

`;
    const redactor = plainRedactor();
    const once = concatBytes(redactGoroutineDump(readDebug2(encodeText(text)), redactor));
    assert.equal(
      explain(decodeText(once), redactor),
      `goroutine 18 [chan receive (leaked), 5 minutes, locked to thread] {"tenant": "<acme corp>"}:
main.(*listener).run()
	/home/<alice>/<demo>/main.go:21 +0x1
main.inlined(...)
	/home/<alice>/<demo>/main.go:30 +0x1
...additional frames elided...
created by main.start in goroutine 1
	/home/<alice>/<demo>/main.go:9 +0x1

`,
    );
    assert.deepEqual(concatBytes(redactGoroutineDump(readDebug2(once), redactor)), once, 'twice');
  });

  it('lose log lines, wherever they stand', () => {
    const log = 'E1116 06:00:00.1 1 a.go:2] token=hunter2hunter2 for bob@corp.example (attempt 2)';
    const lines = [
      'goroutine 7 [select]:',
      'main.f(0x1)',
      '\t/src/m.go:7 +0x1',
      'created by main.main in goroutine 1',
      '\t/src/m.go:2 +0x1',
      '',
    ];
    for (let at = 0; at <= lines.length; at++) {
      for (const inserted of [
        log,
        `${log}\n\t/src/m.go:7 +0x1`,
        `created by ${log}`,
        `goroutine 9 [${log}]:`,
        `\t${log}.go:7`,
      ]) {
        const text = [...lines.slice(0, at), inserted, ...lines.slice(at)].join('\n');
        const redactor = plainRedactor();
        const once = concatBytes(redactGoroutineDump(readDebug2(encodeText(text)), redactor));
        assert.doesNotMatch(decodeText(once), /hunter2|corp/, `${inserted} at line ${at}`);
        assert.deepEqual(concatBytes(redactGoroutineDump(readDebug2(once), redactor)), once, 'twice');
      }
    }
  });

  it('stay recognisably cut if they were cut', () => {
    const whole = readFileSync(join(CAPTURES, 'sigquit/kubectl-get-go1.23.all.txt'));
    for (const part of [0.3, 0.5, 0.9]) {
      const cut = readDebug2(whole.subarray(0, Math.floor(whole.length * part)));
      const again = readDebug2(concatBytes(redactGoroutineDump(cut, plainRedactor())));
      assert.equal(cut.truncated === undefined, false);
      assert.equal(again.truncated === undefined, false);
      assert.equal(again.goroutines.length, cut.goroutines.length);
    }
    const debug1 = encodeText('goroutine profile: total 9\n4 @ 0x1 0x2\n#\t0x1\tmain.f+0x1\t/src/main.go:1\n');
    assert.equal(
      readDebug1(concatBytes(redactGoroutineDump(readDebug1(debug1), plainRedactor()))).truncated?.lostGoroutines,
      5,
    );
  });

  it('of all captures are read back unchanged', () => {
    let count = 0;
    for (const path of textFiles(CAPTURES)) {
      const reading = readAny(readFileSync(path));
      const { dump } = reading;
      if (dump === undefined) continue;
      count++;
      const redacted = concatBytes(redactGoroutineDump(dump, plainRedactor()));
      const again = readAny(redacted);
      assert.equal(again.format, reading.format, path);
      assert.deepEqual(tell(again.dump!), tell(dump), path);
    }
    assert.ok(count >= 8, `${count} dumps`);
  });

  /** Everything but labels and files. */
  function tell(dump: ReturnType<typeof readDebug2>): unknown {
    const { goroutines, stacks, frames, strings } = dump;
    const name = (frame: number): string => (frame < 0 ? '' : `${strings[frames.fn[frame]]}:${frames.line[frame]}`);
    return Array.from({ length: goroutines.length }, (_, row) => [
      goroutines.id[row],
      goroutines.count[row],
      strings[goroutines.state[row]],
      goroutines.waitMinutes[row],
      name(goroutines.creator[row]),
      Array.from(
        stacks.frames.subarray(stacks.frameStart[goroutines.stack[row]], stacks.frameStart[goroutines.stack[row] + 1]),
        name,
      ),
    ]);
  }
});

describe('heap, mutex and block text', () => {
  it('keep every number', () => {
    let count = 0;
    for (const path of textFiles(CAPTURES)) {
      const bytes = readFileSync(path);
      const { format, profile, memStats } = readAny(bytes);
      if (format !== 'heap-text' && format !== 'contention-text') continue;
      count++;
      const redactor = plainRedactor();
      const once = redactCountedText(decodeText(bytes), redactor);
      const again = readAny(once);
      assert.equal(again.format, format);
      assert.deepEqual(again.profile.samples.values, profile.samples.values, path);
      assert.deepEqual(again.memStats, memStats, path);
      assert.deepEqual(redactCountedText(decodeText(once), redactor), once, 'twice');
    }
    assert.ok(count >= 5, `${count} profiles`);
  });

  it('leave out the memory map and unknown lines', () => {
    const text =
      'heap profile: 1: 8 [1: 8] @ heap/1048576\n1: 8 [1: 8] @ 0x1\n#\t0x1\tmain.f+0x1\t/home/alice/main.go:3\nMAPPED_LIBRARIES:\n1-2 r-xp 0 0 0 /home/alice/app\n';
    const redactor = plainRedactor();
    const out = explain(decodeText(redactCountedText(text, redactor)), redactor);
    assert.equal(
      out,
      'heap profile: 1: 8 [1: 8] @ heap/1048576\n1: 8 [1: 8] @ 0x1\n#\t0x1\tmain.f+0x1\t/home/<alice>/main.go:3\n',
    );
  });
});

function profileOf(path: string): ReturnType<typeof readAny>['profile'] {
  try {
    return readAny(readFileSync(path)).profile;
  } catch {
    return new ProfileBuilder([]).finish();
  }
}

function textFiles(folder: string): string[] {
  return readdirSync(folder).flatMap(name => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return textFiles(path);
    return name.endsWith('.txt') && !name.endsWith('.go.txt') ? [path] : [];
  });
}
