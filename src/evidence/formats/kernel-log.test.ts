import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { OomKill } from '../cycle/cycle.ts';
import { type KernelLine, parseKernelLine, OomReports } from './kernel-log.ts';

const KIB = 1024;

function killsIn(text: string): OomKill[] {
  const reports = new OomReports();
  const lines = text.split('\n').map(line => parseKernelLine(line.trim()));
  const kills = lines.flatMap(line => (line === undefined ? [] : reports.accept(line)));
  return [...kills, ...reports.end()];
}

const MEMCG_NEW = `kubelet invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=-999
CPU: 1 PID: 989 Comm: kubelet Not tainted 5.15.0-1051-aws #56
memory: usage 2097152kB, limit 2097152kB, failcnt 911
oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/podruntime.slice,task_memcg=/podruntime.slice/kubelet.service,task=kubelet,pid=989,uid=0
Memory cgroup out of memory: Killed process 989 (kubelet) total-vm:3145728kB, anon-rss:2000000kB, file-rss:40000kB, shmem-rss:8kB, UID:0 pgtables:4800kB oom_score_adj:-999
oom_reaper: reaped process 989 (kubelet), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB`;

describe('kernel OOM reports', () => {
  it('a memcg kill since 5.0: who, whose limit, how large', () => {
    assert.deepEqual(killsIn(MEMCG_NEW), [
      {
        process: 'kubelet',
        pid: 989,
        scope: 'memcg',
        limitCgroup: '/podruntime.slice',
        processCgroup: '/podruntime.slice/kubelet.service',
        limitBytes: 2097152 * KIB,
        residentBytes: 2040008 * KIB,
        oomScoreAdj: -999,
        invokedBy: 'kubelet',
      },
    ]);
  });

  it('a global kill since 5.0', () => {
    const [kill, ...rest] =
      killsIn(`containerd-shim invoked oom-killer: gfp_mask=0x100cca(GFP_HIGHUSER_MOVABLE), order=0
oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=cri-containerd-3f.scope,mems_allowed=0,global_oom,task_memcg=/kubepods.slice/pod1,task=java,pid=7134,uid=1000
Out of memory: Killed process 7134 (java) total-vm:9kB, anon-rss:7kB, file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:1kB oom_score_adj:1000`);
    assert.deepEqual(rest, []);
    assert.deepEqual([kill.scope, kill.process, kill.pid, kill.limitCgroup], ['global', 'java', 7134, '']);
    assert.deepEqual([kill.processCgroup, kill.invokedBy], ['/kubepods.slice/pod1', 'containerd-shim']);
  });

  it('a memcg kill of 4.x, whose last line does not say so', () => {
    const [kill, ...rest] = killsIn(`kubelet invoked oom-killer: gfp_mask=0x24000c0, order=0, oom_score_adj=-999
Task in /system.slice/kubelet.service killed as a result of limit of /system.slice
memory: usage 1048576kB, limit 1048576kB, failcnt 12
Memory cgroup out of memory: Kill process 412 (kubelet) score 1974 or sacrifice child
Killed process 412 (kubelet) total-vm:2000000kB, anon-rss:1000000kB, file-rss:20000kB`);
    assert.deepEqual(rest, []);
    assert.deepEqual([kill.scope, kill.pid, kill.limitCgroup], ['memcg', 412, '/system.slice']);
    assert.deepEqual([kill.processCgroup, kill.residentBytes], ['/system.slice/kubelet.service', 1020000 * KIB]);
  });

  it('a global kill of 4.x, where a child was sacrificed', () => {
    const [kill] = killsIn(`Out of memory: Kill process 412 (kubelet) score 12 or sacrifice child
Killed process 413 (mount.nfs), UID 0, total-vm:20kB, anon-rss:10kB, file-rss:2kB, shmem-rss:0kB`);
    assert.deepEqual([kill.process, kill.pid, kill.scope], ['mount.nfs', 413, 'global']);
  });

  it('what is left of a report still tells', () => {
    const [, , , chosen, killed, reaped] = MEMCG_NEW.split('\n');
    assert.deepEqual(
      killsIn(chosen).map(({ pid, scope }) => [pid, scope]),
      [[989, 'memcg']],
    );
    assert.deepEqual(
      killsIn(killed).map(({ pid, scope }) => [pid, scope]),
      [[989, 'memcg']],
    );
    assert.deepEqual(
      killsIn(reaped).map(({ pid, scope }) => [pid, scope]),
      [[989, 'unknown']],
    );
    assert.equal(killsIn(`${chosen}\n${reaped}`).length, 1);
  });

  it('a group kill names the limit for every victim', () => {
    const kills = killsIn(`${MEMCG_NEW}
Tasks in /podruntime.slice/kubelet.service are going to be killed due to memory.oom.group set
Memory cgroup out of memory: Killed process 990 (journalctl) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB`);
    assert.deepEqual(
      kills.map(({ process, limitCgroup }) => [process, limitCgroup]),
      [
        ['kubelet', '/podruntime.slice'],
        ['journalctl', '/podruntime.slice'],
      ],
    );
    assert.equal(kills[1].processCgroup, '');
  });

  it('names with brackets and commas', () => {
    assert.equal(
      killsIn('Killed process 5 ((sd-pam)) total-vm:1kB, anon-rss:1kB, file-rss:0kB')[0].process,
      '(sd-pam)',
    );
    const line = parseKernelLine(
      'oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,oom_memcg=/a,b,task_memcg=/a,b/c,task=x,pid=1,y,pid=77,uid=0',
    ) as Extract<KernelLine, { kind: 'chosen' }>;
    assert.deepEqual(
      [line.limitCgroup, line.processCgroup, line.process, line.pid],
      ['/a,b', '/a,b/c', 'x,pid=1,y', 77],
    );
  });

  it('boots and clocks', () => {
    assert.equal(parseKernelLine('Linux version 6.1.0-28-cloud-amd64 (debian-kernel@lists.debian.org)')?.kind, 'boot');
    const clocks = [
      'rtc_cmos 00:00: setting system clock to 2026-11-15T07:12:25 UTC (1794726745)',
      'audit: type=2000 audit(1794726745.123:1): state=initialized audit_enabled=0 res=1',
    ];
    for (const line of clocks) assert.deepEqual(parseKernelLine(line), { kind: 'clock', unixSeconds: 1794726745 });
  });

  it('no limit is no number', () => {
    assert.equal(parseKernelLine('memory: usage 81920kB, limit 9007199254740988kB, failcnt 0'), undefined);
  });

  it('no order of lines and no text makes it fail; only lines that name a victim make kills', () => {
    const line = fc.oneof(fc.constantFrom(...MEMCG_NEW.split('\n')), fc.string());
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), lines => {
        const kills = killsIn(lines.join('\n'));
        const naming = lines.filter(text => /process 989|pid=989/.test(text));
        assert.ok(kills.length <= naming.length);
        for (const { pid, process } of kills) assert.deepEqual([pid, process], [989, 'kubelet']);
        assert.equal(kills.length > 0, naming.length > 0);
      }),
    );
  });
});
