/** What a replica tells the others: what it has committed since it last told them. */
import type { CohortVerdict } from '../../judge/cohorts/cohort-model.ts';
import type { TargetVerdict } from '../../judge/detect/detection.ts';
import type { Resource } from '../../evidence/resource.ts';
import type { StoredCapture } from '../../store/stored-capture.ts';
import type { StoredIncident } from '../../store/stored-records.ts';
import type { Attributes } from '../../evidence/target.ts';

export interface News {
  readonly samples: readonly NewSample[];
  readonly attributes: readonly (readonly [target: string, attributes: Attributes])[];
  readonly verdicts: readonly ToldVerdict[];
  readonly incidents: readonly StoredIncident[];
  readonly captures: readonly StoredCapture[];
  /** Why targets do not answer; null if they do again. */
  readonly silent: readonly (readonly [target: string, why: string | null])[];
  /** The leader's; absent if they did not change. */
  readonly cohorts?: readonly CohortVerdict[] | undefined;
  /** Captures that someone asked for at a replica that does not sample the target, and what became of them. */
  readonly requests: readonly CaptureRequest[];
  readonly answers: readonly CaptureAnswer[];
}

export interface NewSample {
  readonly target: string;
  readonly at: number;
  readonly values: Readonly<Record<string, number>>;
}

/** The last word of whoever judges a target. */
export interface ToldVerdict {
  readonly target: string;
  readonly at: number;
  /** From the metrics alone. */
  readonly detected: TargetVerdict;
  /** With what captures and cohorts add; absent if that is nothing. */
  readonly verdict?: TargetVerdict | undefined;
  /** What the captures of this life prove to leak. */
  readonly proved: readonly Resource[];
}

export interface CaptureRequest {
  readonly id: string;
  readonly target: string;
  readonly reason: string;
}

export interface CaptureAnswer {
  readonly id: string;
  readonly captureId?: string | undefined;
  readonly refused?: string | undefined;
}

export const NO_NEWS: News = {
  samples: [],
  attributes: [],
  verdicts: [],
  incidents: [],
  captures: [],
  silent: [],
  requests: [],
  answers: [],
};
