/** A family whole: what it may be, who started it, where it stands, one of its stacks. */
import type { ComponentChildren } from 'preact';
import { formatAge, formatCount } from '../../src/base/quantities.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { FamilyCount } from '../../src/model/family.ts';
import type { Match } from '../../src/model/known-leak.ts';
import { MatchNote } from '../widgets/match-note.tsx';
import { Stack } from '../widgets/stack.tsx';
import { parseFrame } from '../text/stack-text.ts';

export interface FamilyDetailsProps {
  readonly count: FamilyCount;
  readonly matches: readonly Match[];
  /** Why its growth counts or does not; undefined when nothing was compared. */
  readonly why: string | undefined;
}

/** Labels of a family are many where they hold ids. */
const SHOWN = 4;

export function FamilyDetails({ count, matches, why }: FamilyDetailsProps) {
  const { family, states, creators, labelSets, waitMinutes, example } = count;
  const list = (entries: readonly (readonly [string, number])[]): string => {
    const shown = entries.slice(0, SHOWN).map(([name, n]) => `${visible(name)} ${formatCount(n)}`);
    return `${shown.join(', ')}${entries.length > SHOWN ? `, ${entries.length - SHOWN} more` : ''}`;
  };
  const labels = labelSets.map(set => [set.labels.map(pair => pair.join('=')).join(' '), set.count] as const);
  // A heap profile's smaller families carry no example of theirs.
  const frames = (example.length > 0 ? example : family.frames).map(parseFrame);
  return (
    <section class="family" aria-label={`Family ${family.id}`}>
      <dl class="family-facts">
        <Fact name="family">
          <span class="mono">{family.id}</span>
        </Fact>
        {why !== undefined && <Fact name="growth">{visible(why)}</Fact>}
        {matches.slice(0, SHOWN).map(match => (
          <Fact key={match.id} name="may be">
            <MatchNote match={match} />
          </Fact>
        ))}
        {family.ownerPackage !== '' && (
          <Fact name="package">
            <span class="mono">{visible(family.ownerPackage)}</span>
          </Fact>
        )}
        {states.size > 0 && <Fact name="state">{list([...states])}</Fact>}
        {waitMinutes !== undefined && (
          <Fact name="waits">
            {formatAge(waitMinutes.median * 60)} median, {formatAge(waitMinutes.max * 60)} longest
          </Fact>
        )}
        {creators.size > 0 && <Fact name="created by">{list([...creators])}</Fact>}
        {labels.length > 0 && <Fact name="labels">{list(labels)}</Fact>}
      </dl>
      <Stack frames={frames} value={family.kind === 'heap' ? count.bytes : count.count} familyId={family.id} />
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt class="muted">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Beside a family in a table. */
export function KnownMark({ matches }: { readonly matches: readonly Match[] | undefined }) {
  const match = matches?.[0];
  if (match === undefined) return null;
  return (
    <span class="known-mark" title={`${match.grade}: ${visible(match.title)}`}>
      {visible(match.ref)}
    </span>
  );
}
