/** Opens files that are dropped anywhere on a profile's page. */
import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { visible } from '../../src/base/visible-text.ts';
import { navigate } from '../state/router.ts';
import { openDroppedFiles } from '../reader/dropped-files.ts';

export interface DroppedFiles {
  /** Opens files and navigates to their page. */
  readonly open: (files: readonly File[]) => void;
  /** Progress or an error, to show on the page. */
  readonly message: ComponentChild;
}

export function useDroppedFiles(): DroppedFiles {
  const [state, setState] = useState({ reading: '', problem: '' });
  const open = (files: readonly File[]): void => {
    setState({ reading: files.length === 1 ? (files[0]?.name ?? '') : `${files.length} files`, problem: '' });
    openDroppedFiles(files).then(
      address => {
        setState({ reading: '', problem: '' });
        navigate(address);
      },
      (error: Error) => setState({ reading: '', problem: error.message }),
    );
  };

  // Without this, the browser would navigate to the file.
  useEffect(() => {
    const allow = (event: DragEvent): void => event.preventDefault();
    const drop = (event: DragEvent): void => {
      if (event.defaultPrevented) return;
      event.preventDefault();
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length > 0) open(files);
    };
    addEventListener('dragover', allow);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', allow);
      removeEventListener('drop', drop);
    };
  }, []);

  const { reading, problem } = state;
  const message =
    problem !== '' ? (
      <p role="alert" class="banner">
        {visible(problem)}
      </p>
    ) : reading !== '' ? (
      <p role="status">Reading {visible(reading)} …</p>
    ) : null;
  return { open, message };
}
