/** A command, ready to copy. */
import { useEffect, useState } from 'preact/hooks';
import { visible } from '../../src/base/visible-text.ts';
import { copyText } from '../widgets/copy-text.ts';

export function CommandBox({ command }: { readonly command: string }) {
  const [message, setMessage] = useState('');
  useEffect(() => {
    if (message === '') return;
    const timer = setTimeout(() => setMessage(''), 2500);
    return () => clearTimeout(timer);
  }, [message]);
  return (
    <p class="command-box" aria-label="The same in a terminal" role="group">
      <code title={visible(command)}>{visible(command)}</code>
      <button
        type="button"
        onClick={async () => setMessage((await copyText(command)) ? 'Copied' : 'This browser does not allow copying')}
      >
        Copy command
      </button>
      <span class="muted" role="status">
        {message}
      </span>
    </p>
  );
}
