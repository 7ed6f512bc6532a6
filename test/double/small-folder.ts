/** The folder of a capture in memory, with room for a given number of files, which can be deleted. */
import { scratchFolder } from '../../src/live/io/capture-folder.ts';
import { type CaptureFolder, FolderError } from '../../src/live/ports.ts';

export interface SmallFolder extends CaptureFolder {
  delete(name: string): void;
}

export function smallFolder(room: number = Infinity): SmallFolder {
  const scratch = scratchFolder('./out');
  const deleted = new Set<string>();
  let left = room;
  return {
    ...scratch,
    write: async (name, content) => {
      if (left-- <= 0) throw new FolderError('cannot write to ./out: the disk is full; free some space');
      deleted.delete(name);
      return scratch.write(name, content);
    },
    has: async (name, bytes) => !deleted.has(name) && scratch.has(name, bytes),
    delete: name => void deleted.add(name),
  };
}
