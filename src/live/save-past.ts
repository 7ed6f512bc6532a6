/**
 * Saves profiles of the past as a capture of their own, below the folder of a triage, so that they are compared with
 * what the triage takes, and whoever gets the folder has them too. A folder that has them already is not filled again.
 *
 *     worker-17-evidence/MANIFEST.json   heap-1794772310.pb.gz ...
 *     worker-17-evidence/past/MANIFEST.json   heap-1794750000.pb.gz ...
 */
import { oneLine } from '../base/text-layout.ts';
import type { CaptureEntry, CaptureManifest } from '../evidence/capture.ts';
import type { TriagePast } from './triage/triage.ts';
import type { CaptureFolder, PastKind, PastProfile, ProfileHistory } from './ports.ts';
import { findProcess, type PastTarget } from './find-process.ts';
import { exactTimeText, formatSeconds } from '../base/say.ts';
import { readSpread } from './past-profiles.ts';
import { Failure } from '../base/errors.ts';

export interface SavePorts {
  readonly history: ProfileHistory;
  readonly target: PastTarget;
  readonly sinceSeconds: number;
  readonly folder: CaptureFolder;
  readonly oakumVersion: string;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** A person is waiting: what has not arrived by then is left out. */
const MAX_SECONDS = 90;

/** Whatever goes wrong is told in the result. */
export async function savePast(ports: SavePorts): Promise<TriagePast> {
  const { history, folder, target } = ports;
  const nothing = { address: history.address, selector: '', profileCount: 0, from: null, to: null };
  try {
    const earlier = await folder.readManifest();
    if (earlier !== undefined)
      return earlier.target === target.name
        ? pastOf(earlier, history.address, null)
        : { ...nothing, problem: `${folder.path} holds profiles of ${earlier.target}; choose another folder` };
    return await takePast(ports);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...nothing, problem: oneLine(error.message) };
  }
}

async function takePast(ports: SavePorts): Promise<TriagePast> {
  const { history, target, folder, now, signal } = ports;
  const toSeconds = now();
  const query = { fromSeconds: toSeconds - ports.sinceSeconds, toSeconds, signal };
  const found = await findProcess(history, target, query);
  const nothing = { address: history.address, selector: '', profileCount: 0, from: null, to: null };
  if (typeof found === 'string') return { ...nothing, problem: found };
  const lock = await folder.lock();
  if (lock.kind === 'busy') return { ...nothing, problem: `${folder.path} is being written to by ${lock.by}` };
  try {
    const entries: CaptureEntry[] = [];
    const problems: string[] = [];
    for (const profiles of found.profiles)
      for await (const one of readSpread(history, profiles, signal)) {
        if ('problem' in one) problems.push(one.problem);
        else entries.push(await save(folder, profiles.kind, one, history.address));
        if (now() - toSeconds <= MAX_SECONDS) continue;
        problems.push(`it took more than ${formatSeconds(MAX_SECONDS)}; the rest was left out`);
        break;
      }
    const [problem = null] = problems;
    if (entries.length === 0) return { ...nothing, selector: found.selector, problem };
    const manifest = manifestOf(ports, entries, `from ${history.address}: {${found.selector}}`);
    await folder.writeManifest(manifest);
    return { ...pastOf(manifest, history.address, problem), selector: found.selector };
  } finally {
    await lock.release();
  }
}

async function save(
  folder: CaptureFolder,
  kind: PastKind,
  { atSeconds, bytes }: PastProfile,
  address: string,
): Promise<CaptureEntry> {
  const file = `${kind}-${Math.floor(atSeconds)}.pb.gz`;
  const stored = await folder.write(file, bytes);
  return {
    kind,
    set: 1,
    file,
    request: `${address}/${kind}`,
    takenAtSeconds: atSeconds,
    tookSeconds: 0,
    skewSeconds: undefined,
    status: 200,
    ...stored,
    truncated: undefined,
    error: undefined,
  };
}

function manifestOf(
  { target, oakumVersion }: SavePorts,
  entries: readonly CaptureEntry[],
  note: string,
): CaptureManifest {
  const times = entries.map(({ takenAtSeconds }) => takenAtSeconds);
  return {
    schema: 'oakum.capture/v1',
    target: target.name,
    oakumVersion,
    startedAtSeconds: Math.min(...times),
    endedAtSeconds: Math.max(...times),
    version: undefined,
    goVersion: undefined,
    buildId: undefined,
    // A profiler does not tell: the life is the one that the time falls into.
    processStartSeconds: [],
    entries,
    notes: [note],
  };
}

function pastOf({ entries, notes }: CaptureManifest, address: string, problem: string | null): TriagePast {
  const times = entries.map(({ takenAtSeconds }) => takenAtSeconds);
  return {
    address,
    selector: /\{(.*)\}$/s.exec(notes[0] ?? '')?.[1] ?? '',
    profileCount: entries.length,
    from: exactTimeText(Math.min(...times)),
    to: exactTimeText(Math.max(...times)),
    problem,
  };
}
