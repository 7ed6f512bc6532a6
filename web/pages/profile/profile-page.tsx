/** What is in this profile? A stored one by its digest, or a file that was dropped into this tab. */
import { nodeAlong } from '../../call-tree/call-tree.ts';
import { profileAnswer } from '../../profiles/profile-answer.ts';
import { DropZone } from '../../widgets/drop-zone.tsx';
import { FamilyTable } from '../../profiles/family-table.tsx';
import { keepLocal } from '../../reader/local-files.ts';
import type { OpenedProfile } from '../../reader/open-profile.ts';
import { useArrivals } from '../../profiles/use-dropped-files.tsx';
import { ProfileFacts } from '../../profiles/profile-facts.tsx';
import { ProfilePanes } from '../../profiles/profile-panes.tsx';
import { openStored } from '../../reader/worker-client.ts';
import { useAddress, useAsync } from '../../profiles/use-view.ts';
import { keepUnits } from '../../text/value-text.ts';
import { navigate } from '../../state/router.ts';
import { Notice } from '../../widgets/loading-states.tsx';
import { parseFrame } from '../../text/stack-text.ts';

interface PageProps {
  readonly params: Record<string, string>;
  readonly query: URLSearchParams;
}

export function ProfilePage({ params, query }: PageProps) {
  const key = params['id'];
  return key === 'upload' ? <UploadPage /> : <StoredProfile key={key} profileKey={key} query={query} />;
}

function UploadPage() {
  const { take, message } = useArrivals();
  return (
    <div class="page-profile">
      <h1>Drop a profile or a goroutine dump.</h1>
      <DropZone onFiles={take} button="Choose files" multiple>
        <p>
          Heap, goroutine, CPU, block, mutex, allocs: as pprof, text or folded stacks, gzipped or not, also out of a
          log. Two or more of one kind are compared.
        </p>
        <p class="muted">They are read in this tab and not sent anywhere.</p>
      </DropZone>
      {message}
    </div>
  );
}

function StoredProfile({ profileKey, query }: { readonly profileKey: string; readonly query: URLSearchParams }) {
  const { value: opened, error } = useAsync(() => openStored(profileKey), [profileKey]);
  if (error !== undefined) return <NotOpened error={error} />;
  if (opened === undefined) return <Reading />;
  return <OpenProfile profileKey={profileKey} opened={opened} query={query} />;
}

/** Shown only to those who have waited a while. */
export function Reading() {
  return (
    <p class="late muted" role="status">
      Reading …
    </p>
  );
}

export function NotOpened({ error }: { readonly error: Error }) {
  return (
    <Notice kind="error" title={`This cannot be opened: ${error.message}`}>
      <p class="notice-steps">
        <a href="/p/upload">Open a file</a>
        <a href="/">To the fleet</a>
      </p>
    </Notice>
  );
}

interface OpenProfileProps {
  readonly profileKey: string;
  readonly opened: OpenedProfile;
  readonly query: URLSearchParams;
}

function OpenProfile({ profileKey, opened, query }: OpenProfileProps) {
  const [address, change] = useAddress(query);
  const { message } = useArrivals();
  const known = opened.sampleTypes.some(({ type }) => type === address.sampleType);
  const sampleType = known ? address.sampleType : opened.defaultSampleType;
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
                  chosen={address.family}
                  onChoose={({ family, example }) => {
                    const node = nodeAlong(tree, example.map(line => parseFrame(line).name).reverse());
                    change({ family: family.id, node: node > 0 ? node : -1 });
                  }}
                />
              )
        }
        familiesTitle="Families"
      />
      <DropZone
        button="Compare with another file"
        multiple={false}
        onFiles={([file]) => navigate(`/compare?a=${profileKey}&b=${keepLocal(file)}`)}
      />
    </div>
  );
}
