/** The recorded metrics of a fleet, replayed: from files, or from a Prometheus with its progress on stderr. */
import { setFlagsFromString } from 'node:v8';
import { SYSTEM_CLOCK } from '../../live/io/clocks.ts';
import { createFleetDetector } from '../../judge/detect/fleet-detector.ts';
import { oneLine } from '../../base/text-layout.ts';
import { FleetReplay, type ReplayedFleet, type ReplayOptions, spanOf } from '../../judge/detect/fleet-replay.ts';
import { readFleetHistory } from '../../live/read-fleet-history.ts';
import { readRecording } from '../../evidence/recording/read-recording.ts';
import { type Io, stopSignal } from '../io.ts';
import type { Resource } from '../../evidence/resource.ts';
import { openPrometheus, type PrometheusAccess } from './open-target.ts';
import { queryProgress } from '../capture-progress.ts';
import { readPaths, readAttributes } from './read-source.ts';
import { Failure } from '../../base/errors.ts';

/**
 * For commands that read a whole fleet. V8 lets the heap grow to several times what is live before it collects; here
 * that is mostly samples that were passed on long ago. 5,000 nodes over 14 days then take a quarter less memory, for a
 * tenth more CPU.
 */
const GROWING_PERCENT = 60;

export interface FleetSource {
  readonly paths: readonly string[];
  readonly by: string | undefined;
  /** Instead of paths. */
  readonly prometheus: PrometheusAccess | undefined;
  readonly selector: string;
  readonly sinceSeconds: number;
  readonly at: number | undefined;
  readonly attributes: string | undefined;
  readonly memoryLimit: number | undefined;
  readonly leastGrowth: Readonly<Partial<Record<Resource, number>>>;
  readonly timeScale: number;
}

export interface ReadFleet {
  readonly fleet: ReplayedFleet;
  readonly options: Omit<ReplayOptions, 'firstSeconds'>;
}

/** Few are scraped more often. */
const SCRAPE_SECONDS = 15;

type Settings = Omit<ReplayOptions, 'firstSeconds' | 'endSeconds'>;

/** Throws if there is nothing to judge; what could not be read is said on stderr. */
export async function readFleet(source: FleetSource, io: Io, everySeconds?: number): Promise<ReadFleet> {
  boundHeapGrowth();
  const { timeScale, leastGrowth, memoryLimit, prometheus } = source;
  const limit = memoryLimit === undefined ? {} : { memoryLimitBytes: memoryLimit };
  const settings = {
    detector: createFleetDetector({ timeScale, leastGrowth, ...limit }),
    timeScale,
    everySeconds,
    described: await readAttributes(source.attributes, io),
  };
  const replay = await (prometheus === undefined
    ? replayFiles(source, settings, io)
    : replayPrometheus(source, prometheus, settings, io));
  return { fleet: replay.finish(), options: { ...settings, endSeconds: replay.endSeconds } };
}

async function replayFiles(source: FleetSource, settings: Settings, io: Io): Promise<FleetReplay> {
  const recording = await readRecording(readPaths(source.paths, io), { by: source.by });
  for (const { path, message } of recording.unread) io.stderr.write(`oakum: ${oneLine(path)}: ${oneLine(message)}\n`);
  if (recording.targets.length === 0) {
    for (const note of recording.notes) io.stderr.write(`oakum: ${oneLine(note)}\n`);
    const given = source.paths.join(' ');
    throw new Failure('no-evidence', `no metrics in ${given}: /metrics text or answers of query_range are needed`);
  }
  const [firstSeconds, last] = spanOf(recording.targets);
  const replay = new FleetReplay({ ...settings, firstSeconds, endSeconds: source.at ?? last });
  replay.add(recording);
  return replay;
}

async function replayPrometheus(
  { selector, at, sinceSeconds }: FleetSource,
  access: PrometheusAccess,
  settings: Settings,
  io: Io,
): Promise<FleetReplay> {
  const stop = stopSignal();
  const progress = queryProgress(io.stderr);
  const nowSeconds = at ?? SYSTEM_CLOCK.now();
  const replay = new FleetReplay({ ...settings, firstSeconds: nowSeconds - sinceSeconds, endSeconds: nowSeconds });
  let count = 0;
  try {
    const parts = readFleetHistory(openPrometheus(access), {
      selector,
      nowSeconds,
      sinceSeconds,
      pace: { timeScale: settings.timeScale ?? 1, intervalSeconds: SCRAPE_SECONDS },
      signal: stop.signal,
      sleep: SYSTEM_CLOCK.sleep,
      progress: progress.show,
    });
    for await (const part of parts) {
      replay.add(part);
      count += part.targets.length;
    }
  } finally {
    progress.clear();
    stop.release();
  }
  if (count > 0) return replay;
  throw new Failure('no-evidence', `${access.url} has no samples in that time`);
}

function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`);
}
