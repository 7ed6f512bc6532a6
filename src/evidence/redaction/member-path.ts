/**
 * Paths of files in a bundle. Kinds, moments, times and formats stay, because they say what a file is; everything else
 * is a name that somebody chose.
 *
 *     lab/worker-17/heap-1794772585.pb.gz   ->   redacted-.../redacted-.../heap-1794772585.pb.gz
 */
import type { Redactor } from './redactor.ts';

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
