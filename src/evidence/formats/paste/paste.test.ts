import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Level } from './level.ts';
import { readLevelTable } from './level-tables.ts';
import { looksPasted, type Paste, readPaste } from './paste.ts';
import { unwrapText } from './unwrap.ts';

const KIB = 1024;
const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

function levels(text: string): Level[] {
  return readPaste(text).pieces.filter(piece => piece.kind === 'level');
}

/** `resident kubelet 1024` */
function told(text: string): string[] {
  return levels(text).map(({ of, subject, value }) =>
    [of, subject, Math.round(value)].filter(part => part !== '').join(' '),
  );
}

describe('tables of numbers', () => {
  it('top, with and without units, also of busybox, without its tools', () => {
    const top = `top - 00:46:48 up 14:45,  0 users
  PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
    1 root      20   0   10.1g   5.2g  66572 S 165.8   4.1   1413:06 our-daemon
   39 root      20   0    6104   3288   2776 R   0.3   0.0   0:00.01 top
`;
    assert.deepEqual(told(top), [
      `resident our-daemon ${Math.round(5.2 * GIB)}`,
      `virtual our-daemon ${Math.round(10.1 * GIB)}`,
    ]);
    const busybox = `  PID     VSZ  VSZRW   RSS (SHR) DIRTY (SHR) STACK COMMAND
    1   5445m   114m  129m    20 72384     0   132 our-daemon --x
`;
    assert.deepEqual(told(busybox).slice(0, 1), [`resident our-daemon ${129 * MIB}`]);
  });

  it('ps, with a header of any columns and without one', () => {
    const aux = 'root      6941  4.5 41.8 3681268 3354264 ?     Sl   Apr30 727:30 /usr/bin/our-daemon --flag\n';
    const wanted = [`resident our-daemon ${3354264 * KIB}`, `virtual our-daemon ${3681268 * KIB}`];
    assert.deepEqual(told(aux), wanted);
    assert.deepEqual(told(`USER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n${aux}`), wanted);
    assert.deepEqual(told('  PID   RSS CMD\n   12  2048 our-daemon\n'), [`resident our-daemon ${2 * MIB}`]);
  });

  it('kubectl top, of pods, of containers and without a header', () => {
    assert.deepEqual(told('NAME   CPU(cores)   MEMORY(bytes)\nweb-0   1m   6Mi\n'), [`working set web-0 ${6 * MIB}`]);
    assert.deepEqual(told('POD    NAME   CPU(cores)   MEMORY(bytes)\nweb-0  app   89m   7733Mi\n'), [
      `working set web-0/app ${7733 * MIB}`,
    ]);
    assert.deepEqual(told('web-0      75m          2811Mi   \nweb-1      78m          3101Mi\n'), [
      `working set web-0 ${2811 * MIB}`,
      `working set web-1 ${3101 * MIB}`,
    ]);
  });

  it('docker stats, with the limit', () => {
    assert.deepEqual(
      told(
        'CONTAINER ID   NAME   CPU %   MEM USAGE / LIMIT   MEM %\n0123456789ab   app   1.50%   512MiB / 2GiB   25.00%   1kB / 2kB\n',
      ),
      [`working set app ${512 * MIB}`, `limit app ${2 * GIB}`],
    );
  });

  it('/proc/PID/status, and a line or two of it', () => {
    const status =
      'Name:\tour-daemon\nUmask:\t0022\nVmHWM:\t  300 kB\nVmRSS:\t  200 kB\nRssAnon:\t 150 kB\nRssFile:\t 50 kB\nThreads:\t12\n';
    assert.deepEqual(told(status), [
      `peak resident our-daemon ${300 * KIB}`,
      `resident our-daemon ${200 * KIB}`,
      `anonymous our-daemon ${150 * KIB}`,
      `file pages our-daemon ${50 * KIB}`,
      'threads our-daemon 12',
    ]);
    assert.deepEqual(told('VmRSS:\t13785130 kB\nThreads:\t1350\n'), [`resident ${13785130 * KIB}`, 'threads 1350']);
  });

  it('pmap with and without its total', () => {
    const rows =
      '12:   /usr/bin/our-daemon\nAddress           Kbytes     RSS   Dirty Mode  Mapping\n0000000000400000      20      12       0 r-x-- our-daemon\n0000000000500000      20      10       0 r---- our-daemon\n';
    assert.deepEqual(told(rows), [`resident our-daemon ${22 * KIB}`]);
    assert.match(readPaste(rows).notes.join(), /without its total/);
    assert.deepEqual(told(`${rows}total kB             100      80       4\n`), [`resident our-daemon ${80 * KIB}`]);
  });

  it('kubectl describe: limits, restarts and the end of the last container', () => {
    const text =
      '    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n    Restart Count:  7\n    Limits:\n      cpu:     1\n      memory:  512Mi\n    Requests:\n      memory:  64Mi\n';
    assert.deepEqual(told(text), ['restarts 7', `limit ${512 * MIB}`]);
    assert.match(readPaste(text).notes.join(), /OOM-killed/);
  });

  it('CSV of Grafana, as samples with times', () => {
    const csv = '"Time","go_goroutines pod=""web-0"""\n2026-11-19 10:00:00,310\n2026-11-19 10:01:00,320\n';
    assert.deepEqual(
      levels(csv).map(({ of, value, stamp }) => [of, value, stamp.kind]),
      [
        ['goroutines', 310, 'local'],
        ['goroutines', 320, 'local'],
      ],
    );
  });

  it('rows of top alone, free and memory.stat', () => {
    assert.deepEqual(told('22991 root 20 0 28.2g 13.1g 23268 S 90.2 19.1 17415:15 our-daemon\n').slice(0, 1), [
      `resident our-daemon ${Math.round(13.1 * GIB)}`,
    ]);
    const free =
      '$ free -m\n              total        used        free      shared  buff/cache   available\nMem:          16000        9000        2000           1        5000        6000\n';
    assert.deepEqual(told(free), [`memory the node ${9000 * MIB}`, `limit the node ${16000 * MIB}`]);
    assert.deepEqual(told('anon 1048576\nfile 2097152\nkernel_stack 4096\nslab 8192\n'), [
      `anonymous ${MIB}`,
      `file pages ${2 * MIB}`,
    ]);
  });

  it('free without its command, by what a node may have', () => {
    const free = (used: number, total: number): string[] =>
      told(`     total   used   free   shared\nMem:  ${total}  ${used}  1  1\n`);
    assert.deepEqual(free(60112, 64216), [`memory the node ${60112 * MIB}`, `limit the node ${64216 * MIB}`]);
    assert.deepEqual(free(58, 62), [`memory the node ${58 * GIB}`, `limit the node ${62 * GIB}`]);
    assert.deepEqual(free(7_000_000, 8_000_000)[0], `memory the node ${7_000_000 * KIB}`);
  });

  it('the last line of pmap alone', () =>
    assert.deepEqual(told('total kB         9876543 8012344 7999999\n'), [`resident ${8012344 * KIB}`]));

  it('CSV with a column for each pod, whose cells have units', () =>
    assert.deepEqual(told('"Time","etcd-0","share"\n"2026-01-10 00:00:00","2 GiB","0.4"\n'), [
      `memory etcd-0 ${2 * GIB}`,
    ]));

  it('Markdown with a time and named columns', () =>
    assert.deepEqual(
      told('| Time | Goroutines | RSS |\n|---|---|---|\n| 10:00 | 1,203 | 412 MiB |\n| 11:00 | 2,310 | 612 MiB |\n'),
      ['goroutines 1203', `resident ${412 * MIB}`, 'goroutines 2310', `resident ${612 * MIB}`],
    ));

  it('nodes of kubectl top, and crictl stats', () => {
    assert.deepEqual(told('NAME  CPU(cores)  CPU%  MEMORY(bytes)  MEMORY%\nw-1  812m  20%  28412Mi  91%\n'), [
      `working set the node w-1 ${28412 * MIB}`,
    ]);
    assert.deepEqual(
      told('CONTAINER  NAME  CPU %  MEM  DISK  INODES\n1a2b3c4d5e6f7  our-daemon  1.20  3GB  12.3kB  12\n'),
      [`working set our-daemon ${3 * GIB}`],
    );
  });

  it('a long list that is no memory.stat, without reading on from each line', () => {
    const lines = unwrapText('ab 1\n'.repeat(1000));
    let reads = 0;
    const counted = new Proxy(lines, {
      get: (target, key) => {
        reads++;
        return Reflect.get(target, key) as unknown;
      },
    });
    lines.forEach((_, at) => assert.equal(readLevelTable(counted, at), undefined));
    assert.ok(reads < 60_000, `${reads} reads`);
  });

  it('lsof, as the lines that are there', () => {
    const line = 'our-d 5747 25760 our root *040u a_inode 0,13 0 9259 [eventfd]\n';
    assert.deepEqual(told(line.repeat(5)), ['file descriptors our-d 5']);
    assert.match(readPaste(line.repeat(5)).notes.join(), /5 of them \[eventfd\]/);
  });
});

describe('single numbers', () => {
  it('titles of profiles and the index page', () => {
    assert.deepEqual(told('** goroutine profile: total 15938 **'), ['goroutines 15938']);
    assert.deepEqual(told('993\tgoroutine\n'), ['goroutines 993']);
  });

  it('OOM kills, with and without a time', () => {
    const kill = 'Out of memory: Killed process 12 (our-daemon) total-vm:900kB, anon-rss:500kB, file-rss:20kB';
    for (const text of [kill, `[12345.678901] ${kill}`, `Nov 15 07:12:25 host kernel: ${kill}`]) {
      assert.deepEqual(
        told(text),
        [`resident our-daemon ${520 * KIB}`, `anonymous our-daemon ${500 * KIB}`, `file pages our-daemon ${20 * KIB}`],
        text,
      );
    }
  });

  it('runtime.MemStats as a comment, in braces, as JSON and of gops', () => {
    assert.deepEqual(told('# HeapAlloc = 9233720\n'), ['live heap 9233720']);
    assert.deepEqual(told('{Alloc:100 TotalAlloc:900 Sys:500 HeapIdle:50}'), [
      'live heap 100',
      'runtime memory 500',
      'heap idle 50',
    ]);
    assert.deepEqual(told('"HeapAlloc": 9233720,\n'), ['live heap 9233720']);
    assert.deepEqual(told('heap-in-use: 6.27MB (6569984 bytes)\n'), ['heap in use 6569984']);
  });

  it('Alloc and HeapAlloc as the one number that they are, and statistics in KiB', () => {
    assert.deepEqual(told('# Alloc = 100000\n# Sys = 900000\n# HeapAlloc = 100000\n'), [
      'runtime memory 900000',
      'live heap 100000',
    ]);
    assert.deepEqual(told('alloc: 97KB (100000 bytes)\nsys: 1MB (1000000 bytes)\n'), [
      'live heap 100000',
      'runtime memory 1000000',
    ]);
    assert.deepEqual(told('Alloc=812034 TotalAlloc=9912312 Sys=1923123 NumGC=1201 Goroutines=612\n'), [
      `live heap ${812034 * KIB}`,
      `runtime memory ${1923123 * KIB}`,
      'goroutines 612',
    ]);
  });

  it('traces of the collector and the scavenger', () => {
    const gc = 'gc 12 @3.412s 1%: 0.1+2.3+0.1 ms clock, 0.2+1/2/3+0.2 ms cpu, 4->5->2 MB, 5 MB goal, 4 P\n';
    assert.deepEqual(told(gc), [`live heap ${2 * MIB}`]);
    assert.deepEqual(told('scvg12: inuse: 12, idle: 3, sys: 16, released: 2, consumed: 14 (MB)\n'), [
      `heap in use ${12 * MIB}`,
      `heap idle ${3 * MIB}`,
      `heap released ${2 * MIB}`,
    ]);
  });

  it('expvar in one line', () => {
    const text = `{"cmdline":["x"],"memstats":{"Alloc":100,"TotalAlloc":900,"Sys":500,"HeapAlloc":100,"PauseNs":[${'12345,'.repeat(5000)}0]}}`;
    assert.deepEqual(told(text), ['live heap 100', 'runtime memory 500']);
  });

  it('counters by their names, in logs and on their own', () => {
    assert.deepEqual(told('goroutines = 1234'), ['goroutines 1234']);
    assert.deepEqual(told(' Goroutines: 1,234'), ['goroutines 1234']);
    assert.deepEqual(told('{"level":"info","msg":"stats","num_goroutines":77}'), ['goroutines 77']);
    assert.deepEqual(told('Nov 26 09:24:44 host a[1]: done {"cur_mem_mib": 289}'), [`memory ${289 * MIB}`]);
    assert.deepEqual(told('go_goroutines{job="a",pod="web-0"} 4355 1794772000000'), ['goroutines web-0 4355']);
    assert.deepEqual(told('go_goroutines{job="a"} => 4355 @[1794772000]'), ['goroutines a 4355']);
  });

  it('what a command counts', () => {
    assert.deepEqual(told('# lsof -p 12 | wc -l\n39240\n'), ['file descriptors 39240']);
    assert.deepEqual(
      told('$ ps -o rss -C our-daemon\n38100\n69044 <= started\n154464\n').map(text => text.split(' ')[0]),
      ['resident', 'resident', 'resident'],
    );
    assert.deepEqual(told('123456\n234567\n'), [], 'numbers of nothing');
    assert.deepEqual(told("# grep -c '^goroutine' dump.*\n/x/dump.1.log:1201\n/x/dump.2.log:4210\n"), [
      'goroutines 1201',
      'goroutines 4210',
    ]);
    assert.deepEqual(told('$ ps -o nlwp= -p 12\n  812\n'), ['threads 812']);
    const tools = levels('# lsof -p 12 | wc -l\n39240\n# ls /proc/12/fd | wc -l\n39100\n').map(({ from }) => from);
    assert.deepEqual(tools, ['the output of lsof', 'the output of ls']);
    assert.deepEqual(told("# grep -c 'chan send' stacks.log\n8711\n"), [], 'only some of the goroutines');
  });

  it('a count without a sign, and no memory of a machine', () =>
    assert.deepEqual(told('goroutine count 54321 and climbing, on an 8GB RAM node\nIts memory is fine, disk 100GB\n'), [
      'goroutines 54321',
    ]));

  it('from what to what, in a sentence', () => {
    assert.deepEqual(told('Goroutines went from 400 to 120,000.\n'), ['goroutines 400', 'goroutines 120000']);
    assert.deepEqual(told('The memory usage rose from 2 to 14GB within a week\n'), [
      `memory ${2 * GIB}`,
      `memory ${14 * GIB}`,
    ]);
    assert.deepEqual(told('goroutines from 10% to 20%, memory from 1 to 2\n'), []);
  });

  it('what a sentence says, but no limit and no rise', () => {
    assert.deepEqual(told('The pod uses 7718Mi of memory.'), [`memory ${7718 * MIB}`]);
    assert.deepEqual(told('pprof shows that inuse_space is 360MB.'), [`live heap ${360 * MIB}`]);
    assert.deepEqual(told('It has a memory limit of 2Gi, and memory increased by 35MB.'), []);
    assert.deepEqual(told('there were over 4000 goroutines (and increasing)'), ['goroutines 4000']);
  });

  it('a pair in a sentence and an amount of another kind beside it', () =>
    assert.deepEqual(told('It has a 512MB limit. The heap is 180MB, RSS is 490MB.\n'), [
      `resident ${490 * MIB}`,
      `live heap ${180 * MIB}`,
    ]));

  it('a row of numbers with one unit, as what the lines above say', () => {
    assert.deepEqual(told('Working set, every 10 minutes:\n\n22.5  22.5  23 MB\n'), [
      `working set ${22.5 * MIB}`,
      `working set ${22.5 * MIB}`,
      `working set ${23 * MIB}`,
    ]);
  });
});

describe('readPaste', () => {
  const dump = (id: number): string => `\`\`\`\ngoroutine ${id} [select]:\nmain.run()\n\t/src/a.go:1 +0x1\n\`\`\`\n`;
  const stacks = ({ pieces }: Paste): string[] =>
    pieces.flatMap(piece => (piece.kind === 'stacks' ? [piece.text] : []));

  it('joins blocks of one dump', () => assert.equal(stacks(readPaste(`${dump(1)}and\n${dump(2)}`)).length, 1));

  it('counts what the blocks of one profile hold together', () => {
    const row = (count: number): string => `${count} @ 0x1 0x2\n#\t0x1\tmain.a+0x1\t/src/a.go:${count}\n`;
    const notesOf = (total: number): readonly string[] =>
      readPaste(`goroutine profile: total ${total}\n${row(300)}\nand also\n\n${row(700)}`).pieces.flatMap(piece =>
        piece.kind === 'stacks' ? piece.notes : [],
      );
    assert.ok(!notesOf(1000).some(note => note.endsWith('were pasted')));
    assert.ok(notesOf(1500).includes('1,000 of 1,500 goroutines were pasted'));
  });

  it('keeps two dumps apart: before and after, or the same goroutine again', () => {
    assert.equal(stacks(readPaste(`Before:\n${dump(1)}After an hour:\n${dump(2)}`)).length, 2);
    assert.equal(stacks(readPaste(`${dump(1)}${dump(1)}`)).length, 2);
    const profile = 'goroutine profile: total 1\n1 @ 0x1\n#\t0x1\tmain.a+0x1\t/a.go:1\n';
    assert.equal(stacks(readPaste(`${profile}\n${profile}`)).length, 2);
  });

  it('keeps what is around the evidence', () => {
    const { prose } = readPaste(`We run etcd 3.5.9.\n${dump(1)}`);
    assert.equal(prose, 'We run etcd 3.5.9.');
  });

  it('reads a header and its rows from two blocks', () => {
    const text =
      'File: etcd\nType: inuse_space\nShowing nodes accounting for 30MB, 75% of 40MB total\n```\nand the rows:\n```\n  20MB 50.00% 50.00%  30MB 75.00%  main.put\n';
    const [table] = readPaste(text).pieces;
    assert.ok(table?.kind === 'functions');
    assert.deepEqual([table.binary, table.total, table.rows.length], ['etcd', 40 * MIB, 1]);
  });
});

describe('looksPasted', () => {
  it('knows a paste from what a tool wrote', () => {
    assert.ok(!looksPasted('goroutine profile: total 1\n1 @ 0x1\n#\t0x1\tmain.a+0x1\t/a.go:1\n'));
    assert.ok(!looksPasted('goroutine 1 [select]:\nmain.a(0xc0)\n\t/a.go:1 +0x1\n'));
    for (const text of [
      '```\ngoroutine 1 [a]:',
      '> goroutine 1 [a]:',
      '1 @ 0x1\n0x1 main.a+0x1 /a.go:1',
      '[root@h ~]# cat dump\n',
      'main.a(&lt;nil&gt;)',
    ])
      assert.ok(looksPasted(text), text);
  });
});
