/**
 * What a profile or dump says of the process it was taken from: its binary, its memory layout, its Go version.
 *
 * The layout is the best identity there is: the kernel places the vdso and shared libraries at random in each new
 * process, and profiles list those addresses. Equal layouts are one process; another layout is another process, also
 * when the binary, the node and the file names are the same.
 */
import type { GoroutineDump } from '../../model/goroutine-dump.ts';
import type { Mapping, Profile } from '../../model/profile.ts';

export interface Origin {
  /** Base name of the main binary; '' when not told. */
  readonly binary: string;
  readonly buildId: string;
  /** '' when the profile does not show it, or when addresses are not random. */
  readonly layout: string;
  /** The folder of `main.main`'s source: tells programs apart in text, which has no mappings. '' when not seen. */
  readonly program: string;
  /** `go1.26.7` or `go1.26`; '' when paths do not tell. */
  readonly goVersion: string;
}

export function originOf(profile: Profile | undefined, dump: GoroutineDump | undefined): Origin {
  const main = profile?.mappings.find(mapping => /^\/|^[\w.-]+$/.test(mapping.file) && !isLibrary(mapping));
  const files = profile === undefined ? dumpFiles(dump) : profileFiles(profile);
  return {
    binary: main === undefined ? '' : main.file.slice(main.file.lastIndexOf('/') + 1),
    buildId: main?.buildId ?? '',
    layout: profile === undefined ? '' : layoutOf(profile.mappings),
    program: folderOf(files.main),
    goVersion: files.goVersion,
  };
}

function isLibrary(mapping: Mapping): boolean {
  return /\.so(?:\.|$)|^\[/.test(mapping.file);
}

function layoutOf(mappings: readonly Mapping[]): string {
  const moved = mappings.filter(mapping => isLibrary(mapping) && mapping.file !== '[vsyscall]');
  // Where the kernel puts the first library when it does not randomise.
  if (moved.some(mapping => mapping.start >= 0x7ffff7000000n && mapping.start < 0x7ffff8000000n)) return '';
  return moved.map(mapping => `${mapping.file}@${mapping.start.toString(16)}`).join(' ');
}

interface Files {
  main: string;
  goVersion: string;
}

function profileFiles(profile: Profile): Files {
  const { functions, strings } = profile;
  const found: Files = { main: '', goVersion: '' };
  for (let fn = 0; fn < functions.length; fn++) {
    if (look(found, strings[functions.name[fn]], strings[functions.filename[fn]])) break;
  }
  return found;
}

function dumpFiles(dump: GoroutineDump | undefined): Files {
  const found: Files = { main: '', goVersion: '' };
  if (dump === undefined) return found;
  for (let frame = 0; frame < dump.frames.length; frame++) {
    if (look(found, dump.strings[dump.frames.fn[frame]], dump.strings[dump.frames.file[frame]])) break;
  }
  return found;
}

const GOROOT_VERSION =
  /(?:^|[/\\])(?:toolchain@v[\d.]+-)?go(1\.\d+(?:\.\d+)?(?:rc\d+)?)(?:\.[a-z]+-\w+)?[/\\](?:\w+[/\\])*src[/\\]/;

/** Returns whether all is known. */
function look(found: Files, name: string, file: string): boolean {
  if (name === 'main.main') found.main = file;
  else if (found.goVersion === '' && (name.startsWith('runtime.') || name.startsWith('sync.'))) {
    const match = GOROOT_VERSION.exec(file);
    if (match !== null) found.goVersion = `go${match[1]}`;
  }
  return found.main !== '' && found.goVersion !== '';
}

function folderOf(file: string): string {
  return file.slice(0, Math.max(file.lastIndexOf('/'), 0));
}

/** A Go version in a folder or file name: `go1.26/heap.pb.gz`, `kubelet-go1.26.7.txt`. */
export function goVersionInPath(path: string): string {
  const matches = [...path.matchAll(/(?:^|[/_-])go(1\.\d{1,2}(?:\.\d{1,2})?)(?![\d])/g)];
  return matches.length === 0 ? '' : `go${matches[matches.length - 1][1]}`;
}
