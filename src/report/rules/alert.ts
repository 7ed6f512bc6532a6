/** One alert with the labels and annotations that all alerts have. */
import type { AlertRule } from './rule.ts';
import type { Scope } from './scope.ts';

/** `watch` opens a ticket, `leak` pages; the severities are those of the kubernetes-mixin. */
export const SEVERITIES = { watch: 'warning', leak: 'critical' } as const;

export interface AlertDraft {
  readonly name: string;
  readonly tier: keyof typeof SEVERITIES;
  readonly expr: string;
  readonly holdFor: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly description: string;
  /** The command to run instead of a triage. */
  readonly command?: string;
  /** A heading of docs/rules.md. */
  readonly anchor: string;
}

export function alertOf(draft: AlertDraft, { docsUrl, triage }: Scope): AlertRule {
  return {
    alert: draft.name,
    expr: draft.expr,
    for: draft.holdFor,
    labels: { severity: SEVERITIES[draft.tier], ...draft.labels },
    annotations: {
      summary: draft.summary,
      description: draft.description,
      runbook: draft.command ?? `oakum triage ${triage}`,
      runbook_url: `${docsUrl}#${draft.anchor}`,
    },
  };
}
