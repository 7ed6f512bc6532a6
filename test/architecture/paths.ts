/** What a path says about a file: its kind, its folder, its room. */
import { posix } from 'node:path';

/** Captured or expected bytes, which we neither wrote nor named. */
const DATA = /^test\/fixtures\/|^test\/double\/recordings\/|\/goldens\//;

/** Code that ships, without tests and their support code. */
export function isProduction(path: string): boolean {
  return /^(src|web)\//.test(path) && isCode(path) && !isTest(path);
}

export function isTest(path: string): boolean {
  return /\.test\.[cm]?[jt]sx?$/.test(path);
}

export function isCode(path: string): boolean {
  return /\.[cm]?[jt]sx?$/.test(path);
}

export function isData(path: string): boolean {
  return DATA.test(path);
}

/** src/live/io/http/send.ts -> live/io/http; src/index.ts -> library; web/main.tsx -> web; test/double/x.ts -> test/double. */
export function folderOf(path: string): string {
  if (path === 'src/index.ts') return 'library';
  return posix.dirname(path).replace(/^src\//, '');
}

/** src/live/io/http/send.ts -> live */
export function roomOf(path: string): string {
  return folderOf(path).replace(/\/.*/, '');
}

export function isWithin(folder: string, ancestor: string): boolean {
  return folder === ancestor || folder.startsWith(`${ancestor}/`);
}

/** Whether files of this folder may do I/O: use Node modules and globals, and import others that do. */
export function doesIo(folder: string): boolean {
  return isWithin(folder, 'cli') || folder.split('/').some(name => name === 'io' || name === 'server');
}
