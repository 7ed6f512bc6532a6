/** Takes evidence of a target now, where the server may. */
import { useState } from 'preact/hooks';
import { visible } from '../../../src/base/visible-text.ts';
import { api, ApiError } from '../../state/api.ts';

export function CaptureNow({ target, done }: { readonly target: string; readonly done: () => void }) {
  const [state, setState] = useState<{ readonly busy: boolean; readonly said: string }>({ busy: false, said: '' });
  const take = async (): Promise<void> => {
    setState({ busy: true, said: 'asking' });
    try {
      await api(`/targets/${encodeURIComponent(target)}/capture`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
      });
      setState({ busy: false, said: 'evidence is being taken' });
      done();
    } catch (error) {
      const { message, hint } = error instanceof ApiError ? error : new ApiError(String(error), 0, '');
      setState({ busy: false, said: `${message} ${hint}` });
    }
  };
  return (
    <>
      <button type="button" disabled={state.busy} onClick={() => void take()}>
        Capture now
      </button>
      <span role="status">{visible(state.said)}</span>
    </>
  );
}
