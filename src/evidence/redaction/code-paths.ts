/**
 * Paths of sources and binaries. They contain home folders, users and hosts of whoever built the program.
 *
 *     /home/alice/go/pkg/mod/k8s.io/kubernetes@v1.36.0/pkg/kubelet/kubelet.go
 *           ^ hidden         ^ also in the function's package: stays           ^ the file stays
 *
 * Before the package, only folders that every machine has stay, and the Go version in the folder of the toolchain.
 */
import { isFunctionSymbol, isSourceFile, redactFunction, withoutTypeArguments, packageOf } from './code-names.ts';
import { isHidden, type Redactor } from './redactor.ts';
import { packageOfFile } from '../../profile/families/normalise.ts';

const EVERYWHERE =
  /^(?:usr|local|lib|lib32|lib64|libexec|s?bin|go|golang|golang\.org|GOROOT|src|pkg|mod|vendor|opt|root|home|Users|tmp|var|build|builds|workspace|_output|dockerized|cmd|internal|staging|third_party|proc|self|exe|(?:x86_64|aarch64|arm|i386)-linux-(?:gnu|musl)\w*|[A-Z]:|\.\.?|)$/;
const TOOLCHAIN =
  /^(?:toolchain@v[\d.]+-)?go-?1(?:\.\d+){0,2}(?:rc\d+|beta\d+)?(?:\.(?:linux|darwin|windows)-(?:amd64|arm64|arm|386))?$/;

/** Import paths begin with a host, those of the standard library with one of its folders. */
const IMPORTED =
  /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}|archive|bufio|bytes|cmp|compress|container|context|crypto|database|debug|embed|encoding|errors|expvar|flag|fmt|go|hash|html|image|index|internal|io|iter|log|maps|math|mime|net|os|path|plugin|reflect|regexp|runtime|slices|sort|strconv|strings|structs|sync|syscall|testing|text|time|unicode|unique|vendor|weak)(?:\/|$)/;

export function redactSourcePath(path: string, functionName: string, redactor: Redactor): string {
  if (path === '') return '';
  const { parts, separators } = split(path);
  const file = parts.length - 1;
  const folders = parts.slice(0, file);
  // An inlined function is in a file of another package than its own.
  const ofFunction = importPathOf(functionName);
  const shown = packageOfFile(parts.join('/'));
  const ofFile = isRootHidden(folders) ? '' : shown;
  const secret = redactor.isPrivate(ofFunction) || redactor.isPrivate(shown);
  const fromPackage = file - Math.max(matchingTail(folders, ofFunction), wholeTail(folders, ofFile));
  return join(
    parts.map((part, i) => {
      if (i === file) return isSourceFile(part) ? redactor.keep(part) : redactor.hide('path', part);
      if (i >= fromPackage && !secret && IMPORTED_FOLDER.test(part)) return redactor.keep(part);
      return redactFolder(part, redactor);
    }),
    separators,
  );
}

/** Whether the folder that shows where packages begin, `go-alice` of `/home/go-alice/src/net`, is hidden itself. */
function isRootHidden(folders: readonly string[]): boolean {
  const root = folders.findLast((folder, i) => folder.startsWith('go') && folders[i + 1] === 'src');
  return root !== undefined && !isEverywhere(root);
}

/** An element of an import path, in the module cache with the version of the module. */
const IMPORTED_FOLDER =
  /^[\w.~+!-]{1,100}(?:@v\d{1,4}\.\d{1,4}\.\d{1,4}(?:-(?:alpha|beta|rc)[.\d]{0,8})?(?:-(?:0\.)?\d{14}-[0-9a-f]{12})?(?:\+incompatible)?)?$/;

/** '' when the name is not one of code, so that it keeps no folder either. */
function importPathOf(functionName: string): string {
  const plain = withoutTypeArguments(functionName);
  return plain !== undefined && isFunctionSymbol(plain) ? packageOf(plain).replaceAll('%2e', '.') : '';
}

/** How many of the last folders are also the last ones of the package's path. */
function matchingTail(folders: readonly string[], packagePath: string): number {
  if (packagePath === '') return 0;
  const elements = packagePath.split('/').reverse();
  const plain = folders.toReversed().map(plainFolder);
  const differs = plain.findIndex((folder, i) => folder !== elements[i]);
  return differs < 0 ? plain.length : differs;
}

/**
 * The same for the package that the path itself names, if all of it stays: otherwise the redacted path names another
 * package, and a second redaction would hide more.
 */
function wholeTail(folders: readonly string[], packagePath: string): number {
  const length = packagePath.split('/').length;
  if (!IMPORTED.test(packagePath) || matchingTail(folders, packagePath) < length) return 0;
  return folders.slice(-length).every(folder => IMPORTED_FOLDER.test(folder)) ? length : 0;
}

/** `!azure` and `client@v1.2.3` in the module cache are `Azure` and `client`. */
function plainFolder(folder: string): string {
  return folder.replace(/@.*$/, '').replace(/!([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function isEverywhere(folder: string): boolean {
  return EVERYWHERE.test(folder) || TOOLCHAIN.test(folder);
}

function redactFolder(folder: string, redactor: Redactor): string {
  if (isEverywhere(folder)) return redactor.keep(folder);
  return redactor.hide('path', folder);
}

/** Public programs. */
const PUBLIC_BINARY =
  /^(?:kubelet|kubemark|hyperkube|kube-(?:apiserver|controller-manager|scheduler|proxy|state-metrics)|cloud-controller-manager|kubectl|kcp|containerd|containerd-shim(?:-runc-v2)?|crio|dockerd|runc|etcd|coredns|k3s|kine|konnectivity-(?:server|agent)|prometheus|cadvisor|node_exporter|cilium-agent|cilium-operator|calico-node|metrics-server)$/;
const SYSTEM_LIBRARY =
  /^(?:ld-(?:linux|musl)[\w.-]*|lib(?:c|m|dl|rt|pthread|resolv|util|gcc_s|stdc\+\+|z|seccomp|systemd|nss_\w+)(?:[-.][\w.-]+)?\.so[\d.]*)$/;

function isPublicBinary(name: string): boolean {
  return PUBLIC_BINARY.test(name);
}

/** A mapping's file: a binary, a library, or `[vdso]`. */
export function redactBinaryPath(path: string, redactor: Redactor): string {
  if (path === '' || /^(?:\[\w+\]|\/\/anon)$/.test(path)) return path;
  const deleted = path.endsWith(' (deleted)') ? ' (deleted)' : '';
  const { parts, separators } = split(path.slice(0, path.length - deleted.length));
  const hidden = parts.map((part, i) => {
    if (i < parts.length - 1) return redactFolder(part, redactor);
    if (isPublicBinary(part) || SYSTEM_LIBRARY.test(part)) return redactor.keep(part);
    // Readers recognise the program's own mapping because it is not a library.
    const library = /\.so(?:\.[\d.]+)?$/.exec(part)?.[0] ?? '';
    const name = part.slice(0, part.length - library.length);
    return isHidden(name) ? part : redactor.hide('name', name) + library;
  });
  return join(hidden, separators) + deleted;
}

function split(path: string): { parts: string[]; separators: string[] } {
  return { parts: path.split(/[/\\]/), separators: path.match(/[/\\]/g) ?? [] };
}

function join(parts: readonly string[], separators: readonly string[]): string {
  return parts.map((part, i) => part + (separators[i] ?? '')).join('');
}

/** A function with its file. One that is hidden whole explains no folder of its file, now and the next time. */
export function redactCall(name: string, file: string, redactor: Redactor): { fn: string; file: string } {
  const path = redactSourcePath(file, name, redactor);
  const fn = redactFunction(name, path, redactor);
  return { fn, file: fn === name || !fn.endsWith('.hidden') ? path : redactSourcePath(file, fn, redactor) };
}
