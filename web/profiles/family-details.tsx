/** All about one family: matching known leaks, states, creators, labels and an example stack. */
import { formatAge, formatCount } from '../../src/base/say.ts';
import { retentionOf } from '../../src/judge/process/retention-of.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { FindingAges } from '../../src/judge/analysis.ts';
import type { FamilyCount, FamilyKind } from '../../src/profile/families/family.ts';
import { keptPhrase } from '../../src/judge/process/retention.ts';
import type { Match } from '../../src/knowledge/known-leak-match.ts';
import { agesPhrase } from '../../src/report/phrases.ts';
import { AgeBars } from '../charts/age-bars.tsx';
import { Fact, FactList } from '../widgets/facts-table.tsx';
import { MatchNote } from '../widgets/match-note.tsx';
import { Stack } from '../widgets/stack.tsx';
import { parseFrame, type StackFrame } from '../widgets/short-names.ts';
import { GoroutineFamilies, familyId } from '../../src/profile/families/family-draft.ts';
import { allocationPath } from '../../src/profile/families/heap-families.ts';
import { type CallTree, nodeAlong } from './call-tree.ts';

interface FamilyDetailsProps {
  readonly count: FamilyCount;
  readonly matches: readonly Match[];
  /** How long its goroutines have waited; undefined if nothing lists them. */
  readonly ages: FindingAges | undefined;
  /** Why its growth is significant or not; undefined if nothing is compared. */
  readonly why: string | undefined;
}

/** A family can have very many labels, such as ids. */
const MAX_SHOWN = 4;

export function FamilyDetails({ count, matches, ages, why }: FamilyDetailsProps) {
  const { family, states, creators, labelSets, waitMinutes, example } = count;
  const retention = retentionOf(count, undefined);
  const list = (entries: readonly (readonly [string, number])[]): string => {
    const shown = entries.slice(0, MAX_SHOWN).map(([name, n]) => `${visible(name)} ${formatCount(n)}`);
    return `${shown.join(', ')}${entries.length > MAX_SHOWN ? `, ${entries.length - MAX_SHOWN} more` : ''}`;
  };
  const labels = labelSets.map(set => [set.labels.map(pair => pair.join('=')).join(' '), set.count] as const);
  // The smaller families of a heap profile have no example.
  const frames = (example.length > 0 ? example : family.frames).map(parseFrame);
  return (
    <section class="family" aria-label={`Family ${family.id}`}>
      <FactList>
        <Fact name="family">
          <span class="mono">{family.id}</span>
        </Fact>
        {why !== undefined && <Fact name="growth">{visible(why)}</Fact>}
        {matches.slice(0, MAX_SHOWN).map(match => (
          <Fact key={match.id} name="known leak">
            <MatchNote match={match} />
          </Fact>
        ))}
        {family.ownerPackage !== '' && (
          <Fact name="package">
            <span class="mono">{visible(family.ownerPackage)}</span>
          </Fact>
        )}
        {retention !== undefined && <Fact name="kept">{visible(keptPhrase(retention))}</Fact>}
        {states.size > 0 && <Fact name="state">{list([...states])}</Fact>}
        {waitMinutes !== undefined && (
          <Fact name="waits">
            {formatAge(waitMinutes.median * 60)} median, {formatAge(waitMinutes.max * 60)} longest
          </Fact>
        )}
        {ages !== undefined && (
          <Fact name="ages">
            <AgeBars ages={ages} isDecorative /> {agesPhrase(ages)}
          </Fact>
        )}
        {creators.size > 0 && <Fact name="created by">{list([...creators])}</Fact>}
        {labels.length > 0 && <Fact name="labels">{list(labels)}</Fact>}
      </FactList>
      <Stack frames={frames} value={family.kind === 'heap' ? count.bytes : count.count} familyId={family.id} />
    </section>
  );
}

/** The known leak that a family in a table matches. */
export function KnownMark({ matches }: { readonly matches: readonly Match[] | undefined }) {
  const match = matches?.[0];
  if (match === undefined) return null;
  return (
    <span class="known-mark" title={`${match.grade}: ${visible(match.title)}`}>
      {visible(match.ref)}
    </span>
  );
}

/** The id of a stack's family, the same as in every report. `frames` must reach down to the innermost call. */
export function stackFamilyId(kind: FamilyKind, frames: readonly StackFrame[]): string {
  const families = new GoroutineFamilies();
  const { interner } = families;
  const ids = frames.map(({ name, place }) => interner.idOf(name, place.replace(/:\d+$/, '')));
  if (kind === 'heap') {
    const { key } = allocationPath(interner, ids);
    return familyId(
      kind,
      key.map(id => interner.names[id] ?? ''),
    );
  }
  const family = families.familyOf(
    ids,
    frames.map(({ name }) => interner.closureOf(name)),
  );
  return families.ids()[family] ?? '';
}

/** The node at the end of a family's example stack, as far as the tree has it; -1 if it has none of it. */
export function nodeOfExample(tree: CallTree, example: readonly string[]): number {
  const names = example.map(line => parseFrame(line).name).reverse();
  const node = nodeAlong(tree, names);
  return node > 0 ? node : -1;
}
