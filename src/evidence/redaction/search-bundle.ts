/** The last check before a bundle leaves: does it still contain an original? */
import { encodeText } from '../../base/text.ts';
import { UNRECOGNIZED_FILE } from '../../profile/formats/unrecognized.ts';
import { decodeProfile } from '../../profile/formats/pprof/decode.ts';
import type { StoredFormat } from '../formats/registry.ts';
import { isSearchable, MIN_ANYWHERE_BYTES, type OriginalSearch, searchFor, tellingParts } from './find-originals.ts';
import type { Redactor } from './redactor.ts';

/** Words of the formats themselves. */
const FORMAT_WORDS =
  'MANIFEST.json schema oakum.bundle/v1 oakum.capture/v1 oakumVersion catalogue entries sha256 redaction originals replacements searched notSearched analysis verdict sentence findings target resource family delta matches sameAsOriginals files path format bytes leftOut reason label name address url path module text argument pprof debug1 debug2 heap-text contention-text metrics kubernetes-json capture-manifest version leak watch healthy unknown heap goroutines stacks threads file-descriptors metric-series confirmed probable possible CAPTURE scrape TYPE UNIT counter gauge histogram summary untyped info stateset gaugehistogram goroutine profile total created by in goroutine minutes locked to thread synctest bubble leaked scan durable additional frames elided originating from labels runtime.MemStats contention mutex cycles/second sampling period startedAtSeconds endedAtSeconds goVersion buildId processStartSeconds kind set file request takenAtSeconds tookSeconds skewSeconds collection number atSeconds status truncated error notes empty could not be read free text cannot be redacted yet JSON of an unknown kind Prometheus response which manifest of an earlier bundle';

export interface SearchPlan {
  readonly search: OriginalSearch;
  readonly searched: number;
  readonly notSearched: number;
}

/** Finding a word that is public anyway means nothing, such as a namespace named like a Go package. */
export function planSearch(redactor: Redactor): SearchPlan {
  const wanted = new Set<string>();
  let total = 0;
  for (const original of redactor.originals.keys()) {
    total++;
    if (isSearchable(original)) wanted.add(original);
    for (const part of tellingParts(original)) wanted.add(part);
  }
  const publicWords = searchFor(wanted).findAll(
    encodeText([FORMAT_WORDS, UNRECOGNIZED_FILE, ...redactor.kept].join('\n')),
  );
  for (const word of publicWords) wanted.delete(word);
  const searched = [...redactor.originals.keys()].filter(original => wanted.has(original)).length;
  return { search: searchFor(wanted), searched, notSearched: total - searched };
}

/** Whether an original is in a member, given decompressed. */
export function hasOriginal(bytes: Uint8Array, format: StoredFormat, { search }: SearchPlan): boolean {
  if (format !== 'pprof') return search.find(bytes) !== undefined;
  // Packed numbers can look like short words by chance, so short words are searched for in text only.
  if (search.find(bytes, MIN_ANYWHERE_BYTES) !== undefined) return true;
  const { strings, mappings, comments } = decodeProfile(bytes);
  const texts = [...strings, ...comments, ...mappings.flatMap(({ file, buildId }) => [file, buildId])];
  return search.find(encodeText(texts.join('\n'))) !== undefined;
}
