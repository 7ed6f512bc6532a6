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
import { type Io, reportFailure } from '../terminal/io.ts';
import { readSource } from '../connect/read-source.ts';
import { writeFileAtomically } from '../connect/write-file-atomically.ts';
import { EXIT, expected, Failure } from '../../base/errors.ts';

export type ProfileFormat = 'pprof' | 'folded' | 'speedscope';

export interface ConvertRequest {
  readonly input: string;
  readonly output: string;
  readonly format: ProfileFormat;
  readonly sampleIndex: string;
  readonly allTypes: boolean;
  readonly labelRoots: readonly string[];
}

export async function convert(request: ConvertRequest, io: Io): Promise<number> {
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

function render(profile: Profile, sampleIndex: number, request: ConvertRequest): Uint8Array {
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
