/** What grew between two moments? Two profiles of one kind, `a` before and `b` after. */
import { useMemo } from 'preact/hooks';
import { visible } from '../../../src/base/visible-text.ts';
import type { FamilyCount } from '../../../src/model/family.ts';
import { nodeAlong, type FlameTree } from '../../call-tree/call-tree.ts';
import { familiesAnswer, functionsAnswer } from '../../profiles/compare-answer.ts';
import { DropZone } from '../../widgets/drop-zone.tsx';
import { GrowthTable } from '../../profiles/growth-table.tsx';
import { keepLocal } from '../../reader/local-files.ts';
import { OperationsBox } from '../../profiles/operations-box.tsx';
import type { OpenedProfile } from '../../reader/open-profile.ts';
import { useArrivals } from '../../profiles/use-dropped-files.tsx';
import { ProfilePanes } from '../../profiles/profile-panes.tsx';
import { askDesk, openStored } from '../../reader/worker-client.ts';
import { useAddress, useAsync } from '../../profiles/use-view.ts';
import { keepUnits, valueText } from '../../text/value-text.ts';
import { navigate } from '../../state/router.ts';
import { Moment } from '../../widgets/timestamp.tsx';
import { Notice } from '../../widgets/loading-states.tsx';
import { parseFrame } from '../../text/stack-text.ts';
import { NotOpened, Reading } from './profile-page.tsx';

interface PageProps {
  readonly params: Record<string, string>;
  readonly query: URLSearchParams;
}

export function ComparePage({ query }: PageProps) {
  const [a, b] = [query.get('a') ?? '', query.get('b') ?? ''];
  if (a === '' || b === '') return <ChooseTwo known={a || b} isAfter={a === ''} />;
  return <Compared key={`${a} ${b}`} a={a} b={b} query={query} />;
}

/** One of the two, or neither, is known. */
function ChooseTwo({ known, isAfter }: { readonly known: string; readonly isAfter: boolean }) {
  const onFiles = (files: readonly File[]): void => {
    const [first, second] = files.map(keepLocal);
    if (known === '') navigate(second === undefined ? `/compare?a=${first}` : `/compare?a=${first}&b=${second}`);
    else navigate(isAfter ? `/compare?a=${first}&b=${known}` : `/compare?a=${known}&b=${first}`);
  };
  const title = known === '' ? 'Drop two profiles of one kind.' : `Drop the ${isAfter ? 'earlier' : 'later'} profile.`;
  return (
    <div class="page-profile">
      <h1>{title}</h1>
      <DropZone onFiles={onFiles} button="Choose files" multiple={known === ''}>
        <p>The same kind of the same process, some minutes apart. The first is taken to be the earlier one.</p>
        <p class="muted">They are read in this tab and not sent anywhere.</p>
      </DropZone>
    </div>
  );
}

interface ComparedProps {
  readonly a: string;
  readonly b: string;
  readonly query: URLSearchParams;
}

function Compared({ a, b, query }: ComparedProps) {
  const { value: pair, error } = useAsync(() => Promise.all([openStored(a), openStored(b)]), [a, b]);
  if (error !== undefined) return <NotOpened error={error} />;
  if (pair === undefined) return <Reading />;
  const [before, after] = pair;
  const shared = after.sampleTypes.filter(({ type }) => before.sampleTypes.some(other => other.type === type));
  if (shared.length === 0) {
    return (
      <Notice kind="error" title={`One is ${before.kind}, the other ${after.kind}: they have nothing to compare.`}>
        <p class="notice-steps">
          <a href={`/p/${a}`}>Look at the first</a>
          <a href={`/p/${b}`}>Look at the second</a>
        </p>
      </Notice>
    );
  }
  return <OpenComparison a={a} b={b} query={query} before={before} after={after} />;
}

interface OpenComparisonProps extends ComparedProps {
  readonly before: OpenedProfile;
  readonly after: OpenedProfile;
}

function OpenComparison({ a, b, query, before, after }: OpenComparisonProps) {
  const [address, change] = useAddress(query);
  const { message } = useArrivals();
  const { operations } = address;
  const { value: growth } = useAsync(() => askDesk('growth', { before: a, after: b, operations }), [a, b, operations]);
  const sampleTypes = after.sampleTypes.filter(({ type }) => before.sampleTypes.some(other => other.type === type));
  const wanted = [address.sampleType, after.defaultSampleType, sampleTypes[sampleTypes.length - 1].type];
  const sampleType = wanted.find(name => sampleTypes.some(({ type }) => type === name)) ?? '';
  const unit = sampleTypes.find(({ type }) => type === sampleType)?.unit ?? '';
  const countOf = useMemo(() => countsById(before, after), [before, after]);
  const hasFamilies = growth !== undefined && growth.growths.length > 0;

  const choose = (tree: FlameTree, id: string): void => {
    const names = (countOf.get(id)?.example ?? []).map(line => parseFrame(line).name).reverse();
    const node = nodeAlong(tree, names);
    change({ family: id, node: node > 0 ? node : -1 });
  };
  return (
    <div class="page-profile">
      {message}
      <ProfilePanes
        after={b}
        before={a}
        sampleTypes={sampleTypes}
        sampleType={sampleType}
        address={address}
        change={change}
        familyKind={after.families?.kind}
        answer={tree => (
          <>
            <h1 class="answer">
              {keepUnits(hasFamilies ? familiesAnswer(growth.growths) : functionsAnswer(tree, unit))}
            </h1>
            <ComparedFacts a={a} b={b} before={before} after={after} />
          </>
        )}
        families={
          hasFamilies
            ? tree => (
                <>
                  <OperationsBox operations={operations} onOperations={count => change({ operations: count })} />
                  <GrowthTable
                    growth={growth}
                    countOf={id => countOf.get(id)}
                    chosen={address.family}
                    onChoose={id => choose(tree, id)}
                  />
                </>
              )
            : undefined
        }
        familiesTitle="Growth by family"
      />
    </div>
  );
}

/** The later one's, and for what is gone the earlier one's. */
function countsById(before: OpenedProfile, after: OpenedProfile): ReadonlyMap<string, FamilyCount> {
  const counts = [...(before.families?.counts ?? []), ...(after.families?.counts ?? [])];
  return new Map(counts.map(count => [count.family.id, count]));
}

function ComparedFacts({ a, b, before, after }: Omit<OpenComparisonProps, 'query'>) {
  const isOtherBuild = before.buildId !== '' && after.buildId !== '' && before.buildId !== after.buildId;
  const apart =
    before.takenAt === undefined || after.takenAt === undefined ? undefined : after.takenAt - before.takenAt;
  return (
    <p class="profile-facts muted">
      <ProfileLink profileKey={a} opened={before} />
      <span aria-hidden="true">→</span>
      <ProfileLink profileKey={b} opened={after} />
      {apart !== undefined && apart > 0 && <span>{valueText(apart, 'seconds')} apart</span>}
      {apart !== undefined && apart < 0 && <span>the second was taken before the first</span>}
      {isOtherBuild && <span>two different builds: growth between them may be the new code</span>}
      <a href={`/compare?a=${b}&b=${a}`}>swap</a>
    </p>
  );
}

function ProfileLink({ profileKey, opened }: { readonly profileKey: string; readonly opened: OpenedProfile }) {
  return (
    <span>
      <a href={`/p/${profileKey}`} class="mono">
        {visible(opened.name)}
      </a>{' '}
      {opened.takenAt !== undefined && <Moment at={opened.takenAt} />}
    </span>
  );
}
