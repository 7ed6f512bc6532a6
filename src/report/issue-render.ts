/** The document for each audience. */
import type { ReportAudience, IssueFacts } from './issue/issue-facts.ts';
import { renderIncident } from './issue-incident.ts';
import { renderProvider } from './issue-provider.ts';
import { renderUpstream } from './issue-upstream.ts';

export const AUDIENCES: readonly ReportAudience[] = ['upstream', 'provider', 'incident'];

export function renderIssue(facts: IssueFacts, audience: ReportAudience): string {
  switch (audience) {
    case 'upstream':
      return renderUpstream(facts);
    case 'provider':
      return renderProvider(facts);
    case 'incident':
      return renderIncident(facts);
  }
}
