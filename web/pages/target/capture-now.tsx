/** A button that captures a target now. */
import { useState } from 'preact/hooks';
import { visible } from '../../../src/base/visible-text.ts';
import { api, ApiError } from '../../state/api.ts';

export function CaptureNow({ target, done }: { readonly target: string; readonly done: () => void }) {
  const [state, setState] = useState<{ readonly busy: boolean; readonly message: string }>({
    busy: false,
    message: '',
  });
  const take = async (): Promise<void> => {
    setState({ busy: true, message: 'requesting …' });
    try {
      await api(`/targets/${encodeURIComponent(target)}/capture`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
      });
      setState({ busy: false, message: 'capture started' });
      done();
    } catch (error) {
      const { message, hint } = error instanceof ApiError ? error : new ApiError(String(error), 0, '');
      setState({ busy: false, message: `${message} ${hint}` });
    }
  };
  return (
    <>
      <button type="button" disabled={state.busy} onClick={() => void take()}>
        Capture now
      </button>
      <span role="status">{visible(state.message)}</span>
    </>
  );
}
