/** Whether a body is what was requested: an HTML page with status 200 is not a profile. */
import { FormatError } from '../../base/errors.ts';
import { FileContent } from '../../evidence/formats/file-content.ts';
import { UNRECOGNIZED_FILE } from '../../profile/formats/unrecognized.ts';
import { goroutineTotal } from '../../profile/formats/goroutine-text/debug1.ts';
import { FORMATS, recogniseFormat } from '../../evidence/formats/registry.ts';
import type { MemStats } from '../../profile/formats/mem-stats.ts';
import type { CaptureKind } from '../../evidence/capture.ts';
import { originOf } from '../../evidence/snapshots/process-origin.ts';
import { DEBUG2_LIMIT_BYTES, KINDS } from './capture-steps.ts';
import { NOT_METRICS } from '../doctor/explanation.ts';

/** What a body tells besides what an analysis reads later. */
export interface BodyFacts {
  /** '' when it does not tell. */
  readonly buildId: string;
  /** When a profile was made, by the clock of its process. */
  readonly madeAtSeconds: number | undefined;
  readonly memStats: MemStats | undefined;
}

export const NO_FACTS: BodyFacts = { buildId: '', madeAtSeconds: undefined, memStats: undefined };

export type BodyJudgement =
  | ({ readonly kind: 'good'; readonly truncated: string | undefined } & BodyFacts)
  | { readonly kind: 'empty' } // a profile without a sample
  | { readonly kind: 'bad'; readonly why: string };

/** Only these two are dropped when they are empty: they are off by default. */
const DROPPED_WHEN_EMPTY: ReadonlySet<CaptureKind> = new Set(['block', 'mutex']);

/** `content` is decompressed; undefined when that failed. */
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
