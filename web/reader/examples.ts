/** Recordings that come with a page that is a single file, as scripts/make-page.mjs puts them there. */
import { createContext } from 'preact';
import type { GivenFile } from './profile-reader.ts';

export interface Example {
  readonly title: string;
  readonly about: string;
  readonly files: readonly { readonly path: string; readonly base64: string }[];
}

/** Empty where a server serves the page: it has recordings of its own. */
export const ExamplesContext = createContext<readonly Example[]>([]);

export function exampleFiles({ files }: Example): GivenFile[] {
  return files.map(({ path, base64 }) => {
    const bytes = Uint8Array.from(atob(base64), char => char.charCodeAt(0));
    return { path, file: new File([bytes], path.slice(path.lastIndexOf('/') + 1)) };
  });
}
