export interface NotifyOptions {
  readonly cluster: string;
  /** From which verdict on an incident is made known. */
  readonly leastVerdict: 'watch' | 'leak';
  /** If the limit may be reached within this time, an alert is critical. */
  readonly criticalHours: number;
  /** Under which people reach Oakum, without a slash at the end. */
  readonly url: string | undefined;
  /** Templates, see templates.ts. */
  readonly summary: string;
  readonly runbook: string | undefined;
  /** Added to every alert. */
  readonly labels: Readonly<Record<string, string>>;
}

export const NOTIFY_DEFAULTS: Omit<NotifyOptions, 'cluster'> = {
  leastVerdict: 'leak',
  criticalHours: 24,
  url: undefined,
  summary: '{target}: {sentence}',
  runbook: undefined,
  labels: {},
};
