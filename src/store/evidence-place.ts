/** A store and its evidence belong together: with another place, its captures would be rows without bytes. */
import type { EvidenceFile, EvidenceFiles } from './evidence-files.ts';
import { StoreError } from './store-error.ts';

/** A name that no file has; asking for it shows whether a place works. */
export const NO_FILE: string = '0'.repeat(64);
/** The setting under which a store records the place of its evidence. */
export const PLACE_KEY = 'store.evidence';
/** Of stores from before places were recorded: files beside the rows. */
export const OWN_FOLDER = 'files';

/**
 * Throws unless the evidence is where the store recorded it, or everything that its rows name has been copied to the
 * new place. The caller then records the new one.
 */
export async function requirePlace(
  files: EvidenceFiles,
  recorded: string | undefined,
  named: readonly EvidenceFile[],
): Promise<void> {
  const before = recorded ?? OWN_FOLDER;
  if (files.place === before) return;
  // A new place must work: whoever mistyped it should know now, not when the first capture is taken.
  await files.size(NO_FILE);
  let missing = 0;
  for (const { sha256, bytes } of named) if ((await files.size(sha256)) !== bytes) missing++;
  if (missing === 0) return;
  throw new StoreError(
    'refused',
    `${missing} of ${named.length} profiles of this store are not in ${placeText(files.place)} but in ` +
      `${placeText(before)}: copy them with oakum store copy first, or leave --evidence as it was`,
  );
}

function placeText(place: string): string {
  return place === OWN_FOLDER ? 'the data folder' : place;
}
