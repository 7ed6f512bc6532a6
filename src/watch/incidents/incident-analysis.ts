/** What the captures of a target prove. Computed again when there is another capture, and cached in between. */
import type { Analysis } from '../../judge/analysis.ts';
import { readChangeText } from './phrases.ts';
import type { CapturedChange, CapturedEvidence, SampleColumn, TargetEvidence } from '../../evidence/capture.ts';
import { isUsedFor, namesFor } from '../../evidence/metric-names.ts';
import type { TargetIncident } from '../state/incidents.ts';
import { fileName, manifestOf } from './take-capture.ts';
import type { WatchState } from '../state/watch-state.ts';
import type { StoredCapture } from '../../store/records.ts';

const MAX_REMEMBERED = 64;
/** Limits of one analysis: it reads the first captures and the newest, and those in between if there is room. */
const MAX_BYTES = 192 * 1024 * 1024;
const MAX_CAPTURES = 12;
/** The metrics over time that an analysis reads from the store. */
const HISTORY_METRICS = namesFor('analysis').filter(name => isUsedFor(name, 'detection', 'cycle'));
const HISTORY_POINTS = 300;
const HISTORY_LEAD_SECONDS = 600;
const CHANGES_SECONDS = 14 * 86_400;

/** The last analysis; undefined if there is none yet. */
export function analysisOfIncident(state: WatchState, { id }: TargetIncident): Analysis | undefined {
  return state.analyses.get(id)?.analysis;
}

/** `owner` is an incident's id, or a target's name. */
export async function analyzeCaptures(
  state: WatchState,
  owner: string,
  captures: readonly StoredCapture[],
): Promise<Analysis | undefined> {
  if (captures.length === 0) return undefined;
  const memory = state.analyses;
  const chosen = chooseCaptures(captures);
  const key = chosen.map(({ id }) => id).join(' ');
  const known = memory.get(owner);
  if (known?.key === key) return known.analysis;
  const evidence = await readEvidence(state, chosen);
  if (evidence === undefined) return known?.analysis;
  const analysis = await state.ports.background.analyze(evidence);
  memory.delete(owner);
  memory.set(owner, { key, analysis });
  for (const oldest of memory.keys()) {
    if (memory.size <= MAX_REMEMBERED) break;
    memory.delete(oldest);
  }
  return analysis;
}

/** In time order, those that the store still has. */
export function incidentCaptures({ captures }: WatchState, { subject }: TargetIncident): StoredCapture[] {
  // Profiles of the past arrive after newer captures.
  return subject.captureIds.flatMap(id => captures.get(id) ?? []).sort((a, b) => a.at - b.at);
}

/** In time order; if there are many, the first ones and the newest. */
export function chooseCaptures(captures: readonly StoredCapture[]): StoredCapture[] {
  const sorted = [...captures].sort((a, b) => a.at - b.at);
  const firsts = sorted.slice(0, 2);
  const rest = sorted.slice(2);
  const chosen = [...firsts, ...rest.slice(-(MAX_CAPTURES - firsts.length))];
  const sizeOf = ({ files }: StoredCapture): number => files.reduce((sum, { bytes }) => sum + bytes, 0);
  while (chosen.length > 2 && chosen.reduce((sum, one) => sum + sizeOf(one), 0) > MAX_BYTES) chosen.splice(1, 1);
  return chosen;
}

/** What the store still has of these captures of one target, with the samples of that time; undefined when nothing. */
export async function readEvidence(
  state: WatchState,
  captures: readonly StoredCapture[],
): Promise<TargetEvidence | undefined> {
  const read = (await Promise.all(captures.map(capture => readCapture(state, capture)))).filter(
    one => one !== undefined,
  );
  const [first] = captures;
  if (first === undefined || read.length === 0) return undefined;
  const [oldest, ...others] = read;
  const changes = await changesAround(state, captures);
  const log = changes.length === 0 ? {} : { changes };
  const withChanges = oldest === undefined ? [] : [{ ...oldest, manifest: { ...oldest.manifest, ...log } }];
  return {
    target: first.target,
    captures: [...withChanges, ...others],
    samples: await samplesAround(state, first.target, captures),
  };
}

/** What changed on the target since two weeks before its captures, for whoever reads the evidence elsewhere. */
async function changesAround({ ports }: WatchState, captures: readonly StoredCapture[]): Promise<CapturedChange[]> {
  const [first] = captures;
  if (first === undefined) return [];
  const from = Math.min(...captures.map(({ at }) => at)) - CHANGES_SECONDS;
  const events = await ports.store.records({ kind: 'event', target: first.target, since: from });
  return events.flatMap(({ at, kind, text }) => {
    const change = kind === 'change' ? readChangeText(text) : undefined;
    return change === undefined ? [] : [{ atSeconds: at, ...change }];
  });
}

async function readCapture(
  { ports, targets, options }: WatchState,
  { target, files, processStartSeconds }: StoredCapture,
): Promise<CapturedEvidence | undefined> {
  const attributes = targets.get(target)?.attributes ?? {};
  const read = await Promise.all(
    files.map(async file => ({ file, bytes: await ports.store.readProfile(file.sha256).catch(() => undefined) })),
  );
  const there = read.flatMap(({ file, bytes }) => (bytes === undefined ? [] : [{ file, bytes }]));
  if (there.length === 0) return undefined;
  const manifest = manifestOf(
    target,
    there.map(({ file }) => file),
    { version: attributes['version'], goVersion: attributes['go'] },
    processStartSeconds,
    options.oakumVersion,
  );
  return { manifest, files: there.map(({ file, bytes }) => ({ name: fileName(file.kind, file.at), bytes })) };
}

/** From some time before the first capture to the present. */
async function samplesAround(
  { ports }: WatchState,
  target: string,
  captures: readonly StoredCapture[],
): Promise<SampleColumn[]> {
  const first = Math.min(...captures.map(({ at }) => at));
  const to = ports.clock.now();
  const series = await ports.store.query({
    target,
    metrics: HISTORY_METRICS,
    from: first - Math.max(HISTORY_LEAD_SECONDS, 0.2 * (to - first)),
    to,
    maxPoints: HISTORY_POINTS,
  });
  return series.map(({ metric, times, values }) => ({ metric, times, values }));
}
