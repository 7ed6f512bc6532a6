/** The files in a drop, those in folders included. */
import type { GivenFile } from './local-files.ts';

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
  const plain = [...transfer.files];
  if (!entries.some(({ isDirectory }) => isDirectory)) {
    return { files: plain.map(file => ({ path: file.name, file })), hasFolder: false };
  }
  const files: GivenFile[] = [];
  for (const entry of entries) await addFiles(entry, files);
  return { files, hasFolder: true };
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
