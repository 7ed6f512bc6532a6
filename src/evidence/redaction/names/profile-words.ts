/**
 * Words in profiles that are not names of code: the profiles themselves, the types and units of their values, and the
 * labels that programs put on goroutines and samples. Known ones stay; somebody may have chosen any other. Build ids stay
 * if they are hashes.
 */
import type { Redactor } from './redactor.ts';

const PROFILES: ReadonlySet<string> = words('goroutine goroutineleak threadcreate heap allocs block mutex');

const VALUE_TYPES: ReadonlySet<string> = words(
  'samples cpu alloc_objects alloc_space inuse_objects inuse_space objects space contentions delay goroutine goroutineleak threadcreate thread wall time heap allocs block mutex count counts value wait_minutes',
);

const UNITS: ReadonlySet<string> = words(
  'count counts bytes byte kilobytes megabytes nanoseconds microseconds milliseconds seconds minutes hours objects samples cpu cycles percent',
);

const LABELS: ReadonlySet<string> = words(
  'bytes request allocations wait_minutes state controller logicalcluster cluster workspace tenant organization org project shard namespace name pod container node host user client method verb path route handler endpoint service operation op action resource group version kind gvr gvk key keys object uid id queue worker component subsystem module plugin driver volume informer reflector task job stage phase step loop thread goroutine type reason source span_id trace_id local_root_span_id thread_id thread_name',
);

export function redactProfileName(name: string, redactor: Redactor): string {
  return keepKnown(name, PROFILES, redactor);
}

export function redactValueType(name: string, redactor: Redactor): string {
  return keepKnown(name, VALUE_TYPES, redactor);
}

export function redactUnit(name: string, redactor: Redactor): string {
  return keepKnown(name, UNITS, redactor);
}

/** The name of a label on a goroutine or a sample. */
export function redactLabelName(name: string, redactor: Redactor): string {
  return keepKnown(name, LABELS, redactor);
}

/** As linkers write it: a SHA-1 in hexadecimal, or Go's hashes. */
const BUILD_ID = /^(?:[0-9a-f]{40}|[\w-]{20}(?:\/[\w-]{20}){1,3})$/;

export function redactBuildId(id: string, redactor: Redactor): string {
  const isHash = BUILD_ID.test(id) && !/^(?:[2-6][0-9a-f]|7[0-9a-e])+$/.test(id) && !id.split('/').some(isTextInBase64);
  return isHash ? redactor.keep(id) : redactor.hide('text', id);
}

/** Hashes are never printable text, which a secret is, however it is written. */
function isTextInBase64(part: string): boolean {
  if (!/^[\w-]{20}$/.test(part)) return false;
  const bits = Array.from(part, char => BASE64URL.indexOf(char).toString(2).padStart(6, '0')).join('');
  return (bits.match(/.{8}/g) ?? []).every(byte => byte >= '00100000' && byte < '01111111');
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

function keepKnown(name: string, known: ReadonlySet<string>, redactor: Redactor): string {
  return known.has(name) ? redactor.keep(name) : redactor.hide('label', name);
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
