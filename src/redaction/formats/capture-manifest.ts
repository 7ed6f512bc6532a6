/** The MANIFEST.json of a capture without names: what was asked for, when, and how it went. */
import { FormatError } from '../../base/errors.ts';
import type { CaptureEntry, CaptureManifest } from '../../model/capture.ts';
import { redactName } from '../names/member-path.ts';
import type { Redactor } from '../names/redactor.ts';

export function isCaptureManifest(value: unknown): value is CaptureManifest {
  const schema = (value as { schema?: unknown } | null)?.schema;
  return schema === 'oakum.capture/v1' && Array.isArray((value as { entries?: unknown }).entries);
}

/** `storedName` is what a file is called in the bundle. */
export function redactCaptureManifest(text: string, redactor: Redactor, storedName: (file: string) => string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new FormatError('JSON that cannot be parsed');
  }
  if (!isCaptureManifest(value)) throw new FormatError('not the manifest of a capture');
  return `${JSON.stringify(redactManifest(value, redactor, storedName), undefined, 1)}\n`;
}

function redactManifest(
  manifest: CaptureManifest,
  redactor: Redactor,
  storedName: (file: string) => string,
): CaptureManifest {
  const { goroutines } = manifest;
  const [, kind = '', name = ''] = /^([a-z]+\/)?(.*)$/s.exec(asText(manifest.target) ?? '') ?? [];
  return {
    schema: 'oakum.capture/v1',
    target: (kind === '' ? '' : redactor.keep(kind)) + (name === 'apiserver' ? name : redactor.hide('name', name)),
    oakumVersion: matching(manifest.oakumVersion, /^[\w.+-]{1,40}$/) ?? '',
    startedAtSeconds: asNumber(manifest.startedAtSeconds) ?? 0,
    endedAtSeconds: asNumber(manifest.endedAtSeconds),
    version: matching(manifest.version, /^v?\d[\w.+-]{0,60}$/),
    goVersion: matching(manifest.goVersion, /^go\d[\w.+ -]{0,60}$/),
    buildId: matching(manifest.buildId, /^[\w/+=-]{1,200}$/),
    processStartSeconds: (Array.isArray(manifest.processStartSeconds) ? manifest.processStartSeconds : []).map(
      asNumber,
    ),
    ...(Array.isArray(goroutines) ? { goroutines: goroutines.map(asNumber) } : {}),
    entries: manifest.entries.map(entry => redactEntry(entry, redactor, storedName)),
    notes: (Array.isArray(manifest.notes) ? manifest.notes : []).map(note => redactor.hide('text', String(note))),
  };
}

function redactEntry(entry: CaptureEntry, redactor: Redactor, storedName: (file: string) => string): CaptureEntry {
  const file = asText(entry.file);
  return {
    kind: redactor.keep(matching(entry.kind, /^[a-z0-9-]{1,30}$/) ?? 'unknown') as CaptureEntry['kind'],
    set: asNumber(entry.set) ?? 1,
    file: file === undefined ? undefined : storedName(redactName(file, redactor)),
    request: requestOf(asText(entry.request) ?? '', redactor),
    takenAtSeconds: asNumber(entry.takenAtSeconds) ?? 0,
    tookSeconds: asNumber(entry.tookSeconds) ?? 0,
    skewSeconds: asNumber(entry.skewSeconds),
    status: asNumber(entry.status) ?? 0,
    bytes: asNumber(entry.bytes) ?? 0,
    // Of the original; the bundle's own manifest has that of the redacted file.
    sha256: undefined,
    truncated: hideText(entry.truncated, redactor),
    error: hideText(entry.error, redactor),
  };
}

/** `/debug/pprof/heap?gc=1` stays; the node in `/api/v1/nodes/NAME/proxy/...` does not. */
function requestOf(request: string, redactor: Redactor): string {
  return request
    .split('/')
    .map(part =>
      /^(?:api|v1|nodes|proxy|debug|pprof|metrics|cadvisor|probes|resource|slis|stats|summary|configz|healthz|(?:goroutine|goroutineleak|heap|allocs|profile|block|mutex|threadcreate)(?:\?[a-z]+=\d+(?:&[a-z]+=\d+)*)?|)$/.test(
        part,
      )
        ? redactor.keep(part)
        : redactor.hide('name', part),
    )
    .join('/');
}

function hideText(value: unknown, redactor: Redactor): string | undefined {
  const text = asText(value);
  return text === undefined ? undefined : redactor.hide('text', text);
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function matching(value: unknown, pattern: RegExp): string | undefined {
  return typeof value === 'string' && pattern.test(value) ? value : undefined;
}
