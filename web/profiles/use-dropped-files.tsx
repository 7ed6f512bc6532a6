/** Files dropped anywhere on a profile's page open there; what cannot be read is said on top. */
import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { visible } from '../../src/base/visible-text.ts';
import { navigate } from '../state/router.ts';
import { arrive } from '../reader/dropped-files.ts';

export interface Arriving {
  /** Opens files and goes to where they are shown. */
  readonly take: (files: readonly File[]) => void;
  /** What to say of it; null when there is nothing. */
  readonly message: ComponentChild;
}

export function useArrivals(): Arriving {
  const [state, setState] = useState({ reading: '', problem: '' });
  const take = (files: readonly File[]): void => {
    setState({ reading: files.length === 1 ? files[0].name : `${files.length} files`, problem: '' });
    arrive(files).then(
      address => {
        setState({ reading: '', problem: '' });
        navigate(address);
      },
      (error: Error) => setState({ reading: '', problem: error.message }),
    );
  };

  // Without this the browser leaves the page for the file.
  useEffect(() => {
    const allow = (event: DragEvent): void => event.preventDefault();
    const drop = (event: DragEvent): void => {
      if (event.defaultPrevented) return;
      event.preventDefault();
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length > 0) take(files);
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
      <p role="alert" class="strip">
        {visible(problem)}
      </p>
    ) : reading !== '' ? (
      <p role="status">Reading {visible(reading)} …</p>
    ) : null;
  return { take, message };
}
