/** Names of folders in rules and tables. */
import { posix } from 'node:path';

/** src/adapters/http/send.ts -> adapters/http; src/index.ts -> index; web/main.tsx -> web; test/double/x.ts -> test/double. */
export function folderOf(path: string): string {
  if (path === 'src/index.ts') return 'index';
  return posix.dirname(path).replace(/^src\//, '');
}

/** adapters/http -> adapters */
export function topOf(folder: string): string {
  const end = folder.indexOf('/');
  return end < 0 ? folder : folder.slice(0, end);
}

export function isWithin(folder: string, ancestor: string): boolean {
  return folder === ancestor || folder.startsWith(`${ancestor}/`);
}
