/**
 * A profile without names: label values, paths, comments. Stacks, values, build ids and functions stay, so `go tool
 * pprof` opens it and prints the same numbers.
 */
import { elementAt } from '../../base/assert.ts';
import type { Profile } from '../../model/profile.ts';
import { redactFunction } from '../names/code-names.ts';
import { redactBinaryPath, redactSourcePath } from '../names/code-paths.ts';
import type { Redactor } from '../names/redactor.ts';

/** As linkers write it: hexadecimal, or Go's four hashes. */
const BUILD_ID = /^(?:[0-9a-f]*|[\w-]+(?:\/[\w-]*){1,3})$/;

export function redactProfile(profile: Profile, redactor: Redactor): Profile {
  const { strings, functions, samples } = profile;
  const table = new StringTable();
  const text = (index: number): string => elementAt(strings, index);
  const each = (column: Uint32Array, redact: (text: string, row: number) => string): Uint32Array =>
    column.map((index, row) => table.index(redact(text(index), row)));
  const { labels } = samples;
  const names = each(functions.name, name => redactFunction(name, redactor));
  const systemNames = each(functions.systemName, name => redactFunction(name, redactor));
  const files = each(functions.filename, (file, row) =>
    redactSourcePath(file, text(elementAt(functions.name, row)), redactor),
  );
  const key = each(labels.key, name => redactor.keep(name));
  const str = each(labels.str, value => redactor.hide('label', value));
  const unit = each(labels.unit, name => redactor.keep(name));
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
