/** `oakum convert`: any profile or dump into pprof, folded stacks or speedscope's JSON. */
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { encodeText } from '../../base/text.ts';
import { writeFolded } from '../../profile/formats/write-folded.ts';
import { encodeProfile } from '../../profile/formats/pprof/encode.ts';
import type { Reading } from '../../evidence/formats/read.ts';
import { writeSpeedscope } from '../../profile/formats/speedscope.ts';
import type { Profile } from '../../profile/profile.ts';
import { sampleIndexByName } from '../../profile/pprof/sample-index.ts';
import { type Io, reportFailure } from '../io.ts';
import { readSource } from '../connect/read-source.ts';
import { writeFileAtomically } from '../connect/write-file-atomically.ts';
import { EXIT, expected, Failure } from '../../base/errors.ts';
import { defineCommand, type Command, commandLine, type RequestOf } from '../options/command.ts';
import { choice, file, flag, list, text } from '../options/kinds.ts';
import { shown } from '../options/option.ts';

const line = commandLine({
  name: 'convert',
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
});

export const command: Command = defineCommand(line, convert);

type Request = RequestOf<typeof line>;

async function convert(request: Request, io: Io): Promise<number> {
  if (request.output === '-' && request.format === 'pprof' && io.stdout.isTTY === true)
    throw new Failure('usage', 'a pprof profile is binary and stdout is a terminal: use -o FILE');
  let reading: Reading;
  try {
    reading = await readSource(request.input, io);
  } catch (error) {
    return reportFailure(error, io, request.input);
  }
  const { profile, notes } = reading;
  for (const note of notes) io.stderr.write(`oakum: ${request.input}: ${note}\n`);
  const bytes = render(profile, chosenIndex(profile, request.sampleIndex), request);
  if (request.output === '-') io.stdout.write(bytes);
  else await writeFileAtomically(request.output, bytes, io.cwd);
  return EXIT.done;
}

function chosenIndex(profile: Profile, wanted: string): number {
  try {
    return sampleIndexByName(profile, wanted);
  } catch (error) {
    throw new Failure('usage', expected(error).message.replace('sample_index', '--sample-index'));
  }
}

function render(profile: Profile, sampleIndex: number, request: Request): Uint8Array {
  const { allTypes, labelRoots, output } = request;
  switch (request.format) {
    case 'folded':
      return writeFolded(profile, { sampleIndex, allTypes, labelRoots });
    case 'speedscope':
      return encodeText(writeSpeedscope(profile, { sampleIndex, name: basename(request.input) }));
    case 'pprof': {
      const type = request.sampleIndex === '' ? undefined : profile.sampleTypes[sampleIndex]?.type;
      const chosen = type === undefined ? profile : { ...profile, defaultSampleType: type };
      const bytes = encodeProfile(chosen);
      return output.endsWith('.pb') ? bytes : gzipSync(bytes);
    }
  }
}

function formatOf(output: string): 'pprof' | 'folded' | 'speedscope' | undefined {
  if (/\.(pb\.gz|pb|pprof)$/i.test(output)) return 'pprof';
  if (/\.(folded|collapsed|txt)$/i.test(output)) return 'folded';
  return /\.json$/i.test(output) ? 'speedscope' : undefined;
}
