import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEFAULT_CONFIG, REPORTS, REPORTS_WITH_PARAMETER } from './reports/config.ts';
import { FLAGS, FlagError, HelpRequest, parsePprofFlags, UNSUPPORTED_REPORTS } from './flags.ts';

const parse = (...argv: string[]): ReturnType<typeof parsePprofFlags> => parsePprofFlags(argv);

function failure(...argv: string[]): { message: string; usage: boolean } {
  try {
    parse(...argv);
  } catch (error) {
    assert.ok(error instanceof FlagError, String(error));
    return { message: error.message, usage: error.showUsage };
  }
  return assert.fail(`${argv.join(' ')}: parsed`);
}

describe("Go's flag syntax", () => {
  it('takes one dash or two, = or a blank', () => {
    for (const argv of [['-focus=x'], ['--focus=x'], ['-focus', 'x'], ['--focus', 'x']]) {
      assert.equal(parse(...argv, 'p').config.focus, 'x');
    }
    assert.equal(parse('-focus=', 'p').config.focus, '');
    assert.equal(parse('-focus=a=b', 'p').config.focus, 'a=b');
    assert.equal(parse('-focus', '-top', 'p').config.focus, '-top');
  });

  it('ends at the first word that is not a flag', () => {
    assert.deepEqual(parse('-top', 'a', '-cum').sources, ['a', '-cum']);
    assert.deepEqual(parse('-top', '--', '-x').sources, ['-x']);
    assert.deepEqual(parse('-top', '-').sources, ['-']);
  });

  it('reads booleans', () => {
    for (const text of ['1', 't', 'T', 'true', 'TRUE', 'True'])
      assert.equal(parse(`-mean=${text}`, 'p').config.mean, true);
    for (const text of ['0', 'f', 'F', 'false', 'FALSE', 'False']) {
      assert.equal(parse(`-trim=${text}`, 'p').config.trim, false);
    }
    assert.deepEqual(parse('-top', 'false', 'p').sources, ['false', 'p']);
    assert.equal(parse('-top=false', '-tree', 'p').report, 'tree');
  });

  it('reads numbers', () => {
    for (const [text, want] of [
      ['10', 10],
      ['+7', 7],
      ['-1', -1],
      ['0x1F', 31],
      ['010', 8],
      ['0o17', 15],
      ['0b101', 5],
      ['1_000', 1000],
      ['0', 0],
    ] as const) {
      assert.equal(parse(`-nodecount=${text}`, 'p').config.nodecount, want, text);
    }
    for (const [text, want] of [
      ['0.5', 0.5],
      ['.5', 0.5],
      ['1e-3', 0.001],
      ['5.', 5],
      ['-Inf', -Infinity],
      ['infinity', Infinity],
    ] as const) {
      assert.equal(parse(`-nodefraction=${text}`, 'p').config.nodefraction, want, text);
    }
    assert.ok(Number.isNaN(parse('-nodefraction=NaN', 'p').config.nodefraction));
  });

  it('takes the last value of a flag given twice', () => {
    assert.equal(parse('-focus=a', '-focus=b', 'p').config.focus, 'b');
  });

  it('fails with the messages of Go', () => {
    const cases: readonly (readonly [argv: string[], message: string])[] = [
      [['-nope', 'p'], 'flag provided but not defined: -nope'],
      [['-constructor', 'p'], 'flag provided but not defined: -constructor'],
      [['-top=maybe', 'p'], 'invalid boolean value "maybe" for -top: parse error'],
      [['-nodecount=x', 'p'], 'invalid value "x" for flag -nodecount: parse error'],
      [['-nodecount=08', 'p'], 'invalid value "08" for flag -nodecount: parse error'],
      [['-nodecount=1__0', 'p'], 'invalid value "1__0" for flag -nodecount: parse error'],
      [['-nodecount=', 'p'], 'invalid value "" for flag -nodecount: parse error'],
      [
        ['-nodecount=99999999999999999999', 'p'],
        'invalid value "99999999999999999999" for flag -nodecount: value out of range',
      ],
      [['-divide_by=1e999', 'p'], 'invalid value "1e999" for flag -divide_by: value out of range'],
      [['-nodefraction=abc', 'p'], 'invalid value "abc" for flag -nodefraction: parse error'],
      [['-nodecount'], 'flag needs an argument: -nodecount'],
      [['---x', 'p'], 'bad flag syntax: ---x'],
      [['-=x', 'p'], 'bad flag syntax: -=x'],
      [['--=x', 'p'], 'bad flag syntax: --=x'],
      [['-top'], 'no profile source specified'],
      [[], 'no profile source specified'],
    ];
    for (const [argv, message] of cases) assert.deepEqual(failure(...argv), { message, usage: true });
  });

  it('recognises a request for help', () => {
    for (const word of ['-h', '-help', '--help']) assert.throws(() => parse(word), HelpRequest);
  });
});

describe("pprof's flags", () => {
  it('have the defaults of pprof', () => {
    const command = parse('p');
    assert.deepEqual(command.config, DEFAULT_CONFIG);
    assert.deepEqual(
      [command.report, command.base, command.diffBase, command.seconds, command.timeoutSeconds, command.warnings],
      [undefined, [], false, -1, -1, []],
    );
  });

  it('name every report', () => {
    for (const report of REPORTS) {
      const command = REPORTS_WITH_PARAMETER.has(report) ? parse(`-${report}=x.y`, 'p') : parse(`-${report}`, 'p');
      assert.equal(command.report, report);
      assert.equal(command.parameter, REPORTS_WITH_PARAMETER.has(report) ? 'x.y' : undefined);
    }
    for (const report of UNSUPPORTED_REPORTS) {
      assert.match(
        failure(`-${report}${FLAGS[report] === 'string' ? '=x' : ''}`, 'p').message,
        /is not supported: use -dot/,
      );
    }
    assert.equal(parse('-peek=', 'p').report, undefined);
  });

  it('conflict as in pprof', () => {
    const cases: readonly (readonly [argv: string[], message: string])[] = [
      [['-top', '-tree'], 'must set at most one output format'],
      [['-top', '-svg'], 'must set at most one output format'],
      [['-top', '-peek=x'], 'must set at most one output format'],
      [['-cum', '-flat'], 'conflicting options set: [cum flat]'],
      [['-lines', '-functions', '-files'], 'conflicting options set: [files functions lines]'],
      [['-base=a', '-diff_base=b'], '-base and -diff_base flags cannot both be specified'],
      [['-normalize'], 'must have base profile to normalize by'],
      [['-top', '-http=:1'], '-http is not compatible with an output format on the command line'],
      [['-no_browser'], '-no_browser only makes sense with -http'],
    ];
    for (const [argv, message] of cases) assert.deepEqual(failure(...argv, 'p'), { message, usage: false });
    assert.equal(parse('-cum=false', '-flat', 'p').config.sort, 'flat');
  });

  it('select sample types by name', () => {
    for (const [flag, index] of [
      ['-inuse_space', 'inuse_space'],
      ['-alloc_objects', 'alloc_objects'],
      ['-contentions', 'contentions'],
      ['-total_delay', 'delay'],
      ['-mean_delay', 'delay'],
    ] as const) {
      const { config } = parse(flag, 'p');
      assert.equal(config.sample_index, index);
      assert.equal(config.mean, flag === '-mean_delay');
    }
    const both = parse('-inuse_space', '-alloc_space', 'p');
    assert.equal(both.config.sample_index, 'inuse_space');
    assert.deepEqual(both.warnings, ['Multiple value selections, ignoring -alloc_space']);
    assert.deepEqual(parse('-sample_index=0', '-alloc_space', 'p').warnings, both.warnings);
  });

  it('say where profiles come from', () => {
    const command = parse(
      '-diff_base=b',
      '-seconds=5',
      '-timeout=7',
      '-buildid=id',
      '-symbolize=none',
      '-tls_ca=ca',
      'p',
      'q',
    );
    assert.deepEqual([command.base, command.diffBase, command.sources], [['b'], true, ['p', 'q']]);
    assert.deepEqual([command.seconds, command.timeoutSeconds, command.buildId], [5, 7, 'id']);
    assert.deepEqual(command.tls, { cert: '', key: '', ca: 'ca' });
  });
});
