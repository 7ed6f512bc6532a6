import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { displayWidth } from '../../base/text-layout.ts';
import type { TopFrame, TopGoroutines } from './top.ts';
import { frameText, drawScreen, pageRowsOf } from './screen.ts';
import { FIRST_VIEW, rowsOf, type View, withKey } from './view.ts';
import { ANSI } from '../../report/layout.ts';

const family = (title: string, changes: Partial<TopGoroutines> = {}): TopGoroutines => ({
  family: `g-${title}`,
  title,
  frames: [title, 'main.start'],
  places: ['app/main.go:37', null],
  perMinute: 0,
  verdict: null,
  cause: null,
  count: 1,
  wait: 'select',
  longestWaitMinutes: null,
  ages: null,
  createdBy: 'main.start',
  createdAt: 'app/main.go:9',
  owner: 'main',
  labels: [],
  ...changes,
});

const FRAME: TopFrame = {
  schema: 'oakum.top/v1',
  target: 'http://localhost:6060',
  at: '2026-11-16T12:00:00.000Z',
  samples: 7,
  seconds: 35,
  verdict: 'leak',
  sentence: 'localhost:6060 leaks goroutines: main.forward.',
  process: {
    version: 'v1.2.3',
    upSeconds: 3600,
    goroutines: 5529,
    goroutinesPerMinute: 120,
    liveBytes: 52 * 2 ** 20,
    liveBytesPerMinute: null,
    residentBytes: 90 * 2 ** 20,
  },
  goroutines: [
    family('main.forward', {
      count: 5120,
      perMinute: 120,
      verdict: 'leak',
      cause: 'A send that nobody receives',
      wait: 'chan send',
      longestWaitMinutes: 12,
      ages: { shape: 'steady', binMinutes: 1, bins: [1, 9, 8, 8, 8, 8, 9, 8, 8, 8, 9, 8] },
      labels: [{ labels: { controller: 'gc' }, count: 5000 }],
    }),
    family('main.idle ← select', { count: 200, perMinute: null, longestWaitMinutes: 300 }),
    ...Array.from({ length: 40 }, (_, i) => family(`main.worker${i}`, { count: 40 - i })),
  ],
  heap: [
    {
      family: 'h-1',
      title: 'main.openSession',
      frames: ['main.openSession'],
      places: ['app/main.go:71'],
      perMinute: 3 * 2 ** 20,
      verdict: null,
      cause: null,
      bytes: 20 * 2 ** 20,
      objects: 12_345,
      retainedShare: 1,
    },
  ],
  labels: [{ labels: { controller: 'gc' }, count: 5000, perMinute: 118, families: 2 }],
  notes: [],
};

const SMALL = { columns: 80, rows: 24 };
const OPTIONS = { everySeconds: 5 };

function keys(...pressed: string[]): View {
  return pressed.reduce((view, key) => withKey(view, key, FRAME, pageRowsOf(SMALL)), FIRST_VIEW);
}

function drawn(view: View, size = SMALL): string[] {
  return drawScreen(FRAME, view, size, OPTIONS);
}

describe('the screen of top', () => {
  it('says that it measures until there is an answer, with what rises', () => {
    const measuring: TopFrame = {
      ...FRAME,
      verdict: 'unknown',
      sentence: 'nothing that was compared grows, but not everything was judged.',
      samples: 5,
      seconds: 20,
      process: { ...FRAME.process, goroutinesPerMinute: 248, liveBytesPerMinute: -5 },
    };
    const shown = frameText(measuring, { width: 120, rows: 5 });
    assert.match(
      shown,
      /^MEASURING {2}5 samples in 20s: too little for an answer yet\. Meanwhile goroutines \+248\/min, which may be load\.\n/,
    );
    assert.ok(!shown.includes('nothing'));
    const calm = { ...measuring, seconds: 700, process: { ...measuring.process, goroutinesPerMinute: 0 } };
    assert.match(frameText(calm, { width: 120, rows: 5 }), /^UNKNOWN {2}nothing that was compared grows/);
  });

  it('has the verdict on top, then the process, then rows, then the keys', () => {
    assert.deepEqual(drawn(FIRST_VIEW).slice(0, 7), [
      'LEAK  localhost:6060 leaks goroutines: main.forward.',
      '      ',
      'http://localhost:6060  5,529 goroutines +120/min  52 MiB live  90 MiB resident',
      'GOROUTINES  heap  labels   42 rows by size   every 5s',
      '    COUNT CHANGE/min AGES       WAIT      FAMILY',
      '>   5,120       +120 ▅█████ 12m chan send LEAK main.forward  A send t…y receives',
      '      200          -            select 5h main.idle',
    ]);
    assert.match(drawn(FIRST_VIEW).at(-1) ?? '', /^\? help {2}tab pane/);
  });

  it('shows names whole at 80 columns: the wait once, no empty column, without the package if need be', () => {
    const rows = [
      family('kubelet.(*podWorkers).podWorkerLoop ← chan receive', {
        wait: 'chan receive',
        verdict: 'watch',
        count: 3,
      }),
      family('transport.(*http2Server).keepalive ← select', { longestWaitMinutes: 9 }),
      family('main.other ← syscall.Read', { wait: null }),
    ].map(row => ({ ...row, perMinute: null }));
    assert.deepEqual(drawScreen({ ...FRAME, goroutines: rows }, FIRST_VIEW, SMALL, OPTIONS).slice(4, 8), [
      '    COUNT WAIT         FAMILY',
      '>       3 chan receive WATCH kubelet.(*podWorkers).podWorkerLoop',
      '        1              main.other ← syscall.Read',
      '        1 select 9m    transport.(*http2Server).keepalive',
    ]);
    const ages = { shape: null, binMinutes: 1, bins: [1, 2, 3, 4, 5, 6, 7, 9] };
    const aged = rows.map(row => ({ ...row, perMinute: 3, ages, longestWaitMinutes: 12 }));
    const long = family('(*volumeManager).WaitForAttachAndMountAndMore ← select', { perMinute: 3 });
    const shown = (goroutines: TopGoroutines[]): string[] =>
      drawScreen({ ...FRAME, goroutines }, FIRST_VIEW, SMALL, OPTIONS).slice(4, 6);
    assert.deepEqual(shown(aged), [
      '    COUNT CHANGE/min AGES         WAIT         FAMILY',
      '>       3         +3 ▁▂▃▄▅▆▇█ 12m chan receive WATCH (*podWorkers).podWorkerLoop',
    ]);
    assert.deepEqual(shown([...aged, long]), [
      '    COUNT CHANGE/min WAIT             FAMILY',
      '>       3         +3 chan receive 12m WATCH kubelet.(*podWorkers).podWorkerLoop',
    ]);
  });

  it('fits any terminal, also with a stack open, in ASCII and without colours', () => {
    for (const columns of [20, 40, 80, 200]) {
      for (const rows of [8, 24, 60]) {
        for (const view of [FIRST_VIEW, keys('enter'), keys('?'), keys('h'), keys('l'), keys('/', 'x'), keys('end')]) {
          const lines = drawScreen(FRAME, view, { columns, rows }, { ...OPTIONS, ascii: true });
          assert.equal(lines.length, rows);
          for (const line of lines) {
            assert.ok(displayWidth(line) <= columns, `${columns}: ${line}`);
            assert.match(line, /^[\x20-\x7e]*$/);
          }
        }
      }
    }
  });

  it('opens the stack of the selected row with file:line, creator and labels', () => {
    const lines = drawn(keys('enter')).join('\n');
    assert.match(lines, / {4}A send that nobody receives\n {4}main\.forward {2}app\/main\.go:37\n {4}main\.start\n/);
    assert.match(
      lines,
      /created by main\.start {2}app\/main\.go:9\n {4}5,000 with controller=gc\n {4}g-main\.forward, of main/,
    );
  });

  it('keeps the selected row in sight, and by its family when the order changes', () => {
    const view = keys('end');
    assert.ok(drawn(view).some(line => line.startsWith('> ') && line.endsWith('main.worker39')));
    const grown = {
      ...FRAME,
      goroutines: FRAME.goroutines.map(row => ({ ...row, count: row.title === 'main.worker39' ? 9999 : row.count })),
    };
    assert.match(drawScreen(grown, view, SMALL, OPTIONS)[5] ?? '', /^> {3}9,999.*main\.worker39$/);
  });

  it('sorts and filters', () => {
    const titles = (view: View): string[] =>
      rowsOf(FRAME, view).map(one => (one.pane === 'labels' ? one.key : one.row.title));
    assert.equal(titles(keys('s', 's'))[0], 'main.idle ← select');
    assert.deepEqual(titles(keys('/', 'c', 'o', 'n', 't', 'r', 'o', 'l', 'enter')), ['main.forward']);
    assert.deepEqual(titles(keys('/', 'z', 'z', 'backspace', 'backspace', 'enter')).length, 42);
    assert.match(drawn(keys('/', 'n', 'o', 'w', 'h', 'e', 'r', 'e', 'enter')).join('\n'), /no row has "nowhere"/);
    assert.deepEqual(titles(keys('l')), ['controller=gc']);
    assert.equal(keys('s', 's', 'h').sortBy, 'size', 'the heap has no waits to sort by');
  });

  it('shows no control characters of the process', () => {
    const evil = { ...FRAME, sentence: 'a\x1b[2Jb', goroutines: [family('main.\x1b]0;x\x07')] };
    assert.ok(drawScreen(evil, FIRST_VIEW, SMALL, OPTIONS).every(line => !/[\x00-\x1f]/.test(line)));
  });

  it('colours by verdict, and never by colour alone', () => {
    const [first] = drawScreen(FRAME, FIRST_VIEW, SMALL, { ...OPTIONS, style: ANSI });
    assert.ok(first?.startsWith('\x1b[1;31mLEAK\x1b[0m'));
  });
});

describe('a frame as text', () => {
  it('has all panes', () => {
    const text = frameText(FRAME, { width: 120, rows: 2 });
    assert.match(text, /^LEAK {2}localhost:6060 leaks goroutines: main\.forward\.\nhttp:.* 7 samples in 35s\n\n/);
    assert.match(text, /LEAK main\.forward {2}A send that nobody receives\n.*main\.idle\n {2}\.\.\. 40 more\n\n/);
    assert.match(text, / {5}20 MiB {5}\+3 MiB +12,345 {2}100% main\.openSession\n\n[^]* controller=gc\n$/);
  });
});
