/** One line about a file: its name, kind, time and format notes. */
import { formatCount } from '../../src/base/say.ts';
import { visible } from '../../src/base/visible-text.ts';
import { servedName } from '../state/frame.ts';
import { Timestamp } from '../widgets/timestamp.tsx';
import type { FileOrigin } from '../../src/watch/watch-model.ts';
import { OriginName, OriginTarget } from './origin-name.tsx';
import type { OpenedProfile } from '../reader/open-profile.ts';
import { valueText } from '../text/value-text.ts';

interface ProfileFactsProps {
  readonly opened: OpenedProfile;
  readonly profileKey: string;
  /** Undefined for a file of this tab. */
  readonly origin: FileOrigin | undefined;
}

export function ProfileFacts({ opened, profileKey, origin }: ProfileFactsProps) {
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
