/** What the user selects of a profile to see as a tree. */
import type { WidthOf } from '../profiles/lay-out.ts';
import type { Filters } from './filters.ts';
import type { LabelPair } from './sample-labels.ts';

export interface TreeOptions {
  /** By name: two profiles may list their sample types in different orders. */
  readonly sampleType: string;
  readonly filters?: Filters;
  readonly labels: readonly LabelPair[];
  /** Label keys whose values become the root frames, outermost first. */
  readonly roots: readonly string[];
  readonly widthOf: WidthOf;
}
