/**
 * The address for dropped files:
 *
 *     one profile                      its page
 *     several profiles of one kind     the earliest compared with the latest
 *     a folder, an archive, metrics, profiles of several kinds     an analysis of all of it
 */
import type { OpenedProfile } from './open-profile.ts';
import type { GivenFile, LocalFile, ProfileReader } from './profile-reader.ts';

/** The files in a drop, those in folders included. */
export interface Transferred {
  readonly files: readonly GivenFile[];
  /** A folder is a pile of evidence, whatever is in it. */
  readonly hasFolder: boolean;
}

/** More are probably the wrong folder. */
const MAX_FILES = 2000;

/** The items must be read before the event ends; what follows takes time. */
export async function transferredFiles(transfer: DataTransfer): Promise<Transferred> {
  const entries = [...transfer.items].flatMap(item => item.webkitGetAsEntry() ?? []);
  const handles = handlesOf(transfer);
  const plain = [...transfer.files];
  if (!entries.some(({ isDirectory }) => isDirectory)) {
    return { files: plain.map(file => ({ path: file.name, file })), hasFolder: false };
  }
  const files: GivenFile[] = [];
  // A page from disk gets no files of entries in Chromium, only of handles; other browsers have no handles.
  if (handles === undefined) for (const entry of entries) await addFiles(entry, files);
  else for (const handle of await Promise.all(handles)) if (handle !== null) await addHandle(handle, '', files);
  return { files, hasFolder: true };
}

/** What TypeScript does not know yet. */
interface WithHandle {
  readonly getAsFileSystemHandle?: () => Promise<FileSystemHandle | null>;
}

function handlesOf({ items }: DataTransfer): readonly Promise<FileSystemHandle | null>[] | undefined {
  const dropped = [...items].filter(({ kind }) => kind === 'file');
  const given = dropped.map(item => (item as DataTransferItem & WithHandle).getAsFileSystemHandle?.());
  return given.every(handle => handle !== undefined) ? given : undefined;
}

async function addHandle(handle: FileSystemHandle, parent: string, files: GivenFile[]): Promise<void> {
  const path = parent + handle.name;
  if (handle.kind === 'file') {
    if (files.length >= MAX_FILES) throw new Error(`${handle.name}: more than ${MAX_FILES} files in this folder`);
    files.push({ path, file: await (handle as FileSystemFileHandle).getFile() });
  } else {
    const inside = handle as FileSystemDirectoryHandle & AsyncIterable<readonly [string, FileSystemHandle]>;
    for await (const [, child] of inside) await addHandle(child, `${path}/`, files);
  }
}

async function addFiles(entry: FileSystemEntry, files: GivenFile[]): Promise<void> {
  if (isFile(entry)) {
    if (files.length >= MAX_FILES) throw new Error(`${entry.name}: more than ${MAX_FILES} files in this folder`);
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    files.push({ path: entry.fullPath.replace(/^\//, ''), file });
  } else if (isFolder(entry)) {
    const reader = entry.createReader();
    for (;;) {
      // It answers in parts, and with none at the end.
      const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
      if (part.length === 0) return;
      for (const child of part) await addFiles(child, files);
    }
  }
}

// Not by `instanceof`: browsers do not agree on the names of these classes.
function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

export interface DroppedProfile {
  readonly key: string;
  readonly opened: OpenedProfile;
}

/** More files than this are not one comparison. */
const MAX_COMPARED = 20;

/** Throws an error with the file's name if nothing can be read. */
export async function openDroppedFiles(reader: ProfileReader, { files, hasFolder }: Transferred): Promise<string> {
  const kept = withOwnPaths(files).map(given => ({ ...given, key: reader.keep(given.file) }));
  if (hasFolder || kept.length > MAX_COMPARED) return pileAddress(reader, kept);
  const profiles: DroppedProfile[] = [];
  for (const { key, path } of kept) {
    try {
      profiles.push({ key, opened: await reader.open(key) });
    } catch (error) {
      // Not a profile, but maybe metrics, a log or an archive: evidence all the same.
      const address = reader.keepPile(kept);
      if (await isReadable(reader, address)) return `/analysis/${address}`;
      throw new Error(`${path}: ${(error as Error).message}`);
    }
  }
  return addressOf(profiles) ?? pileAddress(reader, kept);
}

/** Files of several folders may have one name: `heap.pb.gz`, `heap.pb.gz (2)`. */
export function withOwnPaths(files: readonly GivenFile[]): GivenFile[] {
  const seen = new Map<string, number>();
  return files.map(({ path, file }) => {
    const count = (seen.get(path) ?? 0) + 1;
    seen.set(path, count);
    return { path: count === 1 ? path : `${path} (${count})`, file };
  });
}

async function isReadable(reader: ProfileReader, pile: string): Promise<boolean> {
  const analysis = await reader.analyze(pile).catch(() => undefined);
  return analysis?.inputs.some(({ error }) => error === null) ?? false;
}

function pileAddress(reader: ProfileReader, kept: readonly LocalFile[]): string {
  if (kept.length === 0) throw new Error('There is no file in this folder.');
  return `/analysis/${reader.keepPile(kept)}`;
}

/** Undefined if they are of several kinds. */
export function addressOf(profiles: readonly DroppedProfile[]): string | undefined {
  if (new Set(profiles.map(({ opened }) => opened.kind)).size > 1) return undefined;
  const keys = inTimeOrder(profiles).map(({ key }) => key);
  return keys.length === 1 ? `/p/${keys[0]}` : `/compare?a=${keys[0]}&b=${keys.at(-1)}`;
}

/** By the time in the files; if one has none, by name, since people number their files. */
function inTimeOrder(profiles: readonly DroppedProfile[]): readonly DroppedProfile[] {
  const isTimed = profiles.every(({ opened }) => opened.takenAt !== undefined);
  return profiles.toSorted(({ opened: a }, { opened: b }) =>
    isTimed ? (a.takenAt ?? 0) - (b.takenAt ?? 0) : a.name.localeCompare(b.name, 'en', { numeric: true }),
  );
}

/** Files from a file dialog; those of a chosen folder have its name in their path. */
export function chosenFiles(files: readonly File[]): Transferred {
  const given: GivenFile[] = files.map(file => ({ path: file.webkitRelativePath || file.name, file }));
  return { files: given, hasFolder: files.some(({ webkitRelativePath }) => webkitRelativePath !== '') };
}
