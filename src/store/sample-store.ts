import type { ReplayPart, ReplayQuery, Sample, SampleQuery, SampleSeries, StoredTarget } from './stored-samples.ts';

/** Targets and their samples. Writes become durable with the next commit; reads see what is committed. */
export interface SampleStore {
  /** Merges the attributes into those that the target has. A store may bound their size; the status says so. */
  putTarget(target: string, attributes: Readonly<Record<string, string>>): void;
  /**
   * Leaves out values that are not finite. True if the sample is taken: the next commit that succeeds makes it durable.
   * False if it is not: it is out of bounds (see `isStorableSample`), or the disk refuses and no more can wait. A store
   * may also bound how many targets and metrics it knows. Every sample that is not kept counts in `lostSamples`.
   */
  addSample(target: string, at: number, values: Readonly<Record<string, number>>): boolean;

  /** All, or those of these that exist. */
  targets(only?: readonly string[]): Promise<readonly StoredTarget[]>;
  /** The last that arrived; among those that arrived more than an hour ago, the latest by its time. */
  latest(target: string): Promise<Sample | undefined>;
  query(query: SampleQuery): Promise<readonly SampleSeries[]>;
  /**
   * The past in windows of six hours, for detectors: all parts of a window come before any of the next. Recent samples
   * may come as one last window.
   */
  replay(query: ReplayQuery): AsyncIterable<ReplayPart>;
}
