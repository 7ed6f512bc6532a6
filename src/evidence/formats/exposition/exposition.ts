/**
 * What is read from metrics text, in columns: chosen series with their samples, and the size of everything.
 *
 *     scrapes   firstSample -> samples   series   value   time        in the order of the input
 *                                        |
 *     series    name, labels  <----------+                            interned: equal series have equal indexes
 */

export interface ExpositionSeries {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface ExpositionScrape {
  /** Unix seconds; undefined when neither a mark in the text nor its samples say. */
  readonly atSeconds: number | undefined;
  readonly firstSample: number;
  readonly sampleCount: number;
  /** All series of the scrape, chosen or not. */
  readonly seriesCount: number;
  /** The node named by the mark before the scrape; '' when there is none. */
  readonly node: string;
}

export interface ExpositionSamples {
  readonly series: Uint32Array;
  readonly values: Float64Array;
  /** The sample's own time or else its scrape's, in unix seconds; NaN when neither is known. */
  readonly times: Float64Array;
}

/** A metric family with its buckets, sums and counts. */
export interface FamilySize {
  readonly name: string;
  /** In the last scrape, and in the first. */
  readonly seriesCount: number;
  readonly firstSeriesCount: number;
}

export interface ExpositionProblem {
  readonly line: number;
  readonly expected: 'metric name' | 'labels' | 'value' | 'timestamp';
  /** The line, shortened. */
  readonly text: string;
}

export interface Exposition {
  readonly series: readonly ExpositionSeries[];
  readonly samples: ExpositionSamples;
  readonly scrapes: readonly ExpositionScrape[];
  /** Scrapes that the text marks as failed; they have no samples. */
  readonly failedScrapeCount: number;
  readonly lineCount: number;
  /** Series of the last scrape. */
  readonly seriesCount: number;
  /** From the last scrape, largest first. */
  readonly biggestFamilies: readonly FamilySize[];
  /** The first of them; `problemCount` has the number of all. */
  readonly problems: readonly ExpositionProblem[];
  readonly problemCount: number;
}
