/** Whether a body is what was requested: an HTML page with status 200 is not a profile. */
import { FormatError } from '../../base/errors.ts';
import { decodeText } from '../../base/text.ts';
import { FileContent } from '../../formats/content/file-content.ts';
import { UNRECOGNIZED_FILE } from '../../formats/content/unrecognized.ts';
import { FORMATS, recogniseFormat } from '../../formats/registry.ts';
import type { CaptureKind } from '../../model/capture.ts';
import { originOf } from '../../evidence/snapshots/process-origin.ts';
import { DEBUG2_LIMIT_BYTES, KINDS } from './capture-steps.ts';

export type BodyJudgement =
  | { readonly kind: 'good'; readonly buildId: string; readonly truncated: string | undefined }
  | { readonly kind: 'empty' } // a profile without a sample
  | { readonly kind: 'bad'; readonly why: string };

/** Only these two are dropped when they are empty: they are off by default. */
const DROPPED_WHEN_EMPTY: ReadonlySet<CaptureKind> = new Set(['block', 'mutex']);

/** `content` is decompressed; undefined when that failed. */
export function judgeBody(kind: CaptureKind, content: Uint8Array | undefined): BodyJudgement {
  if (content === undefined) return { kind: 'bad', why: 'its compression is damaged' };
  const good = (buildId = '', truncated?: string): BodyJudgement => ({ kind: 'good', buildId, truncated });
  const bad = (why: string): BodyJudgement => ({ kind: 'bad', why });
  const file = new FileContent(content);
  const format = recogniseFormat(file);
  if (kind.startsWith('metrics')) return format === 'exposition' ? good() : bad('it is not metrics text');
  if (kind === 'stats-summary' || kind === 'configz') return file.isJsonLike ? good() : bad('it is not JSON');
  if (kind === 'goroutine-d1') {
    const isGoroutines = format === 'debug1' && goroutineTotal(content) !== undefined;
    return isGoroutines ? good() : bad('it is not a goroutine profile');
  }
  if (kind === 'goroutine-d2') {
    if (format !== 'debug2') return bad('it is not a list of goroutines');
    return good('', content.length === DEBUG2_LIMIT_BYTES ? 'cut at 64 MiB, where the Go runtime stops' : undefined);
  }
  if (format === undefined) return bad(`it is ${UNRECOGNIZED_FILE}`);
  if (format !== 'pprof') return bad(`${KINDS[kind].request} did not answer with a profile`);
  try {
    const { profile } = FORMATS.pprof.read(file);
    if (profile.samples.length === 0 && DROPPED_WHEN_EMPTY.has(kind)) return { kind: 'empty' };
    return good(originOf(profile, undefined).buildId);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return bad(`it is not a profile: ${error.describe()}`);
  }
}

/** The number in the first line of debug=1. */
export function goroutineTotal(content: Uint8Array): number | undefined {
  const match = /^goroutine profile: total (\d+)/.exec(decodeText(content.subarray(0, 100)));
  return match === null ? undefined : Number(match[1]);
}
