/** `oakum analyze`: what leaks, how fast, who owns it, whether it is known and what to do. */
import { familiesOf } from '../../evidence/snapshots/families-of.ts';
import { analyzePile } from '../../judge/process/analyze-pile.ts';
import { isOfProcess } from '../../evidence/snapshots/snapshot.ts';
import { readPile, type Pile } from '../../evidence/snapshots/read-pile.ts';
import { oneLine } from '../../base/text-layout.ts';
import { visible } from '../../base/visible-text.ts';
import { renderAnalysis, type AnalysisFormat } from '../../report/render.ts';
import { findFamily } from '../../report/analysis-document.ts';
import { type Io, isUtf8, styleFor } from '../terminal/io.ts';
import { catalogueOf } from '../connect/load-catalogue.ts';
import { type ColorChoice, exitCodeFor, type Threshold } from '../options/shared.ts';
import { type ProfilerRequest, withPastProfiles } from '../connect/past-profiles.ts';
import { EXIT, Failure } from '../../base/errors.ts';
import { readPaths } from '../connect/read-source.ts';
import type { ReferenceTable } from '../../judge/growth/growth.ts';

export interface AnalyzeRequest {
  readonly paths: readonly string[];
  readonly output: AnalysisFormat;
  readonly top: number | undefined;
  readonly show: string | undefined;
  readonly operations: number | undefined;
  readonly reference: readonly string[];
  readonly version: string | undefined;
  readonly component: string | undefined;
  readonly catalogue: string | undefined;
  readonly failOn: Threshold | undefined;
  readonly color: ColorChoice;
  /** Profiles of the past, beside the files. */
  readonly profiler: ProfilerRequest | undefined;
}

export async function analyze(request: AnalyzeRequest, io: Io): Promise<number> {
  const catalogue = await catalogueOf(request.catalogue, io);
  const pile = await read(request.paths, request, io, request.profiler);
  const references = await readReferences(request, io);
  const analysis = analyzePile(pile, {
    catalogue,
    given: { version: request.version, component: request.component },
    operations: request.operations,
    references,
  });
  reportUnread(pile, io);
  if (request.show !== undefined && findFamily(analysis, request.show) === undefined) {
    const ids = [...new Set(analysis.findings.map(({ family }) => family.id))].filter(id => id !== '');
    const known = ids.length === 0 ? 'there are no findings' : `the families are ${ids.join(', ')}`;
    throw new Failure('usage', `--show ${oneLine(request.show)} is not one family: ${known}`);
  }
  const width = io.stdout.columns;
  io.stdout.write(
    await renderAnalysis(analysis, request.output, {
      style: styleFor(request.color, io),
      ascii: !isUtf8(io.env),
      ...(width === undefined ? {} : { width }),
      ...(request.top === undefined ? {} : { top: request.top }),
      ...(request.show === undefined ? {} : { show: request.show }),
    }),
  );
  if (!pile.snapshots.some(isOfProcess)) return EXIT.couldNotObserve;
  return exitCodeFor(analysis.verdict, request.failOn);
}

async function read(
  paths: readonly string[],
  request: AnalyzeRequest,
  io: Io,
  profiler?: ProfilerRequest,
): Promise<Pile> {
  const files = readPaths(paths, io);
  return readPile(profiler === undefined ? files : withPastProfiles(files, profiler, io), {
    families: familiesOf,
    keepStacks: false,
    ...(request.version === undefined ? {} : { version: request.version }),
  });
}

function reportUnread(pile: Pile, io: Io): void {
  for (const { path, message } of pile.unread) io.stderr.write(`oakum: ${visible(path)}: ${visible(message)}\n`);
}

/** Throws if --reference is given but has no profile. */
async function readReferences(request: AnalyzeRequest, io: Io): Promise<ReferenceTable[]> {
  if (request.reference.length === 0) return [];
  const pile = await read(request.reference, request, io);
  reportUnread(pile, io);
  const tables = referenceTables(pile);
  if (tables.length > 0) return tables;
  throw new Failure('no-evidence', `--reference ${request.reference.join(' ')}: no goroutine or heap profile there`);
}

/** The newest table of each kind and process. */
function referenceTables({ viewGroups }: Pile): ReferenceTable[] {
  const newest = new Map<string, ReferenceTable>();
  for (const { kind, processKey, counted } of viewGroups) {
    if (counted.families !== undefined) newest.set(`${processKey}\0${kind}`, { table: counted.families });
  }
  return [...newest.values()];
}
