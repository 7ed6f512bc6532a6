/** The folder of a capture in memory. */
import { parseJson } from '../../base/json.ts';
import { readCaptureManifest } from '../../evidence/formats/capture-manifest.ts';
import type { ScratchFolder } from '../capture/capture-folder.ts';
import { inflateBody, toStored } from './stored-body.ts';

/** `shown` is what messages call it. */
export function scratchFolder(shown: string): ScratchFolder {
  const files = new Map<string, Uint8Array>();
  let manifestText: string | undefined;
  let isLocked = false;
  return {
    path: shown,
    readManifest: async () => (manifestText === undefined ? undefined : readCaptureManifest(parseJson(manifestText))),
    writeManifest: async manifest => void (manifestText = JSON.stringify(manifest)),
    write: async (name, content) => {
      const { bytes, facts } = await toStored(content);
      files.set(name, bytes);
      return facts;
    },
    has: async (name, bytes) => files.get(name)?.length === bytes,
    inflate: inflateBody,
    lock: async () => {
      if (isLocked) return { kind: 'busy', by: `process ${process.pid}` };
      isLocked = true;
      return { kind: 'locked', release: async () => void (isLocked = false) };
    },
    content: name => files.get(name),
  };
}
