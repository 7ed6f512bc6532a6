/** One step of a capture: sends the request, judges the answer and stores it. */
import type { CaptureEntry, CaptureKind } from '../../evidence/capture.ts';
import { type Explanation, wrongContent, NOT_METRICS } from '../doctor/explanation.ts';
import type { CaptureFolder, TargetConnection } from '../ports.ts';
import type { Answer } from '../reply.ts';
import { explain } from '../doctor/explain.ts';
import { type CaptureStep, KINDS, DEBUG2_LIMIT_BYTES } from './capture-steps.ts';
import { FormatError } from '../../base/errors.ts';
import { FileContent } from '../../evidence/formats/file-content.ts';
import { UNRECOGNIZED_FILE } from '../../profile/formats/unrecognized.ts';
import { goroutineTotal } from '../../profile/formats/goroutine-text/debug1.ts';
import { FORMATS, recogniseFormat } from '../../evidence/formats/registry.ts';
import type { MemStats } from '../../profile/formats/mem-stats.ts';
import { originOf } from '../../evidence/snapshots/process-origin.ts';

export interface StepPorts {
  readonly connection: TargetConnection;
  readonly folder: CaptureFolder;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

export type StepResult =
  /** `content` is decompressed. */
  | { readonly kind: 'taken'; readonly entry: CaptureEntry; readonly content: Uint8Array; readonly facts: BodyFacts }
  | { readonly kind: 'failed'; readonly entry: CaptureEntry; readonly why: Explanation }
  | { readonly kind: 'absent'; readonly why: string };

const MAX_INFLATED_BYTES = 512 * 1024 * 1024;

/** Throws a FolderError when it cannot be stored. */
export async function takeStep(step: CaptureStep, ports: StepPorts): Promise<StepResult> {
  const { connection, signal } = ports;
  const startedAt = ports.now();
  const reply = await connection.get(step.request, {
    deadlineSeconds: step.deadlineSeconds,
    maxBytes: step.maxBytes,
    signal,
  });
  const why = explain(reply, { ...connection, path: step.request });
  if (why?.kind === 'no-such-profile') return { kind: 'absent', why: why.sentence };
  const base: CaptureEntry = {
    kind: step.kind,
    set: step.set,
    file: undefined,
    request: step.request,
    takenAtSeconds: reply.kind === 'answer' ? reply.headAtSeconds : startedAt,
    tookSeconds: Math.round(reply.tookSeconds * 1000) / 1000,
    skewSeconds: reply.kind === 'answer' ? skewOf(reply) : undefined,
    status: reply.kind === 'answer' ? reply.status : 0,
    bytes: 0,
    sha256: undefined,
    truncated: undefined,
    error: undefined,
  };
  if (reply.kind === 'answer' && reply.status === 200) {
    if (why === undefined) return store(step, base, reply.body, ports);
    if (isWorthKeeping(step, why, reply.body)) return storeCut(step, base, reply.body, why, ports);
  }
  return failed(base, why as Explanation);
}

/** Part of a text is useful; part of a compressed profile cannot be read. */
function isWorthKeeping({ kind }: CaptureStep, why: Explanation, body: Uint8Array): boolean {
  return why.kind !== 'stopped' && body.length > 0 && !KINDS[kind].extension.startsWith('pb');
}

async function store(step: CaptureStep, base: CaptureEntry, body: Uint8Array, ports: StepPorts): Promise<StepResult> {
  const content = await ports.folder.inflate(body, MAX_INFLATED_BYTES);
  const judged = judgeBody(step.kind, content);
  if (judged.kind === 'empty') return { kind: 'absent', why: `the ${step.kind} profile is empty` };
  // Only its MemStats is wanted, which is worth no complaint.
  if (judged.kind === 'bad' && step.kind === 'heap-d1') return { kind: 'absent', why: judged.why };
  if (judged.kind === 'bad' || content === undefined) {
    return failed(base, wrongContent(step.request, judged.kind === 'bad' ? judged.why : 'it cannot be read'));
  }
  const entry = { ...base, ...(await write(step, base, body, ports)), truncated: judged.truncated };
  return { kind: 'taken', entry, content, facts: judged };
}

async function storeCut(
  step: CaptureStep,
  base: CaptureEntry,
  body: Uint8Array,
  why: Explanation,
  ports: StepPorts,
): Promise<StepResult> {
  const entry = { ...base, ...(await write(step, base, body, ports)), truncated: why.sentence };
  return { kind: 'taken', entry, content: body, facts: NO_FACTS };
}

async function write(
  { kind }: CaptureStep,
  { takenAtSeconds }: CaptureEntry,
  body: Uint8Array,
  { folder }: StepPorts,
): Promise<Pick<CaptureEntry, 'file' | 'bytes' | 'sha256'>> {
  const file = `${kind}-${Math.floor(takenAtSeconds)}.${KINDS[kind].extension}`;
  return { file, ...(await folder.write(file, body)) };
}

function failed(base: CaptureEntry, why: Explanation): StepResult {
  return { kind: 'failed', entry: { ...base, error: `${why.sentence}; ${why.nextStep}` }, why };
}

/** To the second, as Date headers are. */
function skewOf({ dateSeconds, headAtSeconds }: Answer): number | undefined {
  if (dateSeconds === undefined) return undefined;
  // A header of 12:00:07 was written at some time within that second.
  const skew = dateSeconds + 0.5 - headAtSeconds;
  return Math.abs(skew) <= 1 ? 0 : Math.round(skew);
}

/** What a body tells besides what an analysis reads later. */
export interface BodyFacts {
  /** '' when it does not tell. */
  readonly buildId: string;
  /** When a profile was made, by the clock of its process. */
  readonly madeAtSeconds: number | undefined;
  readonly memStats: MemStats | undefined;
}

const NO_FACTS: BodyFacts = { buildId: '', madeAtSeconds: undefined, memStats: undefined };

export type BodyJudgement =
  | ({ readonly kind: 'good'; readonly truncated: string | undefined } & BodyFacts)
  | { readonly kind: 'empty' } // a profile without a sample
  | { readonly kind: 'bad'; readonly why: string };

/** Only these two are dropped when they are empty: they are off by default. */
const DROPPED_WHEN_EMPTY: ReadonlySet<CaptureKind> = new Set(['block', 'mutex']);

/**
 * Whether a body is what was requested: an HTML page with status 200 is not a profile. `content` is decompressed;
 * undefined when that failed.
 */
export function judgeBody(kind: CaptureKind, content: Uint8Array | undefined): BodyJudgement {
  if (content === undefined) return { kind: 'bad', why: 'its compression is damaged' };
  const good = (facts: Partial<BodyFacts> = {}, truncated?: string): BodyJudgement => ({
    kind: 'good',
    truncated,
    ...NO_FACTS,
    ...facts,
  });
  const bad = (why: string): BodyJudgement => ({ kind: 'bad', why });
  const file = new FileContent(content);
  const format = recogniseFormat(file);
  if (kind.startsWith('metrics')) return format === 'exposition' ? good() : bad(NOT_METRICS);
  if (kind === 'stats-summary' || kind === 'configz') return file.isJsonLike ? good() : bad('it is not JSON');
  if (kind === 'goroutine-d1') {
    const isGoroutines = format === 'debug1' && goroutineTotal(content) !== undefined;
    return isGoroutines ? good() : bad('it is not a goroutine profile');
  }
  if (kind === 'goroutine-d2') {
    if (format !== 'debug2') return bad('it is not a list of goroutines');
    return good({}, content.length === DEBUG2_LIMIT_BYTES ? 'cut at 64 MiB, where the Go runtime stops' : undefined);
  }
  if (format === undefined) return bad(`it is ${UNRECOGNIZED_FILE}`);
  const wanted = kind === 'heap-d1' ? 'heap-text' : 'pprof';
  if (format !== wanted) return bad(`${KINDS[kind].request} did not answer with a profile`);
  try {
    const { profile, memStats } = FORMATS[wanted].read(file);
    if (profile.samples.length === 0 && DROPPED_WHEN_EMPTY.has(kind)) return { kind: 'empty' };
    const madeAtSeconds = profile.timeNanos > 0n ? Number(profile.timeNanos / 1000n) / 1e6 : undefined;
    return good({ buildId: originOf(profile, undefined).buildId, madeAtSeconds, memStats });
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return bad(`it is not a profile: ${error.describe()}`);
  }
}
