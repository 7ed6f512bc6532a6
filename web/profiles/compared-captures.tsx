/** The captures of the target on a line, A and B marked: two others can be chosen to compare. */
import { useRef } from 'preact/hooks';
import type { CaptureKind } from '../../src/evidence/capture.ts';
import type { CaptureView, FileOrigin } from '../../src/watch/watch-model.ts';
import { navigate } from '../state/router.ts';
import { useWidth } from '../state/use-width.ts';
import { CaptureLane } from '../timeline/lanes.tsx';
import { toggleCapture } from '../timeline/selection.ts';

interface ComparedCapturesProps {
  readonly before: FileOrigin;
  readonly after: FileOrigin;
}

/** Pixels at the left for the name of the lane, and at the right. */
const LEFT = 68;
const RIGHT = 8;
/** Room before the first and after the last, in shares of the time. */
const MARGIN = 0.03;

export function ComparedCaptures({ before, after }: ComparedCapturesProps) {
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
