/** A profile by what it is instead of by its digest: `node/worker-17 heap at 19:57, slope: the verdict is watch`. */
import { visible } from '../../src/base/visible-text.ts';
import type { FileOrigin } from '../../src/watch/watch-model.ts';
import { targetUrl } from '../state/router.ts';
import { captureName } from '../text/capture-name.ts';
import { Timestamp } from '../widgets/timestamp.tsx';

export function OriginTarget({ origin }: { readonly origin: FileOrigin }) {
  const { target } = origin.capture;
  return <a href={targetUrl(target)}>{visible(target)}</a>;
}

/** Its kind and the time of the collection; the reason is on hover, and for screen readers. */
export function OriginName({ origin, url }: { readonly origin: FileOrigin; readonly url?: string }) {
  const { kind, at, capture } = origin;
  const name = (
    <>
      {captureName(kind)} at <Timestamp at={at} />
    </>
  );
  return (
    <span title={visible(capture.reason)}>
      {url === undefined ? name : <a href={url}>{name}</a>} <span class="muted">({visible(capture.trigger)})</span>
    </span>
  );
}
