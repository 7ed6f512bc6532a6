/**
 * Paths of files in a bundle. Kinds, moments, times and formats stay, because they say what a file is; everything else
 * is a name that somebody chose.
 *
 *     lab/worker-17/heap-1794772585.pb.gz   ->   redacted-.../redacted-.../heap-1794772585.pb.gz
 */
import type { Redactor } from './redactor.ts';
import { targetInPath } from '../path-parts.ts';
import type { StoredFormat } from '../formats/registry.ts';

/** Kinds, moments and formats; a small number may follow one: `heap-1`, `t3`. */
const COUNTED =
  /^(?:heap(?:gc)?|goroutines?|goroutineleak|allocs?|cpu|profiles?|block|mutex|threadcreate|metrics|probes|resource|cadvisor|slis|trace|stats|summary|dumps?|stacks?|sigquit|logs?|events|pods|nodes|leases|configz|healthz|version|inuse|pprof|prof|deploy|runningpods|kubectl|manifest|debug|d[012]|before|after|start|end|begin|finish|first|last|base|baseline|old|new|t|round|snap|snapshot|run|step|phase|once|captures?|evidence|files|set|pb|gz|txt|prom|json|jsonl|out|raw|log|yaml)\d{0,3}$/i;
/** Marks one of several files with the same path. */
const COPY = /^copy\d{1,6}$/;
const COMPONENT = /^(?:kube|kubelet|apiserver|controller|manager|scheduler|proxy|etcd|kcp|containerd|redacted)$/;

/** Times and Go versions, which analyses read from names. */
const PROTECTED =
  /(?<=^|\D)(?:20\d\d-?[01]\d-?[0-3]\d(?:[T_ -]?[012]\d[-:_.h]?[0-5]\d(?:[-:_.m]?[0-5]\d)?Z?)?|1\d{9}(?:\d{3})?)(?=\D|$)|(?<=^|[/_-])go1\.\d{1,2}(?:\.\d{1,2})?(?!\d)/g;

const SMALL_NUMBER = /^\d{1,3}$/;

export function redactMemberPath(path: string, redactor: Redactor): string {
  return path
    .split('/')
    .filter(part => part !== '' && part !== '.' && part !== '..')
    .map(part => redactName(part, redactor))
    .join('/');
}

export function redactName(name: string, redactor: Redactor): string {
  const out: string[] = [];
  let at = 0;
  for (const match of name.matchAll(PROTECTED)) {
    out.push(redactWords(name.slice(at, match.index), redactor), match[0]);
    at = match.index + match[0].length;
  }
  out.push(redactWords(name.slice(at), redactor));
  return out.join('');
}

/** A run of unknown words is hidden as one: `worker-17-heap` -> `redacted-kqzjxabcdef-heap`. */
function redactWords(text: string, redactor: Redactor): string {
  const pieces = text.split(/([-_. ])/);
  const words = pieces.filter((_, i) => i % 2 === 0);
  const isKnown = (i: number): boolean => isKnownWord(words[i] ?? '', words[i - 1], words[i + 1] ?? '');
  let out = '';
  for (let i = 0; i < words.length;) {
    if (i > 0) out += pieces[2 * i - 1];
    const from = i;
    const known = isKnown(i);
    while (i + 1 < words.length && isKnown(i + 1) === known) i++;
    const run = pieces.slice(2 * from, 2 * i + 1).join('');
    out += known ? redactor.keep(run) : redactor.hide('name', run);
    i++;
  }
  return out;
}

function isKnownWord(word: string, before: string | undefined, after: string): boolean {
  if (word === '') return true;
  if (SMALL_NUMBER.test(word)) return (before === undefined || COUNTED.test(before)) && !SMALL_NUMBER.test(after);
  // The letters of `redacted-kqzjxabcdef`.
  const isToken = before === 'redacted' && /^[a-z]{11}$/.test(word);
  return COUNTED.test(word) || COMPONENT.test(word) || COPY.test(word) || isToken;
}

/**
 * The name of a file in a bundle.
 *
 *     /captures/worker-17/profiles/heap-1794772585.pb.gz   ->   worker-17/profiles/heap-1794772585.pb.gz
 *
 * The folder that names the target is kept. Each profile is compressed, as `go tool pprof` reads it; text is not, since
 * the archive is.
 */
export function storedName(name: string, format: StoredFormat): string {
  // A file may be called `.gz`, and a path may be nothing but dots.
  const plain = name.replace(/(?<=[^/])\.gz$/i, '') || 'raw';
  if (format !== 'pprof') return plain;
  return /\.(?:pb|pprof|prof)$/i.test(plain) ? `${plain}.gz` : `${plain}.pb.gz`;
}

/** A member's path, starting with the folder that names its target; `roots` are the paths that the user gave. */
export function pathInBundle(path: string, roots: readonly string[]): string {
  const root = roots.find(one => path === one || path.startsWith(`${one}/`)) ?? '';
  const isFile = path === root;
  const folder = isFile ? root.slice(0, root.lastIndexOf('/')) : root;
  const parts = folder.split('/');
  const target = targetInPath(`${folder}/x`).folder;
  const from = target === '' ? parts.length - 1 : target.split('/').length - 1;
  const inside = path.slice(folder.length + 1);
  return [...parts.slice(from), ...inside.split('/')]
    .filter(part => part !== '')
    .map((part, i, all) => (i < all.length - 1 ? part.replace(/(?:\.tar(?:\.gz)?|\.tgz)$/i, '') : part))
    .join('/');
}

/** `.pb.gz` of `heap-go1.19.pb.gz`. */
const ENDING = /(?:\.[a-z]\w{0,7})*$/i;

/**
 * The path, marked as a copy before its ending if another file has the same path. The mark is a word that every path may
 * have (member-path.ts): a bare number would be hidden by a second redaction.
 */
export function uniquePath(path: string, taken: ReadonlySet<string>): string {
  if (!taken.has(path)) return path;
  const ending = ENDING.exec(path)?.[0] ?? '';
  const name = path.slice(0, path.length - ending.length);
  for (let number = 2; ; number++) {
    const candidate = `${name}-copy${number}${ending}`;
    if (!taken.has(candidate)) return candidate;
  }
}
