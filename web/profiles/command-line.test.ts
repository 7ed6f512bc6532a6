import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parsePprofFlags } from '../../src/profile/pprof/flags.ts';
import { commandLine, shellWord, type ShownProfile } from './command-line.ts';
import { parseAddress } from './view-address.ts';

const SHOWN: ShownProfile = { sources: ['heap.pb.gz'], base: undefined, sampleType: '', symbol: '' };
const command = (query: string, shown: Partial<ShownProfile> = {}): string =>
  commandLine(parseAddress(new URLSearchParams(query)), { ...SHOWN, ...shown });

it('has the filters in the words of pprof', () => {
  assert.equal(command(''), 'oakum pprof -top heap.pb.gz');
  assert.equal(
    command('focus=a|b&hide=^runtime&tagfocus=state=select&granularity=lines&relative=1&unit=MB&root=state&sort=-cum'),
    "oakum pprof -top -cum -focus='a|b'" +
      " -hide='^runtime' -tagfocus=state=select -lines -relative_percentages -unit=MB -tagroot=state heap.pb.gz",
  );
  assert.equal(
    command('focus=x', { sampleType: 'alloc_space', base: ['old heap.pb.gz'] }),
    "oakum pprof -top -sample_index=alloc_space -focus=x -diff_base='old heap.pb.gz' heap.pb.gz",
  );
});

it('has the report of the view', () => {
  const symbol = 'main.(*T).run';
  assert.equal(command('tab=peek', { symbol }), "oakum pprof -peek='^main\\.\\(\\*T\\)\\.run$' heap.pb.gz");
  assert.equal(command('tab=source&f=run', { symbol }), 'oakum pprof -list=run heap.pb.gz');
  assert.equal(command('tab=graph'), 'oakum pprof -dot heap.pb.gz');
});

it('has the chosen labels as one expression', () => {
  assert.match(command('l=state=select,state=chan receive'), / -tagfocus='state=\^select\$,\^chan receive\$' /);
  assert.match(command('l=state=select,pod=a'), / -tagfocus='\^state:\(select\)\$,\^pod:\(a\)\$' /);
  assert.match(command('l=bytes=64B'), / -tagfocus=bytes=64B /);
});

it('is parsed as it is meant, whatever is in it', () => {
  const focus = `it's "$(a)" \\ b*`;
  const line = command(new URLSearchParams({ focus }).toString());
  const words = line.match(/-focus='.*' /)?.[0].trim() ?? '';
  const unquoted = words.replaceAll(`'\\''`, '\u0000').replaceAll("'", '').replaceAll('\u0000', "'");
  assert.equal(parsePprofFlags([unquoted, 'p']).config.focus, focus);
  assert.equal(shellWord('a b'), "'a b'");
});
