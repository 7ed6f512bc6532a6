/** When an incident began and ended, and who takes care of it; `children` say what it is about. */
import type { ComponentChildren } from 'preact';
import { visible } from '../../../src/base/visible-text.ts';
import type { IncidentSummary } from '../../../src/watch/watch-model.ts';
import { Timestamp } from '../../widgets/timestamp.tsx';

interface IncidentFactsProps {
  readonly view: IncidentSummary;
  readonly children: ComponentChildren;
  /** At the end. */
  readonly links?: ComponentChildren;
}

export function IncidentFacts({ view, children, links }: IncidentFactsProps) {
  return (
    <p class="answer-facts">
      {children}
      <span>{view.resource}</span>
      <span>
        <span class="muted">opened</span> <Timestamp at={view.openedAt} />
      </span>
      {view.closedAt === null ? (
        <span>still open</span>
      ) : (
        <span>
          <span class="muted">closed</span> <Timestamp at={view.closedAt} />
        </span>
      )}
      {view.acknowledged !== null && (
        <span>
          <span class="muted">acknowledged by</span> {visible(view.acknowledged.by)}{' '}
          <Timestamp at={view.acknowledged.at} />
        </span>
      )}
      {links}
    </p>
  );
}
