/** One member of a pile, redacted: each format by its own function, by content and not by name. */
import { FormatError } from '../base/errors.ts';
import { concatBytes, decodeText, encodeText } from '../base/text.ts';
import { sniffExposition } from '../formats/exposition/sniff.ts';
import { stripLogPrefix } from '../formats/log-prefix/strip.ts';
import { encodeProfile } from '../formats/pprof/encode.ts';
import { readAny } from '../formats/read.ts';
import { isCaptureManifest, redactCaptureManifest } from './formats/capture-manifest.ts';
import { redactCountedText } from './names/counted-text.ts';
import { redactExposition } from './formats/exposition.ts';
import { redactGoroutineDump } from './formats/goroutine-dump.ts';
import { redactKubeJson } from './formats/kube-json.ts';
import { redactProfile } from './formats/profile.ts';
import type { Redactor } from './names/redactor.ts';
import { readContext } from '../evidence/snapshots/read-context.ts';
import { storedName, type StoredFormat } from './stored-name.ts';

export interface RedactedMember {
  readonly format: StoredFormat;
  /** Decompressed. */
  readonly bytes: Uint8Array;
}

const HEAD_BYTES = 64 * 1024;
/** What is redacted as one text must fit into a string. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

/** Throws a FormatError that says why, when nothing of the content may leave. */
export function redactMember(bytes: Uint8Array, redactor: Redactor): RedactedMember {
  if (bytes.length === 0) throw new FormatError('empty');
  const head = bytes.subarray(0, HEAD_BYTES);
  if (sniffExposition(head)) return { format: 'metrics', bytes: concatBytes(redactExposition(bytes, redactor)) };
  if (/^\s*[[{]/.test(decodeText(head.subarray(0, 200)))) return redactJson(textOf(bytes), redactor);
  let reading;
  try {
    reading = readAny(bytes);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return redactOther(decodeText(head), bytes.length, redactor);
  }
  const { format, dump, profile } = reading;
  if (dump !== undefined) {
    redactor.count('argument', countArguments(bytes));
    return { format: dump.format, bytes: concatBytes(redactGoroutineDump(dump, redactor)) };
  }
  if (format === 'heap-text' || format === 'contention-text') {
    return { format, bytes: redactCountedText(textOf(stripLogPrefix(bytes)?.bytes ?? bytes), redactor) };
  }
  // Of formats that nobody writes any more, the profile they hold.
  return { format: 'pprof', bytes: encodeProfile(redactProfile(profile, redactor)).slice() };
}

function textOf(bytes: Uint8Array): string {
  if (bytes.length > MAX_TEXT_BYTES) throw new FormatError(`larger than ${MAX_TEXT_BYTES} bytes, too large to redact`);
  return decodeText(bytes);
}

function redactJson(text: string, redactor: Redactor): RedactedMember {
  const value = parsed(text);
  const schema = (value as { schema?: unknown } | null | undefined)?.schema;
  if (schema === 'oakum.bundle/v1') throw new FormatError('the manifest of an earlier bundle');
  if (isCaptureManifest(value)) {
    const name = (file: string): string => storedName(file, /\.pb(?:\.gz)?$/.test(file));
    return { format: 'capture-manifest', bytes: encodeText(redactCaptureManifest(text, redactor, name)) };
  }
  return { format: 'kubernetes-json', bytes: encodeText(redactKubeJson(text, redactor)) };
}

function redactOther(head: string, length: number, redactor: Redactor): RedactedMember {
  const context = readContext(head);
  if (context?.format === 'log') throw new FormatError('a log: free text cannot be redacted');
  if (context?.format !== 'version' || length > HEAD_BYTES) throw new FormatError('of an unknown kind');
  const [version] = context.versions.values();
  return { format: 'version', bytes: encodeText(`${redactor.keep(version)}\n`) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Calls that showed arguments: `(0x` and `({0x`. */
export function countArguments(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(0x28); at >= 0; at = bytes.indexOf(0x28, at + 1)) {
    const next = bytes[at + 1] === 0x7b ? at + 2 : at + 1;
    if (bytes[next] === 0x30 && bytes[next + 1] === 0x78) count++;
  }
  return count;
}
