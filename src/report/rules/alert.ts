/** One alert with the labels and annotations that all have. */
import type { AlertRule } from './rule.ts';
import type { Scope } from './scope.ts';

/** `watch` is for a ticket, `leak` for a page; the names of severities are those of the kubernetes-mixin. */
export const SEVERITIES = { watch: 'warning', leak: 'critical' } as const;

export interface AlertDraft {
  readonly name: string;
  readonly tier: keyof typeof SEVERITIES;
  readonly expr: string;
  readonly holdFor: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly description: string;
  /** Instead of a triage of the process. */
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
