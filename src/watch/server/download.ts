/** Names of downloads: safe on every file system and in a header, whatever they come from. */
import { isGzip } from '../../base/gzip.ts';
import { isText } from '../../base/is-text.ts';

export function attachment(name: string): Readonly<Record<string, string>> {
  return { 'content-disposition': `attachment; filename="${safeFileName(name)}"` };
}

/** Letters, digits, dots, dashes and underscores; no leading dot; at most 120 characters, the end kept. */
export function safeFileName(name: string): string {
  const safe = name.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/\.{2,}/g, '.');
  return (safe.length > 120 ? safe.slice(0, 90) + safe.slice(-30) : safe).replace(/^[.-]+/, '') || 'download';
}

/** A stored file is a profile as it came: gzipped, or the text of a dump. */
export function profileName(sha256: string, bytes: Uint8Array): { readonly name: string; readonly type: string } {
  const short = sha256.slice(0, 12);
  if (isGzip(bytes)) return { name: `${short}.pb.gz`, type: 'application/octet-stream' };
  if (bytes.length > 0 && isText(bytes)) return { name: `${short}.txt`, type: 'text/plain; charset=utf-8' };
  return { name: `${short}.pb`, type: 'application/octet-stream' };
}
