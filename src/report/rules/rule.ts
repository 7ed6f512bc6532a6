/** Prometheus rules as data, with the fields in the order of Prometheus' own YAML. */

export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Annotations;
}

export interface Annotations {
  readonly summary: string;
  /** What was measured, with the numbers, and what it means. */
  readonly description: string;
  /** The command to run next. */
  readonly runbook: string;
  readonly runbook_url: string;
}

export interface RuleGroup {
  readonly name: string;
  readonly interval?: string;
  readonly rules: readonly (RecordingRule | AlertRule)[];
}

export function isAlert(rule: RecordingRule | AlertRule): rule is AlertRule {
  return 'alert' in rule;
}
