/** Resumes a capture where it stopped. */
import type { CaptureEntry, CaptureManifest } from '../../evidence/capture.ts';
import type { CaptureFolder } from './capture-folder.ts';
import type { CaptureStep } from './capture-steps.ts';

export type Resumption =
  | { readonly kind: 'new' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'continue'; readonly manifest: CaptureManifest };

export async function resumption(folder: CaptureFolder, target: string): Promise<Resumption> {
  const manifest = await folder.readManifest();
  if (manifest === undefined) return { kind: 'new' };
  const refused = (message: string): Resumption => ({ kind: 'refused', message });
  if (manifest.target !== target)
    return refused(`${folder.path} holds a capture of ${manifest.target}; choose another folder`);
  if (manifest.endedAtSeconds !== undefined)
    return refused(`${folder.path} holds a complete capture of ${target}; choose another folder`);
  const kept: CaptureEntry[] = [];
  for (const entry of manifest.entries) {
    const { file } = entry;
    // Failed and deleted files are taken again.
    if (file !== undefined && (await folder.has(file, entry.bytes))) kept.push(entry);
  }
  return {
    kind: 'continue',
    manifest: {
      ...manifest,
      goroutines: manifest.goroutines ?? [],
      entries: kept,
      notes: [],
    },
  };
}

export function missingSteps(steps: readonly CaptureStep[], entries: readonly CaptureEntry[]): CaptureStep[] {
  return steps.filter(({ kind, set }) => !entries.some(entry => entry.kind === kind && entry.set === set));
}
