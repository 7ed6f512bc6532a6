/** What grew between two profiles of one kind? `a` is the earlier one, `b` the later one. */
import { useMemo, useRef } from 'preact/hooks';
import { visible } from '../../src/base/visible-text.ts';
import type { CaptureKind } from '../../src/evidence/capture.ts';
import type { FamilyCount } from '../../src/profile/families/family.ts';
import type { CaptureView, FileOrigin } from '../../src/watch/watch-model.ts';
import type { ValueType } from '../../src/profile/profile.ts';
import type { CallTree } from '../profiles/call-tree.ts';
import { CaptureLane } from '../charts/lanes.tsx';
import { toggleCapture } from '../charts/selection.ts';
import { familiesAnswer, functionsAnswer } from '../profiles/answers.ts';
import { useWidth } from '../state/use-width.ts';
import { DropZone } from '../widgets/drop-zone.tsx';
import { GrowthTable, OperationsBox } from '../profiles/growth-table.tsx';
import { type OpenedProfile, unitOf } from '../reader/open-profile.ts';
import { originBreadcrumbs, OriginName, OriginTarget, useOrigin } from '../profiles/origin-name.tsx';
import { ProfilePanes } from '../profiles/profile-panes.tsx';
import { useReader } from '../reader/profile-reader.ts';
import { useViewAddress } from '../profiles/view-address.ts';
import { keepUnits, valueText } from '../widgets/value-text.ts';
import { servedName, useBreadcrumbs } from '../state/frame.ts';
import { navigate, type PageProps } from '../state/router.ts';
import { useAsync } from '../state/use-api.ts';
import { Timestamp } from '../widgets/timestamp.tsx';
import { Notice, NotOpened, Reading } from '../widgets/loading-states.tsx';
import { nodeOfExample } from '../profiles/family-details.tsx';

export function ComparePage({ query }: PageProps) {
  const [a, b] = [query.get('a') ?? '', query.get('b') ?? ''];
  if (a === '' || b === '') return <ChooseTwo known={a || b} isAfter={a === ''} />;
  return <Compared key={`${a} ${b}`} a={a} b={b} query={query} />;
}

/** At least one of the two profiles is missing. */
function ChooseTwo({ known, isAfter }: { readonly known: string; readonly isAfter: boolean }) {
  const reader = useReader();
  const onFiles = (files: readonly File[]): void => {
    const [first, second] = files.map(file => reader.keep(file));
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
  const reader = useReader();
  const { value: pair, error } = useAsync(() => Promise.all([reader.open(a), reader.open(b)]), [a, b]);
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
  const reader = useReader();
  const [address, change] = useViewAddress(query);
  const origins = [useOrigin(a), useOrigin(b)] as const;
  useBreadcrumbs(originBreadcrumbs(origins[1], { text: 'Compare', url: `/compare?a=${a}&b=${b}` }));
  const { operations } = address;
  const { value: growth } = useAsync(
    () => reader.ask('growth', { before: a, after: b, operations }),
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
            <h1 class="answer">{keepUnits(hasFamilies ? familiesAnswer(growth) : functionsAnswer(tree, unit))}</h1>
            <ComparedFacts
              a={{ profileKey: a, opened: before, origin: origins[0] }}
              b={{ profileKey: b, opened: after, origin: origins[1] }}
            />
            {origins[0] !== undefined && origins[1] !== undefined && (
              <ComparedCaptures before={origins[0]} after={origins[1]} />
            )}
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

interface ComparedFactsProps {
  readonly a: Side;
  readonly b: Side;
}

interface Side {
  readonly profileKey: string;
  readonly opened: OpenedProfile;
  readonly origin: FileOrigin | undefined;
}

function ComparedFacts({ a, b }: ComparedFactsProps) {
  const isOtherBuild = a.opened.buildId !== '' && b.opened.buildId !== '' && a.opened.buildId !== b.opened.buildId;
  const [from, to] = [a, b].map(({ origin, opened }) => origin?.at ?? opened.takenAt);
  const seconds = from === undefined || to === undefined ? undefined : to - from;
  return (
    <p class="profile-facts muted">
      {b.origin !== undefined && <OriginTarget origin={b.origin} />}
      <ProfileLink side={a} />
      <span aria-hidden="true">→</span>
      <ProfileLink side={b} />
      {seconds !== undefined && seconds > 0 && <span>{valueText(seconds, 'seconds')} apart</span>}
      {seconds !== undefined && seconds < 0 && <span>the second was taken before the first</span>}
      {isOtherBuild && <span>different builds: the growth may come from new code</span>}
      {areOtherLives(a, b) && <span>the process was restarted in between: nothing of the first is in the second</span>}
      <a href={`/compare?a=${b.profileKey}&b=${a.profileKey}`}>swap</a>
    </p>
  );
}

/** Two targets have nothing to compare either; then the names say it. */
function areOtherLives({ origin: a }: Side, { origin: b }: Side): boolean {
  if (a === undefined || b === undefined || a.capture.target !== b.capture.target) return false;
  return a.startedAt !== null && b.startedAt !== null && Math.abs(a.startedAt - b.startedAt) > SAME_LIFE_SECONDS;
}

/** Start times are computed from the age of a process, and differ by a little. */
const SAME_LIFE_SECONDS = 5;

function ProfileLink({ side: { profileKey, opened, origin } }: { readonly side: Side }) {
  const url = `/p/${profileKey}`;
  if (origin !== undefined) return <OriginName origin={origin} url={url} />;
  return (
    <span>
      <a href={url} class="mono">
        {visible(servedName(profileKey) ?? opened.name)}
      </a>{' '}
      {opened.takenAt !== undefined && <Timestamp at={opened.takenAt} />}
    </span>
  );
}

/** The captures of the target on a line, A and B marked: two others can be chosen to compare. */
interface ComparedCapturesProps {
  readonly before: FileOrigin;
  readonly after: FileOrigin;
}

/** Pixels at the left for the name of the lane, and at the right. */
const LEFT = 68;
const RIGHT = 8;
/** Room before the first and after the last, in shares of the time. */
const MARGIN = 0.03;

function ComparedCaptures({ before, after }: ComparedCapturesProps) {
  const host = useRef<HTMLDivElement>(null);
  const width = useWidth(host);
  const { captures, kind } = after;
  const selection = { a: before.capture, b: after.capture };
  const [first, last] = [captures[0]?.at ?? 0, captures.at(-1)?.at ?? 0];
  const room = Math.max(60, MARGIN * (last - first));
  if (before.capture.target !== after.capture.target || captures.length < 3) return null;
  const choose = (id: string): void => {
    const next = toggleCapture(selection, id);
    const chosen = captures.filter(capture => capture.id === next.a || capture.id === next.b);
    const [a, b] = chosen.map(capture => sha256Of(capture, kind));
    if (a !== undefined && b !== undefined) navigate(`/compare?a=${a}&b=${b}`, { replace: true });
  };
  return (
    <div class="charts" ref={host}>
      {width > 0 && (
        <CaptureLane
          captures={captures}
          selection={selection}
          onChoose={choose}
          range={[first - room, last + room]}
          left={LEFT}
          width={width - LEFT - RIGHT}
        />
      )}
    </div>
  );
}

function sha256Of({ files }: CaptureView, kind: CaptureKind): string | undefined {
  return files.find(file => file.kind === kind)?.sha256;
}
