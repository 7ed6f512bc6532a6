/** What a family means and what to do about it. */
export interface Cause {
  readonly id: string;
  readonly title: string;
  readonly meaning: string;
  /** Commands that can be run as they are; the first one comes first. */
  readonly check: readonly string[];
  readonly act: readonly string[];
  /** What not to do. */
  readonly avoid: readonly string[];
  /** Known, and harmless unless it grows. */
  readonly benign: boolean;
}
