/**
 * A profile without names: label values, paths, comments. Stacks, values, build ids and functions stay, so `go tool
 * pprof` opens it and prints the same numbers.
 */
import type { Profile } from '../../model/profile.ts';
import { redactFunction } from '../names/code-names.ts';
import { redactBinaryPath, redactSourcePath } from '../names/code-paths.ts';
import type { Redactor } from '../names/redactor.ts';

/** The linker's: hexadecimal, or Go's four hashes. */
const BUILD_ID = /^(?:[0-9a-f]*|[\w-]+(?:\/[\w-]*){1,3})$/;

export function redactProfile(profile: Profile, redactor: Redactor): Profile {
  const { strings, functions, samples } = profile;
  const table = new StringTable();
  const each = (length: number, text: (i: number) => string): Uint32Array =>
    Uint32Array.from({ length }, (_, i) => table.index(text(i)));
  const { labels } = samples;
  const text = (index: number): string => strings[index];
  const names = each(functions.length, i => redactFunction(text(functions.name[i]), redactor));
  const systemNames = each(functions.length, i => redactFunction(text(functions.systemName[i]), redactor));
  const files = each(functions.length, i =>
    redactSourcePath(text(functions.filename[i]), text(functions.name[i]), redactor),
  );
  const key = each(labels.length, i => redactor.keep(text(labels.key[i])));
  const str = each(labels.length, i => redactor.hide('label', text(labels.str[i])));
  const unit = each(labels.length, i => redactor.keep(text(labels.unit[i])));
  for (const comment of profile.comments) redactor.remove('text', comment);
  for (const pattern of [profile.dropFrames, profile.keepFrames]) redactor.remove('text', pattern);
  redactor.remove('url', profile.docUrl);
  return {
    ...profile,
    functions: { ...functions, name: names, systemName: systemNames, filename: files },
    samples: { ...samples, labels: { ...labels, key, str, unit } },
    mappings: profile.mappings.map(mapping => ({
      ...mapping,
      file: redactBinaryPath(mapping.file, redactor),
      buildId: BUILD_ID.test(mapping.buildId) ? mapping.buildId : redactor.hide('text', mapping.buildId),
    })),
    comments: [],
    docUrl: '',
    dropFrames: '',
    keepFrames: '',
    strings: table.strings,
  };
}

class StringTable {
  readonly strings: string[] = [''];
  private readonly indexes = new Map<string, number>([['', 0]]);

  index(text: string): number {
    let index = this.indexes.get(text);
    if (index === undefined) {
      index = this.strings.push(text) - 1;
      this.indexes.set(text, index);
    }
    return index;
  }
}
