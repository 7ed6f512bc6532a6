/**
 * What a profile or dump says about its process: the binary, the memory layout, the Go version.
 *
 * The layout is the best identity there is: the kernel places the vdso and shared libraries at random in each new
 * process, and profiles list those addresses. Equal layouts mean the same process and different layouts different
 * processes, even if the binary, the node and the file names are the same.
 */
import type { GoroutineDump } from '../../profile/goroutine-dump.ts';
import type { Mapping, Profile } from '../../profile/profile.ts';
import { fileName, folderOf } from '../path-parts.ts';
import { elementAt } from '../../base/errors.ts';

export interface Origin {
  /** Base name of the main binary; '' when unknown. */
  readonly binary: string;
  readonly buildId: string;
  /** '' when the profile does not show it or addresses are not randomised. */
  readonly layout: string;
  /** The folder of `main.main`'s source, which identifies a program in text without mappings; '' when unknown. */
  readonly program: string;
  /** `go1.26.7` or `go1.26`, from paths; '' when unknown. */
  readonly goVersion: string;
}

export function originOf(profile: Profile | undefined, dump: GoroutineDump | undefined): Origin {
  const main = profile?.mappings.find(mapping => /^\/|^[\w.-]+$/.test(mapping.file) && !isLibrary(mapping));
  const files = profile === undefined ? dumpFiles(dump) : profileFiles(profile);
  return {
    binary: fileName(main?.file ?? ''),
    buildId: main?.buildId ?? '',
    layout: profile === undefined ? '' : layoutOf(profile.mappings),
    program: folderOf(files.main).slice(0, -1),
    goVersion: files.goVersion,
  };
}

function isLibrary(mapping: Mapping): boolean {
  return /\.so(?:\.|$)|^\[/.test(mapping.file);
}

function layoutOf(mappings: readonly Mapping[]): string {
  const moved = mappings.filter(mapping => isLibrary(mapping) && mapping.file !== '[vsyscall]');
  // The kernel puts the first library here when it does not randomise.
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
  const text = (column: Uint32Array, row: number): string => elementAt(strings, elementAt(column, row));
  for (let fn = 0; fn < functions.length; fn++) {
    if (look(found, text(functions.name, fn), text(functions.filename, fn))) break;
  }
  return found;
}

function dumpFiles(dump: GoroutineDump | undefined): Files {
  const found: Files = { main: '', goVersion: '' };
  if (dump === undefined) return found;
  const { frames, strings } = dump;
  const text = (column: Uint32Array, row: number): string => elementAt(strings, elementAt(column, row));
  for (let frame = 0; frame < frames.length; frame++) {
    if (look(found, text(frames.fn, frame), text(frames.file, frame))) break;
  }
  return found;
}

const GOROOT_VERSION =
  /(?:^|[/\\])(?:toolchain@v[\d.]+-)?go(1\.\d+(?:\.\d+)?(?:rc\d+)?)(?:\.[a-z]+-\w+)?[/\\](?:\w+[/\\])*src[/\\]/;

/** Returns whether everything is known now. */
function look(found: Files, name: string, file: string): boolean {
  if (name === 'main.main') found.main = file;
  else if (found.goVersion === '' && (name.startsWith('runtime.') || name.startsWith('sync.'))) {
    const match = GOROOT_VERSION.exec(file);
    if (match !== null) found.goVersion = `go${match[1]}`;
  }
  return found.main !== '' && found.goVersion !== '';
}

/** A Go version in a folder or file name: `go1.26/heap.pb.gz`, `kubelet-go1.26.7.txt`. */
export function goVersionInPath(path: string): string {
  const versions = Array.from(path.matchAll(/(?:^|[/_-])(go1\.\d{1,2}(?:\.\d{1,2})?)(?![\d])/g), match => match[1]);
  return versions.at(-1) ?? '';
}
