/** A continuous profiler, and its profiles beside the files of the command line. */
import { credentialFiles } from '../../live/io/credential-files.ts';
import { httpSender } from '../../live/io/send-request.ts';
import { openParca } from '../../live/io/parca.ts';
import { openPyroscope } from '../../live/io/pyroscope.ts';
import { pastProfiles } from '../../live/past-profiles.ts';
import type { PileItem } from '../../evidence/pile.ts';
import type { ProfilerOptions } from '../../live/profiler-access.ts';
import type { Io } from '../io.ts';
import type { ProfileHistory } from '../../live/ports.ts';

export interface ProfilerRequest extends ProfilerOptions {
  readonly kind: 'pyroscope' | 'parca';
  /** Labels without braces. */
  readonly selector: string;
  readonly sinceSeconds: number;
}

export function openProfiler(request: ProfilerRequest, { cwd, env }: Pick<Io, 'cwd' | 'env'>): ProfileHistory {
  const open = request.kind === 'parca' ? openParca : openPyroscope;
  return open(request, httpSender(env), credentialFiles(cwd));
}

export async function* withPastProfiles(
  files: AsyncIterable<PileItem>,
  request: ProfilerRequest,
  io: Pick<Io, 'cwd' | 'env'>,
): AsyncGenerator<PileItem> {
  yield* files;
  const history = openProfiler(request, io);
  const toSeconds = Date.now() / 1000;
  const { selector, sinceSeconds } = request;
  const query = { selector, fromSeconds: toSeconds - sinceSeconds, toSeconds, signal: new AbortController().signal };
  let count = 0;
  for await (const item of pastProfiles(history, query)) {
    count++;
    yield item;
  }
  if (count === 0) yield { kind: 'problem', path: history.address, message: noProfiles(selector) };
}

export function noProfiles(selector: string): string {
  return `no heap or goroutine profile of {${selector}} in that time; look further back with --since`;
}
