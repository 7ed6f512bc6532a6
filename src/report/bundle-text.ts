/** What `oakum bundle` says when it is done. */
import type { BundleIndex, BundleManifest } from '../evidence/bundle.ts';
import { formatBytes, formatCount } from '../base/say.ts';
import { visible } from '../base/visible-text.ts';

const KINDS: readonly (readonly [kind: string, one: string, many: string])[] = [
  ['label', 'label value', 'label values'],
  ['name', 'name', 'names'],
  ['address', 'address', 'addresses'],
  ['url', 'URL', 'URLs'],
  ['path', 'folder in paths', 'folders in paths'],
  ['module', 'module', 'modules'],
  ['text', 'free text', 'free texts'],
  ['type', 'type argument', 'type arguments'],
];

export function bundleMadeText(path: string, bytes: number, manifest: BundleManifest): string {
  const { files, leftOut, analysis, redaction } = manifest;
  const rest = leftOut.length === 0 ? '' : `, ${leftOut.length} left out`;
  const lines = [
    `wrote     ${visible(path)}: ${formatBytes(bytes)}, ${count(files.length, 'file', 'files')}${rest}`,
    `redacted  ${redactionText(redaction)}`,
  ];
  if (redaction !== null) {
    const unsure =
      redaction.notSearched === 0
        ? ''
        : `; ${formatCount(redaction.notSearched)} are too short, numbers or public words`;
    lines.push(`searched  for ${formatCount(redaction.searched)} originals in every encoding: none is left${unsure}`);
  }
  lines.push(`analysis  ${visible(analysis.sentence)}`);
  lines.push(
    analysis.sameAsOriginals
      ? '          the same findings as the originals'
      : '          NOT the same findings as the originals: run oakum analyze on both before you rely on it',
  );
  return `${lines.join('\n')}\n`;
}

export function bundleSoundText(path: string, { files, isRedacted, oakumVersion }: BundleIndex): string {
  const what = isRedacted ? 'redacted, with nothing left to redact' : 'NOT REDACTED';
  const of = count(files.length, 'file', 'files');
  return `${visible(path)}: sound; ${of}, whole and readable; ${what}; made by oakum ${visible(oakumVersion)}\n`;
}

function redactionText(redaction: BundleManifest['redaction']): string {
  if (redaction === null) return 'NOTHING: it holds names, labels and paths as they are';
  const parts = KINDS.flatMap(([kind, one, many]) => {
    const number = redaction.originals[kind] ?? 0;
    return number === 0 ? [] : [count(number, one, many)];
  });
  const calls = redaction.replacements['argument'] ?? 0;
  if (calls > 0) parts.push(`the arguments of ${count(calls, 'call', 'calls')}`);
  return parts.length === 0 ? 'nothing to redact' : parts.join(', ');
}

function count(number: number, one: string, many: string): string {
  return `${formatCount(number)} ${number === 1 ? one : many}`;
}
