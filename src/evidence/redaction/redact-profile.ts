/**
 * A profile without names: label values, paths, comments. Stacks, values, build ids and functions stay, so `go tool
 * pprof` opens it and prints the same numbers.
 */
import type { Profile, ValueType } from '../../profile/profile.ts';
import { redactBinaryPath, redactCall } from './code-paths.ts';
import type { Redactor } from './redactor.ts';
import { elementAt } from '../../base/errors.ts';
import { redactBuildId, redactLabelName, redactUnit, redactValueType } from './kube-words.ts';

export function redactProfile(profile: Profile, redactor: Redactor): Profile {
  const { strings, functions, samples } = profile;
  const table = new StringTable();
  const text = (index: number): string => elementAt(strings, index);
  const each = (column: Uint32Array, redact: (text: string, row: number) => string): Uint32Array =>
    column.map((index, row) => table.index(redact(text(index), row)));
  const { labels } = samples;
  const callOf = (name: Uint32Array, row: number): { fn: string; file: string } =>
    redactCall(text(elementAt(name, row)), text(elementAt(functions.filename, row)), redactor);
  const calls = Array.from(functions.name, (_, row) => callOf(functions.name, row));
  const names = functions.name.map((_, row) => table.index(calls[row]?.fn ?? ''));
  const systemNames = functions.systemName.map((_, row) => table.index(callOf(functions.systemName, row).fn));
  const files = functions.filename.map((_, row) => table.index(calls[row]?.file ?? ''));
  const key = each(labels.key, name => redactLabelName(name, redactor));
  const str = each(labels.str, value => redactor.hide('label', value));
  const unit = each(labels.unit, name => redactUnit(name, redactor));
  const valueType = ({ type, unit }: ValueType): ValueType => ({
    type: redactValueType(type, redactor),
    unit: redactUnit(unit, redactor),
  });
  for (const comment of profile.comments) redactor.remove('text', comment);
  for (const pattern of [profile.dropFrames, profile.keepFrames]) redactor.remove('text', pattern);
  redactor.remove('url', profile.docUrl);
  return {
    ...profile,
    sampleTypes: profile.sampleTypes.map(valueType),
    defaultSampleType: redactValueType(profile.defaultSampleType, redactor),
    periodType: valueType(profile.periodType),
    functions: { ...functions, name: names, systemName: systemNames, filename: files },
    samples: { ...samples, labels: { ...labels, key, str, unit } },
    mappings: profile.mappings.map(mapping => ({
      ...mapping,
      file: redactBinaryPath(mapping.file, redactor),
      buildId: redactBuildId(mapping.buildId, redactor),
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
