/** `oakum bisect`: which version or setting separates what grows from what does not. */
import { basename, resolve } from 'node:path';
import { withoutBraces } from '../../base/matcher-text.ts';
import { createFleetDetector } from '../../judge/detect/fleet-detector.ts';
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { parseJsonBytes, recordOf } from '../../base/json.ts';
import { oneLine } from '../../base/text-layout.ts';
import { bisectCohorts, bisectFleet } from '../../judge/bisect/bisect.ts';
import { type AnalyzedVersion, bisectVersions } from '../../judge/bisect/bisect-versions.ts';
import { type OwnProof, ownProofs } from '../../judge/bisect/own-proofs.ts';
import { analyzePile } from '../../judge/process/analyze-pile.ts';
import { targetFacts } from '../../judge/process/target-facts.ts';
import { explain } from '../../live/doctor/explain.ts';
import { readStoredFleet } from '../../watch/state/replay-stored.ts';
import { readPile } from '../../evidence/snapshots/read-pile.ts';
import { FileContent } from '../../evidence/formats/file-content.ts';
import { recogniseFormat } from '../../evidence/formats/registry.ts';
import type { Bisection, VersionBisection } from '../../judge/bisect/bisection.ts';
import type { KnownLeak } from '../../knowledge/known-leak.ts';
import type { PileItem } from '../../evidence/pile.ts';
import type { CohortsView } from '../../watch/watch-model.ts';
import { bisectionDocument, versionsDocument } from '../../report/bisect-document.ts';
import type { Document } from '../../report/document.ts';
import { printMarkdown } from '../../report/markdown.ts';
import { printText } from '../../report/print-text.ts';
import { renderJson } from '../../report/json.ts';
import { type WatchStore, StoreError } from '../../store/ports.ts';
import { storeAddress } from '../connect/store-places.ts';
import { openStore } from '../watch/store-client.ts';
import { catalogueOf } from '../connect/load-catalogue.ts';
import { openUrl } from '../connect/open-target.ts';
import { type ProfilerRequest, noProfiles, openProfiler } from '../connect/past-profiles.ts';
import { readFleet } from '../connect/read-fleet.ts';
import {
  exitCodeFor,
  CATALOGUE,
  COLOR,
  FAIL_ON,
  OPERATIONS,
  outputFormat,
  DETECTOR_OPTIONS,
} from '../options/shared.ts';
import { type Io, styleFor, stopSignal } from '../io.ts';
import { pastProfiles, pathPart, fleetName } from '../../live/past-profiles.ts';
import { readPaths, readAttributes } from '../connect/read-source.ts';
import { Failure } from '../../base/errors.ts';
import { defineCommand, type Command, commandLine, type RequestOf } from '../options/command.ts';
import { duration, file, flag, folder, httpUrl, name, time } from '../options/kinds.ts';
import {
  profilerOptions,
  profilerRequest,
  PROMETHEUS_HEADER,
  PROMETHEUS_TOKEN_FILE,
  prometheusAccess,
  prometheusUrl,
  SELECTOR,
  storeOptions,
} from '../options/sources.ts';

const line = commandLine({
  name: 'bisect',
  usage: [
    'PATH... [options]',
    '--prometheus URL [options]',
    '--watch URL',
    '--data DIR',
    '--store URL',
    '--versions DIR DIR... [options]',
  ],
  examples: [
    ['oakum bisect ./scrapes/', 'which attribute separates what grows from what does not'],
    ['oakum bisect ./scrapes/ --attributes nodes.csv', 'with what you know: target,pool,owner'],
    [`oakum bisect --prometheus https://prom.example.com --selector 'job="kubelet"' --since 30d`],
    [
      'oakum bisect --prometheus https://prom.example.com --pyroscope http://pyroscope:4040',
      'with what the profiles of its targets prove',
    ],
    ['oakum bisect --watch http://localhost:7777', 'what a running oakum watch has found'],
    ['oakum bisect --data ./oakum-data', 'what one that does not run had recorded'],
    ['oakum bisect --versions v1.35/ v1.36/ v1.37/ --operations 500', 'captures of the same churn on each version'],
  ],
  about:
    'Compares targets that share an attribute value (version, Go release, feature gate, job, or what --attributes says) with those that lack it: how much more they grow, how sure that is, which of them do not, what changed when they began to grow, and what to try next. With --versions, each folder has captures of the same churn on one version: growth per operation, the first bad version, the family that appeared, and what to read.',
  operands: { completes: 'files' },
  options: {
    output: outputFormat(['text', 'json', 'markdown']),
    versions: flag({
      excludes: ['prometheus', 'watch', 'data', 'store', 'storeFile', 'attributes'],
      help: 'each path has captures of one version',
    }),
    operations: { ...OPERATIONS, needs: ['versions'] },
    attributes: file({ help: 'what targets are, as CSV (target,version,pool) or JSON' }),
    by: name({
      placeholder: 'LABEL',
      help: 'the label that tells targets apart',
      defaultNote: 'node, else instance, else the folder',
    }),
    at: time({ help: 'judge as of this time', defaultNote: 'the last sample' }),
    prometheus: prometheusUrl('the history of a fleet, in hourly values'),
    prometheusTokenFile: PROMETHEUS_TOKEN_FILE,
    prometheusHeader: PROMETHEUS_HEADER,
    selector: SELECTOR,
    since: duration({ default: '14d', help: 'how far back to ask Prometheus and the profiler' }),
    ...profilerOptions('which processes are its targets: labels such as service_name="kubelet"', ['versions', 'watch']),
    watch: httpUrl({ excludes: ['prometheus'], help: 'ask a running oakum watch' }),
    watchTokenFile: file({ default: '', needs: ['watch'], help: 'its token' }),
    data: folder({
      default: '',
      excludes: ['prometheus', 'watch'],
      help: 'the data folder of an oakum watch that does not run',
    }),
    ...storeOptions('the database of an oakum watch', ['prometheus', 'watch', 'data']),
    ...DETECTOR_OPTIONS,
    catalogue: CATALOGUE,
    failOn: FAIL_ON,
    color: COLOR,
  },
  request: ({ since, watch, ...values }, operands, io) => {
    const prometheus = prometheusAccess(values, io);
    const others = [
      prometheus !== undefined && '--prometheus',
      watch !== undefined && '--watch',
      values.data !== '' && '--data',
      values.store !== '' && '--store',
      values.storeFile !== '' && '--store-file',
    ].filter(Boolean);
    if (others.length > 0 && operands.length > 0) throw new Failure('usage', `${others.join(', ')} takes no paths`);
    if (others.length === 0 && operands.length === 0) throw new Failure('usage', 'no files given');
    if (values.versions && operands.length < 2) throw new Failure('usage', '--versions takes two folders or more');
    const selector = withoutBraces(values.selector);
    const profiler = profilerRequest({ ...values, since });
    return { ...values, selector, prometheus, profiler, paths: operands, sinceSeconds: since, watch: watch ?? '' };
  },
});

export const command: Command = defineCommand(line, bisect);

type Request = RequestOf<typeof line>;

const MAX_VIEW_BYTES = 256 * 2 ** 20;

async function bisect(request: Request, io: Io): Promise<number> {
  const catalogue = await catalogueOf(request.catalogue, io);
  if (request.versions) {
    const found = await bisectFolders(request, catalogue, io);
    print(found, versionsDocument(found), request, io);
    return exitCodeFor(found.verdict, request.failOn);
  }
  const from =
    request.watch !== ''
      ? bisectWatch
      : [request.data, request.store, request.storeFile].some(Boolean)
        ? bisectStore
        : bisectMetrics;
  const found = await from(request, catalogue, io);
  print(found, bisectionDocument(found), request, io);
  return exitCodeFor(found.verdict, request.failOn);
}

function print(found: Bisection | VersionBisection, document: Document, { output, color }: Request, io: Io): void {
  if (output === 'json') io.stdout.write(renderJson(found));
  else if (output === 'markdown') io.stdout.write(printMarkdown(document));
  else {
    const width = io.stdout.columns;
    io.stdout.write(printText(document, { style: styleFor(color, io), ...(width === undefined ? {} : { width }) }));
  }
}

async function bisectMetrics(request: Request, catalogue: readonly KnownLeak[], io: Io): Promise<Bisection> {
  const { fleet, options } = await readFleet(request, io);
  const hasCaptures = request.prometheus === undefined && fleet.inputs.otherCount > 0;
  const proofs = hasCaptures ? await proofsIn(request.paths, catalogue, io) : [];
  if (request.profiler === undefined) return bisectFleet(fleet, { ...options, catalogue, proofs });
  const past = await provedByProfiler(request.profiler, {
    targets: fleet.targets.map(({ name }) => name),
    by: request.by,
    toSeconds: options.endSeconds,
    catalogue,
    io,
  });
  const notes = [...fleet.inputs.notes, past.note];
  const told = { ...fleet, inputs: { ...fleet.inputs, notes } };
  return bisectFleet(told, { ...options, catalogue, proofs: [...proofs, ...past.proofs] });
}

/** What the profiles and dumps among the files prove; their metrics are what is compared, and count there. */
async function proofsIn(paths: readonly string[], catalogue: readonly KnownLeak[], io: Io): Promise<OwnProof[]> {
  const pile = await readPile(withoutMetrics(readPaths(paths, io)), { families: familiesOf, keepStacks: false });
  return ownProofs(analyzePile(pile, { catalogue }));
}

async function* withoutMetrics(items: AsyncIterable<PileItem>): AsyncGenerator<PileItem> {
  for await (const item of items) {
    const format = item.kind === 'member' ? recogniseFormat(new FileContent(item.bytes)) : undefined;
    if (format !== 'exposition' && format !== 'range-query') yield item;
  }
}

async function bisectWatch(
  { watch, watchTokenFile }: Request,
  catalogue: readonly KnownLeak[],
  io: Io,
): Promise<Bisection> {
  const none = { certificateAuthority: '', clientCertificate: '', clientKey: '', insecure: false };
  const connection = openUrl(watch, { tokenFile: watchTokenFile, ...none, cwd: io.cwd, env: io.env });
  const path = '/api/v1/cohorts';
  const reply = await connection.get(path, { deadlineSeconds: 30, maxBytes: MAX_VIEW_BYTES });
  const why = explain(reply, { ...connection, path });
  if (why !== undefined || reply.kind !== 'answer')
    throw new Failure(
      'no-answer',
      `${watch}: ${why?.sentence ?? 'no answer'}; ${why?.nextStep ?? 'is oakum watch running?'}`,
    );
  const view = recordOf(parseJsonBytes(reply.body, MAX_VIEW_BYTES)) as Partial<CohortsView>;
  if (view.schema !== 'oakum.cohorts/v1' || view.cohorts === undefined || view.changes === undefined)
    throw new Failure('unreadable', `${watch} is not the address of an oakum watch that compares cohorts`);
  const targets = Math.max(0, ...view.cohorts.map(({ targets: count, controls }) => count + controls));
  return bisectCohorts({
    atSeconds: view.at ?? 0,
    targetCount: targets,
    cohorts: view.cohorts,
    changes: view.changes.map(({ at, ...change }) => ({ ...change, atSeconds: at })),
    catalogue,
    component: 'kubelet',
    notes: [],
  });
}

async function bisectStore(request: Request, catalogue: readonly KnownLeak[], io: Io): Promise<Bisection> {
  const { timeScale, leastGrowth, memoryLimit } = request;
  const limit = memoryLimit === undefined ? {} : { memoryLimitBytes: memoryLimit };
  const detector = createFleetDetector({ timeScale, leastGrowth, ...limit });
  const described = await readAttributes(request.attributes, io);
  const database = await storeAddress(request, io);
  const shown = database?.shown ?? request.data;
  const store = await openStoreToRead(database?.url, shown, io);
  try {
    const { fleet, endSeconds } = await readStoredFleet(store, {
      detector,
      timeScale,
      at: request.at,
      described,
      shown,
    });
    return bisectFleet(fleet, { detector, endSeconds, catalogue });
  } finally {
    await store.close();
  }
}

/** A watch that runs has its store to itself: it answers for it. */
async function openStoreToRead(database: string | undefined, shown: string, io: Io): Promise<WatchStore> {
  try {
    return await openStore({ folder: resolve(io.cwd, shown), database, options: { shown, toRead: true } }, () => {});
  } catch (error) {
    if (!(error instanceof StoreError) || error.kind !== 'busy') throw error;
    throw new StoreError('busy', `${error.message}; if that is oakum watch, ask it: oakum bisect --watch URL`);
  }
}

async function bisectFolders(request: Request, catalogue: readonly KnownLeak[], io: Io): Promise<VersionBisection> {
  const analyzed: AnalyzedVersion[] = [];
  for (const path of request.paths) {
    const pile = await readPile(readPaths([path], io), { families: familiesOf, keepStacks: false });
    for (const { path: file, message } of pile.unread)
      io.stderr.write(`oakum: ${oneLine(file)}: ${oneLine(message)}\n`);
    if (pile.snapshots.length === 0) throw new Failure('no-evidence', `${path}: no profiles and no metrics in it`);
    const { operations } = request;
    const facts = targetFacts(pile.snapshots);
    const analysis = analyzePile(pile, { catalogue, operations });
    const name = basename(resolve(io.cwd, path));
    analyzed.push({ name, version: facts.version, goVersion: facts.goVersion, analysis, operations });
  }
  return bisectVersions(analyzed);
}

interface ProfiledFleet {
  readonly targets: readonly string[];
  /** The label that tells targets apart; undefined for the usual ones. */
  readonly by: string | undefined;
  readonly toSeconds: number;
  readonly catalogue: readonly KnownLeak[];
  readonly io: Io;
}

interface ProvedByProfiler {
  readonly proofs: readonly OwnProof[];
  /** Where the profiles come from, and how much they say. */
  readonly note: string;
}

/** What the profiles of a fleet prove that a continuous profiler has: evidence apart from the growth of its metrics. */
async function provedByProfiler(request: ProfilerRequest, fleet: ProfiledFleet): Promise<ProvedByProfiler> {
  const { selector, sinceSeconds } = request;
  const { toSeconds, catalogue, io } = fleet;
  const history = openProfiler(request, io);
  const stop = stopSignal();
  try {
    const nameOf = fleetName(fleet.targets, fleet.by);
    const query = {
      selector,
      accepts: (labels: Readonly<Record<string, string>>) => nameOf(labels) !== undefined,
      fromSeconds: toSeconds - sinceSeconds,
      toSeconds,
      signal: stop.signal,
    };
    const items = pastProfiles(history, query, labels => nameOf(labels) ?? '');
    const pile = await readPile(items, { families: familiesOf, keepStacks: false });
    for (const { path, message } of pile.unread) io.stderr.write(`oakum: ${oneLine(path)}: ${oneLine(message)}\n`);
    const read = new Set(pile.snapshots.map(({ process }) => process.target));
    if (read.size === 0) return { proofs: [], note: `${history.address}: ${noProfiles(selector)}` };
    const byPart = new Map(fleet.targets.map(name => [pathPart(name), name]));
    const proofs = ownProofs(analyzePile(pile, { catalogue })).map(proof => ({
      ...proof,
      target: byPart.get(proof.target) ?? proof.target,
    }));
    const proved = new Set(proofs.map(({ target }) => target)).size;
    const note = `${history.address} has profiles of ${read.size} of the targets; those of ${proved} prove a leak by themselves`;
    return { proofs, note };
  } finally {
    stop.release();
  }
}
