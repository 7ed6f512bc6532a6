/** What the profile and compare pages show before there is a profile. */
import { Notice } from '../widgets/loading-states.tsx';

/** Appears after a short delay: most files are read by then. */
export function Reading() {
  return (
    <p class="delayed muted" role="status">
      Reading …
    </p>
  );
}

export function NotOpened({ error }: { readonly error: Error }) {
  return (
    <Notice kind="error" title={`Cannot open this profile: ${error.message}`}>
      <p class="notice-steps">
        <a href="/p/upload">Open files</a>
        <a href="/">Go to the fleet</a>
      </p>
    </Notice>
  );
}
