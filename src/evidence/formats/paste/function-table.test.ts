import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { CONFORMANCE, missingData } from '../../../../test/conformance/places.ts';
import { type FunctionTable, readFunctionTable } from './function-table.ts';
import { unwrapText } from './unwrap.ts';

function read(text: string): FunctionTable[] {
  const lines = unwrapText(text);
  const found: FunctionTable[] = [];
  for (let at = 0; at < lines.length;) {
    const reading = readFunctionTable(lines, at);
    if (reading !== undefined) found.push(reading.piece);
    at = reading?.next ?? at + 1;
  }
  return found;
}

const MIB = 1024 ** 2;
const TOP = `File: etcd
Type: inuse_space
Time: Jan 6, 2020 at 2:07pm (UTC)
Showing nodes accounting for 30MB, 75% of 40MB total
Dropped 5 nodes (cum <= 0.20MB)
      flat  flat%   sum%        cum   cum%
      20MB 50.00% 50.00%       30MB 75.00%  main.(*store).put (inline)
      10MB 25.00% 75.00%       10MB 25.00%  main.newIndex
         0     0% 75.00%       30MB 75.00%  main.main
`;
const ROWS = [
  { name: 'main.(*store).put', flat: 20 * MIB, cum: 30 * MIB },
  { name: 'main.newIndex', flat: 10 * MIB, cum: 10 * MIB },
  { name: 'main.main', flat: 0, cum: 30 * MIB },
];

describe('pprof -top', () => {
  it('is read with what its header says', () => {
    const [table, ...more] = read(TOP);
    assert.equal(more.length, 0);
    assert.deepEqual(table?.rows, ROWS);
    const { binary, sampleType, unit, total, isDiff, report } = table ?? {};
    assert.deepEqual(
      [binary, sampleType, unit, total, isDiff, report],
      ['etcd', 'inuse_space', 'bytes', 40 * MIB, false, 'top'],
    );
  });

  it('is read in every form that people paste', () => {
    const rows = TOP.slice(TOP.indexOf('      20MB'));
    const glued = rows.replace('\n', ' ');
    const prompt = TOP.replace('Showing', '(pprof) top10\nShowing');
    const old = `30MB of 40MB total (75.00%)\n${TOP.slice(TOP.indexOf('      flat'))}`;
    const markdown = rows
      .trimEnd()
      .replace(/^ *(\S+) +(\S+) +(\S+) +(\S+) +(\S+) +(.*)$/gm, '| $1 | $2 | $3 | $4 | $5 | $6 |');
    for (const text of [rows, glued, prompt, old, markdown, TOP.replace(/^/gm, '> ')]) {
      assert.deepEqual(read(text)[0]?.rows, ROWS, text);
    }
  });

  it('keeps a difference and counts', () => {
    const [diff] = read('     -20MB 50.00% 50.00%     -30MB 75.00%  main.put\n');
    assert.deepEqual([diff?.isDiff, diff?.rows[0]?.flat], [true, -20 * MIB]);
    const [counts] = read(
      'Type: goroutine\nShowing nodes accounting for 1963, 99.90% of 1965 total\n      1963 99.90% 99.90%       1963 99.90%  runtime.gopark\n',
    );
    assert.deepEqual([counts?.unit, counts?.total, counts?.rows[0]?.flat], ['count', 1965, 1963]);
  });

  it('tells that rows or the last row are missing', () => {
    assert.deepEqual(read(TOP.slice(0, TOP.indexOf('      flat')))[0]?.notes, ['its rows were not pasted']);
    assert.deepEqual(read(TOP.slice(0, TOP.indexOf('25.00%  main.newIndex')))[0]?.notes, ['its last row is cut']);
  });

  it('begins again at the next report', () => {
    assert.equal(read(TOP + TOP.replaceAll('20MB', '25MB')).length, 2);
  });
});

describe('other reports', () => {
  it('tree has the rows of its nodes', () => {
    const tree = `Showing nodes accounting for 30MB, 75% of 40MB total
----------------------------------------------------------+-------------
      flat  flat%   sum%        cum   cum%   calls calls% + context
----------------------------------------------------------+-------------
                                              30MB   100% |   main.main
      20MB 50.00% 50.00%       30MB 75.00%                | main.(*store).put
                                              10MB 33.33% |   main.newIndex
----------------------------------------------------------+-------------
`;
    assert.deepEqual(
      read(tree).map(({ report, rows }) => [report, rows]),
      [['tree', ROWS.slice(0, 1)]],
    );
  });

  it('list has its routines', () => {
    const list = `Total: 40MB
ROUTINE ======================== main.(*store).put in /src/main.go
      20MB       30MB (flat, cum) 75.00% of Total
         .          .     10:func (s *store) put() {
      20MB       30MB     11:\ts.all = append(s.all, x)
`;
    assert.deepEqual(
      read(list).map(({ report, rows, total }) => [report, rows, total]),
      [['list', ROWS.slice(0, 1), 40 * MIB]],
    );
  });

  it('traces and raw have stacks', () => {
    const traces = `Type: inuse_space
-----------+-------------------------------------------------------
     bytes:  64kB
      20MB   main.(*store).put
             main.main
-----------+-------------------------------------------------------
`;
    assert.deepEqual(read(traces)[0]?.stacks, [{ frames: ['main.(*store).put', 'main.main'], value: 20 * MIB }]);
    const raw = `PeriodType: space bytes
Period: 524288
Samples:
inuse_objects/count inuse_space/bytes[dflt]
         2       2048: 1 2
Locations
     1: 0x40a6a5 M=1 main.put /src/main.go:12:0 s=10
     2: 0x40a6b5 M=1 main.main /src/main.go:4:0 s=3
Mappings
`;
    assert.deepEqual(read(raw)[0]?.stacks, [{ frames: ['main.put', 'main.main'], value: 2048 }]);
    assert.deepEqual(read(raw)[0]?.rows, [
      { name: 'main.put', flat: 2048, cum: 2048 },
      { name: 'main.main', flat: 0, cum: 2048 },
    ]);
  });

  it('traces keep their unit where most values are zero', () => {
    const rule = '-----------+-------------------------------------------------------\n';
    const zero = `${rule}         0   main.a\n             main.main\n`;
    const [table] = read(
      `Type: inuse_space\n${zero.repeat(5)}${rule}      20MB   main.put\n             main.main\n${rule}`,
    );
    assert.deepEqual([table?.unit, table?.stacks.length, table?.rows[0]?.flat], ['bytes', 1, 20 * MIB]);
  });

  it('counts of stacks are read, a list of files is not', () => {
    const counted =
      '   1234 k8s.io/client-go/tools/cache.(*processorListener).pop(0xc000)\n     12 net/http.(*conn).serve(0xc0)\n';
    assert.deepEqual(
      read(counted)[0]?.rows.map(({ name, flat }) => [name, flat]),
      [
        ['k8s.io/client-go/tools/cache.(*processorListener).pop', 1234],
        ['net/http.(*conn).serve', 12],
      ],
    );
    assert.deepEqual(read('  12 files\n  13 folders\n'), []);
  });
});

describe('the reports of go tool pprof', { skip: missingData() ?? false }, () => {
  const cases =
    missingData() === undefined
      ? readFileSync(join(CONFORMANCE, 'CASES.tsv'), 'utf8')
          .trim()
          .split('\n')
          .slice(1)
          .map(line => line.split('\t'))
      : [];
  const reports = cases
    .filter(([, kind = '']) => /^(?:top|tree|peek|traces|raw)/.test(kind))
    .map(([, kind = '', golden = '']) => ({ kind, text: readFileSync(join(CONFORMANCE, golden), 'utf8') }));
  const nameOf = (cells: string): string => cells.trim().replace(/ \((?:partial-)?inline\)$/, '');

  /** The names in the rows, by the columns: five fields and a name. */
  function namesIn(kind: string, text: string): string[] {
    const lines = text.split('\n');
    if (!kind.startsWith('top')) {
      const isNode = /^ *\S+ +\S+% +\S+% +\S+ +\S+% +\| /;
      return lines.filter(line => isNode.test(line)).map(line => nameOf(line.slice(line.indexOf('| ') + 2)));
    }
    const header = lines.findIndex(line => /^ +flat +flat%/.test(line));
    const rows = header < 0 ? [] : lines.slice(header + 1).filter(line => line.trim() !== '');
    return rows.map(line => nameOf(line.replace(/^ *(?:\S+ +){4}\S+/, '')));
  }

  it('have their functions, 95 of 100 at least', () => {
    const listed = reports.filter(({ kind }) => /^(?:top|tree|peek)/.test(kind));
    const wrong = listed.filter(({ kind, text }) => {
      const names = new Set(namesIn(kind, text));
      const read_ = read(text);
      const found = new Set(read_.flatMap(({ rows }) => rows.map(({ name }) => name)));
      return read_.length !== 1 || names.size !== found.size || [...names].some(name => !found.has(name));
    });
    assert.ok(listed.length > 700 && wrong.length <= listed.length * 0.05, `${wrong.length} of ${listed.length}`);
  });

  const values = (text: string): string =>
    JSON.stringify(read(text).map(({ rows, stacks, total, unit }) => [rows, stacks, total, unit]));

  it('have the same values fenced, quoted, indented, escaped and with other line ends', () => {
    for (const { text } of reports.filter((_, i) => i % 7 === 0)) {
      const wanted = values(text);
      const variants = [
        `\`\`\`\n${text}\`\`\`\n`,
        text.replace(/^/gm, '> '),
        text.replace(/^/gm, '    '),
        JSON.stringify(text),
        text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
        text.replaceAll('\n', '\r\n'),
      ];
      for (const variant of variants) assert.equal(values(variant), wanted, text.slice(0, 300));
    }
  });

  it('have no wrong value where they are cut', () => {
    const listed = reports.filter(({ kind }, i) => /^(?:top|tree|peek)/.test(kind) && i % 5 === 0);
    for (const [i, { text }] of listed.entries()) {
      const whole = new Map(
        read(text).flatMap(({ rows }) => rows.map(row => [row.name, JSON.stringify(row)] as const)),
      );
      const cut = read(text.slice(0, Math.floor((text.length * ((i % 97) + 1)) / 98))).flatMap(({ rows }) => rows);
      for (const row of cut.slice(0, -1)) assert.equal(JSON.stringify(row), whole.get(row.name));
    }
  });
});
