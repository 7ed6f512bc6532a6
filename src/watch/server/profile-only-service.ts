/** The service behind the server when nothing is watched: some profiles, and no targets. */
import { createHash } from 'node:crypto';
import type { WatchService } from '../watch-service.ts';
import type { WatchStatus } from '../watch-model.ts';
import { Refusal } from './refusal.ts';

export interface ProfileOnlyOptions {
  /** What the page shows, in a few words: `heap.pb.gz`. */
  readonly title: string;
  readonly version: string;
  readonly files: readonly ServedFile[];
}

export interface ServedFile {
  readonly bytes: Uint8Array;
  /** What was given on the command line; several are merged. */
  readonly sources: readonly string[];
}

export interface ProfileOnlyService {
  readonly service: WatchService;
  /** One for each file, in order. */
  readonly sha256s: readonly string[];
}

/** Often enough to show a page that the server is alive. */
const STATUS_EVERY_MS = 60_000;

export function profileOnlyService({ title, version, files }: ProfileOnlyOptions): ProfileOnlyService {
  const sha256s = files.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex'));
  const bySha256 = new Map(files.map(({ bytes }, i) => [sha256s[i], bytes]));
  const startedAt = Math.floor(Date.now() / 1000);
  const status = (): WatchStatus => ({
    schema: 'oakum.status/v1',
    version,
    mode: 'files',
    cluster: title,
    startedAt,
    now: Date.now() / 1000,
    pace: 1,
    targetCount: 0,
    lastRoundSeconds: 0,
    silent: [],
    capturesAllowed: false,
    missingRights: [],
    store: { bytes: files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0), degraded: null },
    grafana: null,
    story: [],
    files: files.map(({ sources }, i) => ({ sha256: sha256s[i] ?? '', sources })),
  });
  const service: WatchService = {
    status,
    fleet: nothingWatched,
    fleetRows: () => [],
    cohorts: nothingWatched,
    rollout: nothingWatched,
    target: () => Promise.resolve(undefined),
    incidents: () => [],
    incidentsView: nothingWatched,
    incident: () => Promise.resolve(undefined),
    cohortIncident: () => Promise.resolve(undefined),
    capture: () => undefined,
    profile: sha256 => Promise.resolve(bySha256.get(sha256)),
    origin: () => undefined,
    // The page then shows the catalogue that it has itself.
    catalogue: nothingWatched,
    bundle: () => Promise.resolve(undefined),
    report: () => Promise.resolve(undefined),
    annotate: () => undefined,
    captureNow: () => Promise.resolve(undefined),
    metrics: () => '',
    subscribe: listener => {
      const timer = setInterval(() => listener({ kind: 'status', status: status() }), STATUS_EVERY_MS).unref();
      return () => clearInterval(timer);
    },
    stop: () => Promise.resolve(),
  };
  return { service, sha256s };
}

function nothingWatched(): never {
  throw new Refusal(404, 'This server shows profiles and watches nothing.', 'oakum watch follows targets.');
}
