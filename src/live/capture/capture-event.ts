/** What happens while a capture runs. */
import type { CaptureEntry, CaptureKind } from '../../evidence/capture.ts';
import type { Explanation } from '../doctor/explanation.ts';

export type CaptureEvent =
  | { readonly kind: 'resumed'; readonly fileCount: number }
  | { readonly kind: 'taking'; readonly step: CapturePart }
  | { readonly kind: 'taken'; readonly entry: CaptureEntry }
  | { readonly kind: 'failed'; readonly step: CapturePart; readonly why: Explanation }
  | { readonly kind: 'left-out'; readonly step: CapturePart; readonly why: string }
  /** A gap begins. */
  | { readonly kind: 'waiting'; readonly seconds: number }
  /** Every second of a gap, with what is left of it. */
  | { readonly kind: 'tick'; readonly seconds: number };

/** One file of one set. */
export interface CapturePart {
  readonly set: number;
  readonly kind: CaptureKind;
}
