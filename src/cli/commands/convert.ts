/** `oakum convert`: any profile or dump into pprof, folded stacks or speedscope's JSON. */
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { encodeText } from '../../base/text.ts';
import { writeFolded } from '../../formats/folded/write.ts';
import { encodeProfile } from '../../formats/pprof/encode.ts';
import type { Reading } from '../../formats/read.ts';
import { writeSpeedscope } from '../../formats/speedscope/write.ts';
import type { Profile } from '../../model/profile.ts';
import { sampleIndexByName } from '../../pprof/units/sample-index.ts';
import { EXIT } from '../../base/exit-codes.ts';
import { fail, reportFailure } from '../terminal/report-failure.ts';
import type { Io } from '../terminal/io.ts';
import { readSource } from '../connect/read-source.ts';
import { type Given, runRequest } from '../options/usage.ts';
import { writeWhole } from '../connect/write-whole.ts';

const USAGE = `Usage: oakum convert IN -o OUT [options]

Reads a pprof profile (also a legacy one), a goroutine dump (debug=1, debug=2, SIGQUIT), heap, mutex or block text, or
folded stacks, and writes it in another format. A goroutine's state, wait, creator and labels become labels.

  -o, --output OUT      where to write; - is stdout
      --to FORMAT       pprof, folded or speedscope; otherwise told by the name of OUT:
                          .pb.gz .pprof (gzip) .pb            pprof
                          .folded .collapsed .txt             folded
                          .speedscope.json .json              speedscope
      --sample-index X  the value to write, or to show first; a number or a name such as inuse_space
      --all-types       folded: every value, under a header line "type/unit ..."
      --label-roots A,B folded: puts these labels before the root, as frames "key=value"
  IN may be - for stdin.
`;

const FORMATS = ['pprof', 'folded', 'speedscope'] as const;
type Format = (typeof FORMATS)[number];

interface Request {
  readonly input: string;
  readonly output: string;
  readonly format: Format;
  readonly sampleIndex: string;
  readonly allTypes: boolean;
  readonly labelRoots: readonly string[];
}

const OPTIONS = {
  output: { type: 'string', short: 'o' },
  to: { type: 'string' },
  'sample-index': { type: 'string', default: '' },
  'all-types': { type: 'boolean', default: false },
  'label-roots': { type: 'string', default: '' },
} as const;

export async function runConvert(argv: string[], io: Io, programName?: string): Promise<number> {
  const usage = { command: 'convert', help: USAGE, options: OPTIONS, parse };
  return runRequest(usage, argv, io, request => convert(request, io), programName);
}

async function convert(request: Request, io: Io): Promise<number> {
  if (request.output === '-' && request.format === 'pprof' && io.stdout.isTTY === true) {
    return fail(io, EXIT.usage, 'a pprof profile is binary and stdout is a terminal: use -o FILE');
  }

  let reading: Reading;
  try {
    reading = await readSource(request.input, io);
  } catch (error) {
    return reportFailure(error, io, request.input);
  }
  const { profile, notes } = reading;
  for (const note of notes) io.stderr.write(`oakum: ${request.input}: ${note}\n`);
  let index: number;
  try {
    index = sampleIndexByName(profile, request.sampleIndex);
  } catch (error) {
    return fail(io, EXIT.usage, (error as Error).message.replace('sample_index', '--sample-index'));
  }

  const bytes = render(profile, index, request);
  if (request.output === '-') {
    io.stdout.write(bytes);
    return EXIT.done;
  }
  try {
    await writeWhole(request.output, bytes, io.cwd);
  } catch (error) {
    return reportFailure(error, io);
  }
  return EXIT.done;
}

/** The request, or what is wrong with the arguments. */
function parse({ values, positionals }: Given<typeof OPTIONS>): Request | string {
  if (positionals.length !== 1) return `convert takes one input, got ${positionals.length}`;
  const { output, to } = values;
  if (output === undefined || output === '') return 'convert needs -o OUT';
  if (to !== undefined && !isFormat(to)) return `--to is ${FORMATS.join(', ')}, not ${JSON.stringify(to)}`;
  const format = to ?? formatOf(output);
  if (format === undefined) {
    return output === '-' ? '-o - needs --to' : `the name ${JSON.stringify(output)} tells no format: add --to`;
  }
  const labelRoots = values['label-roots'].split(',').filter(key => key !== '');
  const [allTypes, sampleIndex] = [values['all-types'], values['sample-index']];
  if (format !== 'folded' && (allTypes || labelRoots.length > 0)) return '--all-types and --label-roots are for folded';
  return { input: positionals[0], output, format, sampleIndex, allTypes, labelRoots };
}

function render(profile: Profile, sampleIndex: number, request: Request): Uint8Array {
  const { allTypes, labelRoots, output } = request;
  switch (request.format) {
    case 'folded':
      return writeFolded(profile, { sampleIndex, allTypes, labelRoots });
    case 'speedscope':
      return encodeText(writeSpeedscope(profile, { sampleIndex, name: basename(request.input) }));
    case 'pprof': {
      const defaultSampleType = profile.sampleTypes[sampleIndex].type;
      const chosen = request.sampleIndex === '' ? profile : { ...profile, defaultSampleType };
      const bytes = encodeProfile(chosen);
      return output.endsWith('.pb') ? bytes : gzipSync(bytes);
    }
  }
}

function formatOf(output: string): Format | undefined {
  if (/\.(pb\.gz|pb|pprof)$/i.test(output)) return 'pprof';
  if (/\.(folded|collapsed|txt)$/i.test(output)) return 'folded';
  return /\.json$/i.test(output) ? 'speedscope' : undefined;
}

function isFormat(text: string): text is Format {
  return (FORMATS as readonly string[]).includes(text);
}
