/** What is in this profile? Shows a stored profile by its digest, or a file that was dropped into this tab. */
import { formatCount } from '../../src/base/say.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { FileOrigin } from '../../src/watch/watch-model.ts';
import { originBreadcrumbs, OriginName, OriginTarget, useOrigin } from '../profiles/origin-name.tsx';
import { profileAnswer } from '../profiles/answers.ts';
import { servedName, useBreadcrumbs } from '../state/frame.ts';
import { DropZone } from '../widgets/drop-zone.tsx';
import { FamilyTable } from '../profiles/family-table.tsx';
import type { OpenedProfile } from '../reader/open-profile.ts';
import { ProfilePanes } from '../profiles/profile-panes.tsx';
import { useReader } from '../reader/profile-reader.ts';
import { useViewAddress } from '../profiles/view-address.ts';
import { captureName } from '../widgets/short-names.ts';
import { keepUnits, valueText } from '../widgets/value-text.ts';
import { navigate, type PageProps } from '../state/router.ts';
import { useAsync } from '../state/use-api.ts';
import { Timestamp } from '../widgets/timestamp.tsx';
import { nodeOfExample } from '../profiles/family-details.tsx';
import { NotOpened, Reading } from '../widgets/loading-states.tsx';

export function ProfilePage({ params, query }: PageProps) {
  const { id: key = '' } = params;
  return <StoredProfile key={key} profileKey={key} query={query} />;
}

function StoredProfile({ profileKey, query }: { readonly profileKey: string; readonly query: URLSearchParams }) {
  const reader = useReader();
  const { value: opened, error } = useAsync(() => reader.open(profileKey), [profileKey]);
  if (error !== undefined) return <NotOpened error={error} />;
  if (opened === undefined) return <Reading />;
  return <OpenProfile profileKey={profileKey} opened={opened} query={query} />;
}

interface OpenProfileProps {
  readonly profileKey: string;
  readonly opened: OpenedProfile;
  readonly query: URLSearchParams;
}

function OpenProfile({ profileKey, opened, query }: OpenProfileProps) {
  const reader = useReader();
  const [address, change] = useViewAddress(query);
  const isKnown = opened.sampleTypes.some(({ type }) => type === address.sampleType);
  const sampleType = isKnown ? address.sampleType : opened.defaultSampleType;
  const { families } = opened;
  const origin = useOrigin(profileKey);
  const url = `/p/${profileKey}`;
  useBreadcrumbs(
    originBreadcrumbs(origin, {
      text: origin === undefined ? `${opened.kind} profile` : captureName(origin.kind),
      url,
    }),
  );
  return (
    <div class="page-profile">
      <ProfilePanes
        after={profileKey}
        before={undefined}
        sampleTypes={opened.sampleTypes}
        sampleType={sampleType}
        address={address}
        change={change}
        familyKind={families?.kind}
        answer={tree => (
          <>
            <h1 class="answer">{keepUnits(profileAnswer(opened, tree, sampleType))}</h1>
            <ProfileFacts opened={opened} profileKey={profileKey} origin={origin} />
          </>
        )}
        families={
          families === undefined
            ? undefined
            : tree => (
                <FamilyTable
                  families={families}
                  matches={opened.matches}
                  ages={opened.ages}
                  chosen={address.family}
                  onChoose={({ family, example }) => change({ family: family.id, node: nodeOfExample(tree, example) })}
                />
              )
        }
        familiesTitle="Families"
      />
      <DropZone
        button="Compare with another file"
        multiple={false}
        onFiles={([file]) => file !== undefined && navigate(`/compare?a=${profileKey}&b=${reader.keep(file)}`)}
      />
    </div>
  );
}

/** One line about a file: its name, kind, time and format notes. */
interface ProfileFactsProps {
  readonly opened: OpenedProfile;
  readonly profileKey: string;
  /** Undefined for a file of this tab. */
  readonly origin: FileOrigin | undefined;
}

function ProfileFacts({ opened, profileKey, origin }: ProfileFactsProps) {
  const { name, kind, takenAt, durationSeconds, isDelta, notes } = opened;
  const isLocal = profileKey.startsWith('local-');
  return (
    <p class="profile-facts muted">
      {origin === undefined ? (
        <>
          <span class="mono">{visible(servedName(profileKey) ?? name)}</span>
          <span>{kind}</span>
          {takenAt !== undefined && <Timestamp at={takenAt} />}
        </>
      ) : (
        <>
          <OriginTarget origin={origin} />
          <OriginName origin={origin} />
          <span>{visible(origin.capture.reason)}</span>
        </>
      )}
      {durationSeconds > 0 && <span>over {valueText(durationSeconds, 'seconds')}</span>}
      {isDelta && <span>only what happened in that time</span>}
      {opened.families !== undefined && <span>{formatCount(opened.families.counts.length)} families</span>}
      {isLocal ? <span>in this tab only</span> : <a href={`/api/v1/profiles/${profileKey}`}>download</a>}
      {notes.map(note => (
        <span key={note}>{visible(note)}</span>
      ))}
    </p>
  );
}
