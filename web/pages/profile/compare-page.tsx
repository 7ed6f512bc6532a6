/** What grew between two profiles of one kind? `a` is the earlier one, `b` the later one. */
import { useMemo } from 'preact/hooks';
import { visible } from '../../../src/base/visible-text.ts';
import type { FamilyCount } from '../../../src/model/family.ts';
import type { ValueType } from '../../../src/model/profile.ts';
import type { CallTree } from '../../call-tree/call-tree.ts';
import { familiesAnswer, functionsAnswer } from '../../profiles/compare-answer.ts';
import { DropZone } from '../../widgets/drop-zone.tsx';
import { GrowthTable } from '../../profiles/growth-table.tsx';
import { keepFile } from '../../reader/local-files.ts';
import { OperationsBox } from '../../profiles/operations-box.tsx';
import { unitOf, type OpenedProfile } from '../../reader/open-profile.ts';
import { useDroppedFiles } from '../../profiles/use-dropped-files.tsx';
import { ProfilePanes } from '../../profiles/profile-panes.tsx';
import { askWorker, openByKey } from '../../reader/worker-client.ts';
import { useViewAddress } from '../../profiles/use-view-address.ts';
import { keepUnits, valueText } from '../../text/value-text.ts';
import { navigate } from '../../state/router.ts';
import { useAsync } from '../../state/use-async.ts';
import { Timestamp } from '../../widgets/timestamp.tsx';
import { Notice } from '../../widgets/loading-states.tsx';
import type { PageProps } from '../page-props.ts';
import { nodeOfExample } from './family-node.ts';
import { NotOpened, Reading } from './open-states.tsx';

export function ComparePage({ query }: PageProps) {
  const [a, b] = [query.get('a') ?? '', query.get('b') ?? ''];
  if (a === '' || b === '') return <ChooseTwo known={a || b} isAfter={a === ''} />;
  return <Compared key={`${a} ${b}`} a={a} b={b} query={query} />;
}

/** At least one of the two profiles is missing. */
function ChooseTwo({ known, isAfter }: { readonly known: string; readonly isAfter: boolean }) {
  const onFiles = (files: readonly File[]): void => {
    const [first, second] = files.map(keepFile);
    if (known === '') navigate(second === undefined ? `/compare?a=${first}` : `/compare?a=${first}&b=${second}`);
    else navigate(isAfter ? `/compare?a=${first}&b=${known}` : `/compare?a=${known}&b=${first}`);
  };
  const title =
    known === '' ? 'Drop two profiles of the same kind.' : `Drop the ${isAfter ? 'earlier' : 'later'} profile.`;
  return (
    <div class="page-profile">
      <h1>{title}</h1>
      <DropZone onFiles={onFiles} button="Choose files" multiple={known === ''}>
        <p>Take them from the same process, some minutes apart. The first file counts as the earlier one.</p>
        <p class="muted">Files are read in this tab and never leave it.</p>
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
  const { value: pair, error } = useAsync(() => Promise.all([openByKey(a), openByKey(b)]), [a, b]);
  if (error !== undefined) return <NotOpened error={error} />;
  if (pair === undefined) return <Reading />;
  const [before, after] = pair;
  if (sharedSampleTypes(before, after).length === 0) {
    return (
      <Notice
        kind="error"
        title={`Cannot compare ${before.kind} with ${after.kind}: these are different kinds of profiles.`}
      >
        <p class="notice-steps">
          <a href={`/p/${a}`}>Open the first</a>
          <a href={`/p/${b}`}>Open the second</a>
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
  const [address, change] = useViewAddress(query);
  const { message } = useDroppedFiles();
  const { operations } = address;
  const { value: growth } = useAsync(
    () => askWorker('growth', { before: a, after: b, operations }),
    [a, b, operations],
  );
  const sampleTypes = sharedSampleTypes(before, after);
  const wanted = [address.sampleType, after.defaultSampleType, sampleTypes.at(-1)?.type];
  const sampleType = wanted.find(name => sampleTypes.some(({ type }) => type === name)) ?? '';
  const unit = unitOf(sampleTypes, sampleType);
  const countOf = useMemo(() => countsById(before, after), [before, after]);
  const hasFamilies = growth !== undefined && growth.growths.length > 0;

  const choose = (tree: CallTree, id: string): void => {
    change({ family: id, node: nodeOfExample(tree, countOf.get(id)?.example ?? []) });
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

function sharedSampleTypes(before: OpenedProfile, after: OpenedProfile): readonly ValueType[] {
  return after.sampleTypes.filter(({ type }) => before.sampleTypes.some(other => other.type === type));
}

/** The count in the later profile; for a family that is gone, in the earlier one. */
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
      {isOtherBuild && <span>different builds: the growth may come from new code</span>}
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
      {opened.takenAt !== undefined && <Timestamp at={opened.takenAt} />}
    </span>
  );
}
