/** What is in this profile? Shows a stored profile by its digest, or a file that was dropped into this tab. */
import { profileAnswer } from '../../profiles/profile-answer.ts';
import { DropZone } from '../../widgets/drop-zone.tsx';
import { FamilyTable } from '../../profiles/family-table.tsx';
import { keepFile } from '../../reader/local-files.ts';
import type { OpenedProfile } from '../../reader/open-profile.ts';
import { useDroppedFiles } from '../../profiles/use-dropped-files.tsx';
import { ProfileFacts } from '../../profiles/profile-facts.tsx';
import { ProfilePanes } from '../../profiles/profile-panes.tsx';
import { openByKey } from '../../reader/worker-client.ts';
import { useViewAddress } from '../../profiles/use-view-address.ts';
import { keepUnits } from '../../text/value-text.ts';
import { navigate } from '../../state/router.ts';
import { useAsync } from '../../state/use-async.ts';
import type { PageProps } from '../page-props.ts';
import { nodeOfExample } from './family-node.ts';
import { NotOpened, Reading } from './open-states.tsx';

export function ProfilePage({ params, query }: PageProps) {
  const { id: key = '' } = params;
  return key === 'upload' ? <UploadPage /> : <StoredProfile key={key} profileKey={key} query={query} />;
}

function UploadPage() {
  const { open, message } = useDroppedFiles();
  return (
    <div class="page-profile">
      <h1>Drop a profile or a goroutine dump.</h1>
      <DropZone onFiles={open} button="Choose files" multiple>
        <p>
          Heap, goroutine, CPU, block, mutex or allocs; as pprof, text or folded stacks; gzipped or not. A goroutine
          dump within a log works, too. Drop two or more of one kind to compare them.
        </p>
        <p class="muted">Files are read in this tab and never leave it.</p>
      </DropZone>
      {message}
    </div>
  );
}

function StoredProfile({ profileKey, query }: { readonly profileKey: string; readonly query: URLSearchParams }) {
  const { value: opened, error } = useAsync(() => openByKey(profileKey), [profileKey]);
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
  const [address, change] = useViewAddress(query);
  const { message } = useDroppedFiles();
  const isKnown = opened.sampleTypes.some(({ type }) => type === address.sampleType);
  const sampleType = isKnown ? address.sampleType : opened.defaultSampleType;
  const { families } = opened;
  return (
    <div class="page-profile">
      {message}
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
            <ProfileFacts opened={opened} profileKey={profileKey} />
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
        onFiles={([file]) => file !== undefined && navigate(`/compare?a=${profileKey}&b=${keepFile(file)}`)}
      />
    </div>
  );
}
