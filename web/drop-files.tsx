/** Opens what is dropped or pasted anywhere in the UI, or chosen in a dialog. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { visible } from '../src/base/visible-text.ts';
import { openDroppedFiles, type Transferred, transferredFiles } from './reader/dropped-files.ts';
import { type ProfileReader, useReader } from './reader/profile-reader.ts';
import { navigate } from './state/router.ts';

const state = signal({ reading: '', problem: '' });

/** Opens files and navigates to their page. */
export async function openFiles(reader: ProfileReader, given: Transferred | Promise<Transferred>): Promise<void> {
  try {
    const transferred = await given;
    const { files } = transferred;
    if (files.length === 0 && !transferred.hasFolder) return;
    state.value = { reading: files.length === 1 ? (files[0]?.path ?? '') : `${files.length} files`, problem: '' };
    const address = await openDroppedFiles(reader, transferred);
    state.value = { reading: '', problem: '' };
    navigate(address);
  } catch (error) {
    state.value = { reading: '', problem: (error as Error).message };
  }
}

/** Analyses a text as a file is: the text of an issue, a chat, a terminal. */
export function openPaste(reader: ProfileReader, text: string): void {
  if (text.trim() === '') return;
  const file = new File([text], 'paste.txt', { lastModified: Date.now() });
  navigate(`/analysis/${reader.keepPile([{ path: file.name, file, key: reader.keep(file) }])}`);
}

/** Progress or an error; also listens to drops and pastes on the whole page. */
export function DroppedFiles() {
  const reader = useReader();
  useEffect(() => {
    // Without this, the browser would navigate to the file.
    const allow = (event: DragEvent): void => event.preventDefault();
    const drop = (event: DragEvent): void => {
      if (event.defaultPrevented || event.dataTransfer === null) return;
      event.preventDefault();
      void openFiles(reader, transferredFiles(event.dataTransfer));
    };
    const paste = (event: ClipboardEvent): void => {
      const field = event.target instanceof Element ? event.target.closest('input, textarea, select') : null;
      if (event.defaultPrevented || field !== null || event.clipboardData === null) return;
      event.preventDefault();
      if (event.clipboardData.files.length > 0) void openFiles(reader, transferredFiles(event.clipboardData));
      else openPaste(reader, event.clipboardData.getData('text/plain'));
    };
    addEventListener('dragover', allow);
    addEventListener('drop', drop);
    addEventListener('paste', paste);
    return () => {
      removeEventListener('paste', paste);
      removeEventListener('dragover', allow);
      removeEventListener('drop', drop);
    };
  }, []);
  const { reading, problem } = state.value;
  if (problem !== '') {
    return (
      <p role="alert" class="banner">
        {visible(problem)}{' '}
        <button type="button" onClick={() => void (state.value = { reading: '', problem: '' })}>
          Close
        </button>
      </p>
    );
  }
  return reading === '' ? null : <p role="status">Reading {visible(reading)} …</p>;
}
