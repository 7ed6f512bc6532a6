/** The files of a capture: profiles open in the UI, other files are downloaded. */
import { formatBytes } from '../../src/base/say.ts';
import { visible } from '../../src/base/visible-text.ts';
import type { CaptureView } from '../../src/watch/watch-model.ts';
import { captureName } from '../text/short-names.ts';
import { isProfile } from './selection.ts';

export function CaptureFiles({ capture }: { readonly capture: CaptureView }) {
  return (
    <ul class="capture-files">
      {capture.files.map(({ kind, sha256, bytes, truncated }) => (
        <li key={sha256}>
          {isProfile(kind) ? (
            <a href={`/p/${sha256}`}>{captureName(kind)}</a>
          ) : (
            <a href={`/api/v1/profiles/${sha256}`} download>
              {captureName(kind)}
            </a>
          )}{' '}
          <span class="mono muted">{formatBytes(bytes)}</span>
          {truncated !== null && <span class="muted"> cut short: {visible(truncated)}</span>}
        </li>
      ))}
    </ul>
  );
}
