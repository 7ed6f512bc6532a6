import { defineCommand, type Command } from '../options/command.ts';
import { choice, file, flag, list, text } from '../options/kinds.ts';
import type { ProfileFormat } from '../tasks/convert.ts';
import { shown } from '../options/option.ts';
import { Failure } from '../../base/errors.ts';

export const command: Command = defineCommand({
  name: 'convert',
  summary: 'turn a profile or a dump into another format',
  usage: ['IN -o OUT [options]'],
  examples: [
    ['oakum convert goroutines.txt -o goroutines.pb.gz', 'a dump as a pprof profile'],
    ['oakum convert heap.pb.gz -o heap.folded --sample-index inuse_space', 'for flame graph tools'],
    ['oakum convert heap.pb.gz -o heap.speedscope.json', 'for speedscope'],
  ],
  about:
    'Reads a pprof profile (also a legacy one), a goroutine dump (debug=1, debug=2, SIGQUIT), heap, mutex or block text, or folded stacks, and writes it in another format. The state, wait time, creator and labels of a goroutine become labels. IN may be - for stdin.',
  operands: { completes: 'files' },
  options: {
    output: file({ short: 'o', placeholder: 'OUT', help: 'where to write; - for stdout' }),
    to: choice(['pprof', 'folded', 'speedscope'])({
      placeholder: 'FORMAT',
      help: '',
      defaultNote:
        'by the name of OUT: .pb.gz, .pprof or .pb for pprof; .folded, .collapsed or .txt for folded; .json for speedscope',
    }),
    sampleIndex: text({
      placeholder: 'X',
      default: '',
      help: 'the value to write, or to show first; a number or a name such as inuse_space',
    }),
    allTypes: flag({ help: 'folded: write every value, under a header line "type/unit ..."' }),
    labelRoots: list()({
      placeholder: 'KEY,...',
      default: '',
      help: 'folded: put these labels before the root, as frames "key=value"',
    }),
  },
  request: ({ output, to, sampleIndex, allTypes, labelRoots }, operands) => {
    const [input] = operands;
    if (input === undefined || operands.length > 1)
      throw new Failure('usage', `convert takes one input, got ${operands.length}`);
    if (output === undefined || output === '') throw new Failure('usage', 'convert needs -o OUT');
    const format = to ?? formatOf(output);
    if (format === undefined)
      throw new Failure(
        'usage',
        output === '-' ? '-o - needs --to' : `the name ${shown(output)} implies no format: add --to`,
      );
    if (format !== 'folded' && (allTypes || labelRoots.length > 0))
      throw new Failure('usage', '--all-types and --label-roots are for folded');
    return { input, output, format, sampleIndex, allTypes, labelRoots };
  },
  run: async (request, io) => (await import('../tasks/convert.ts')).convert(request, io),
});

function formatOf(output: string): ProfileFormat | undefined {
  if (/\.(pb\.gz|pb|pprof)$/i.test(output)) return 'pprof';
  if (/\.(folded|collapsed|txt)$/i.test(output)) return 'folded';
  return /\.json$/i.test(output) ? 'speedscope' : undefined;
}
