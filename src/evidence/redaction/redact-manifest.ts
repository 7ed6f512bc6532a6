/** The MANIFEST.json of a capture without names: each request, when it was sent, and how it went. */
import type { CapturedChange, CaptureEntry, CaptureManifest } from '../capture.ts';
import { clusterOf, nodeName } from '../target.ts';
import { redactName } from './member-path.ts';
import type { Redactor } from './redactor.ts';
import { FEATURE_GATES, redactBuildId } from './kube-words.ts';
import { redactGoVersion, redactKernelVersion, redactVersion } from './versions.ts';

/** `storedName` gives the name of a file in the bundle. */
export function redactCaptureManifest(
  manifest: CaptureManifest,
  redactor: Redactor,
  storedName: (file: string) => string,
): string {
  return `${JSON.stringify(redactManifest(manifest, redactor, storedName), undefined, 1)}\n`;
}

function redactManifest(
  manifest: CaptureManifest,
  redactor: Redactor,
  storedName: (file: string) => string,
): CaptureManifest {
  const { goroutines } = manifest;
  noteParts(manifest.target, redactor);
  const [, kind = '', name = ''] = /^((?:node|pod|deploy|service|process)\/)?(.*)$/s.exec(manifest.target) ?? [];
  return {
    schema: 'oakum.capture/v1',
    target: (kind === '' ? '' : redactor.keep(kind)) + (name === 'apiserver' ? name : redactor.hide('name', name)),
    oakumVersion: redactVersion(manifest.oakumVersion, redactor),
    startedAtSeconds: manifest.startedAtSeconds,
    endedAtSeconds: manifest.endedAtSeconds,
    version: manifest.version === undefined ? undefined : redactVersion(manifest.version, redactor),
    goVersion: manifest.goVersion === undefined ? undefined : redactGoVersion(manifest.goVersion, redactor),
    buildId: manifest.buildId === undefined ? undefined : redactBuildId(manifest.buildId, redactor),
    processStartSeconds: manifest.processStartSeconds,
    ...(goroutines === undefined ? {} : { goroutines }),
    entries: manifest.entries.map(entry => redactEntry(entry, redactor, storedName)),
    ...(manifest.changes === undefined
      ? {}
      : { changes: manifest.changes.map(change => redactChange(change, redactor)) }),
    notes: manifest.notes.map(note => redactor.hide('text', note)),
  };
}

/** The name of a target in one of several clusters is hidden as a whole; its parts may be elsewhere. */
function noteParts(target: string, redactor: Redactor): void {
  for (const part of [clusterOf(target), clusterOf(target) === undefined ? undefined : nodeName(target)])
    if (part !== undefined) redactor.remove('name', part);
}

/** Attributes whose names are ours; a DaemonSet or a label is somebody's. */
const ATTRIBUTES = /^(?:version|go|platform|kernel|runtime|os|arch|image|machine|pool|zone|region|taints|config|job)$/;
const GATE = 'gate/';

function redactChange({ atSeconds, attribute, from, to }: CapturedChange, redactor: Redactor): CapturedChange {
  const value = (text: string): string => {
    if (text === '') return '';
    if (attribute === 'version') return redactVersion(text, redactor);
    if (attribute === 'go') return redactGoVersion(text, redactor);
    if (attribute === 'kernel') return redactKernelVersion(text, redactor);
    return /^(?:on|off)$/.test(text) ? redactor.keep(text) : redactor.hide('text', text);
  };
  return { atSeconds, attribute: redactAttribute(attribute, redactor), from: value(from), to: value(to) };
}

function redactAttribute(attribute: string, redactor: Redactor): string {
  if (ATTRIBUTES.test(attribute)) return redactor.keep(attribute);
  if (attribute.startsWith(GATE) && FEATURE_GATES.has(attribute.slice(GATE.length))) return redactor.keep(attribute);
  const [kind = '', ...name] = attribute.split('/');
  return kind === 'daemonset'
    ? `${redactor.keep(kind)}/${redactor.hide('name', name.join('/'))}`
    : redactor.hide('text', attribute);
}

function redactEntry(entry: CaptureEntry, redactor: Redactor, storedName: (file: string) => string): CaptureEntry {
  const { file } = entry;
  redactor.keep(entry.kind);
  return {
    ...entry,
    file: file === undefined ? undefined : storedName(redactName(file, redactor)),
    request: requestOf(entry.request, redactor),
    // It is that of the original; the bundle's own manifest has the one of the redacted file.
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
      /^(?:api|v1|nodes|proxy|debug|pprof|metrics|cadvisor|probes|resource|slis|stats|summary|configz|healthz|(?:goroutine|goroutineleak|heap|allocs|profile|block|mutex|threadcreate)(?:\?(?:debug|gc|seconds)=\d{1,4}(?:&(?:debug|gc|seconds)=\d{1,4})*)?|)$/.test(
        part,
      )
        ? redactor.keep(part)
        : redactor.hide('name', part),
    )
    .join('/');
}

function hideText(text: string | undefined, redactor: Redactor): string | undefined {
  return text === undefined ? undefined : redactor.hide('text', text);
}
