/**
 * The MANIFEST.json of a bundle: which files are in it. The rest of it is for people.
 *
 *     {"schema":"oakum.bundle/v1", ... ,"redaction":{...},"files":[{"path":"a/heap.pb.gz","format":"pprof", ...}]}
 */
import { recordOf, textOf } from '../../base/json.ts';
import type { BundleFile, BundleIndex } from '../bundle.ts';

/** Undefined when the JSON is something else, or says too little to check a bundle by. */
export function readBundleManifest(value: unknown): BundleIndex | undefined {
  const { schema, redaction, files, oakumVersion } = recordOf(value);
  if (schema !== 'oakum.bundle/v1' || redaction === undefined || !Array.isArray(files)) return undefined;
  const read = files.map(readFile).filter(file => file !== undefined);
  if (read.length < files.length) return undefined;
  return { oakumVersion: textOf(oakumVersion), isRedacted: redaction !== null, files: read };
}

function readFile(value: unknown): BundleFile | undefined {
  const { path, format, bytes, sha256 } = recordOf(value);
  if (typeof path !== 'string' || typeof bytes !== 'number' || typeof sha256 !== 'string') return undefined;
  return { path, format: textOf(format), bytes, sha256 };
}
