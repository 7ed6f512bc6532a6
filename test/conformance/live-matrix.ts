/** What `--live` compares: every capture with every report, and with every option under two reports. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { PeerCall } from './peer.ts';
import { CAPTURES } from './places.ts';

export interface LiveCase extends PeerCall {
  readonly name: string;
  readonly group: 'live-reports' | 'live-options';
  /** The output is gzip: its contents are compared. */
  readonly binary: boolean;
}

const REPORTS = [
  '-top',
  '-text',
  '-tree',
  '-peek=.',
  '-traces',
  '-tags',
  '-raw',
  '-comments',
  '-list=main',
  '-dot',
  '-callgrind',
  '-proto',
  '-topproto',
];

// BASE is the same capture of the previous round; SOURCES adds it as a second source.
const OPTIONS: readonly (readonly string[])[] = [
  ['-cum'],
  ['-functions'],
  ['-lines'],
  ['-lines', '-cum'],
  ['-files'],
  ['-filefunctions'],
  ['-addresses'],
  ['-addresses', '-noinlines'],
  ['-noinlines'],
  ['-noinlines', '-lines'],
  ['-showcolumns', '-lines'],
  ['-focus=main|http'],
  ['-focus=no such frame'],
  ['-focus=('],
  ['-focus=main', '-relative_percentages'],
  ['-ignore=select|chan'],
  ['-hide=^runtime\\.'],
  ['-show=main|runtime'],
  ['-show_from=main'],
  ['-prune_from=^main\\.'],
  ['-tagfocus=bytes=1kb:64kb'],
  ['-tagfocus=controller'],
  ['-tagfocus=logicalcluster=.*[13]'],
  ['-tagignore=bytes=:1kb'],
  ['-tagignore=controller|logicalcluster'],
  ['-tagroot=controller,logicalcluster'],
  ['-tagroot=bytes'],
  ['-tagleaf=controller'],
  ['-tagleaf=bytes', '-unit=kb'],
  ['-tagshow=controller'],
  ['-taghide=bytes|controller'],
  ['-nodecount=5'],
  ['-nodecount=5', '-cum'],
  ['-nodefraction=0.1', '-edgefraction=0.05'],
  ['-trim=false'],
  ['-compact_labels'],
  ['-unit=auto'],
  ['-unit=ms'],
  ['-unit=kb'],
  ['-mean'],
  ['-divide_by=7'],
  ['-call_tree'],
  ['-call_tree', '-nodecount=10'],
  ['-sample_index=0'],
  ['-sample_index=inuse_objects'],
  ['-sample_index=99'],
  ['-base=BASE'],
  ['-diff_base=BASE'],
  ['-base=BASE', '-normalize'],
  ['-diff_base=BASE', '-normalize', '-cum'],
  ['-base=BASE', '-drop_negative'],
  ['-diff_base=BASE', '-focus=main', '-lines'],
  ['-normalize'],
  ['SOURCES'],
  ['SOURCES', '-lines', '-cum'],
  ['-add_comment=a comment', '-trim_path=/src'],
];

export function liveCases(): LiveCase[] {
  const captures = listCaptures();
  const cases: LiveCase[] = [];
  captures.forEach((capture, c) => {
    const base = roundBefore(capture, captures);
    for (const report of REPORTS) cases.push(liveCase('live-reports', [report], capture, base));
    OPTIONS.forEach((options, o) => {
      // -top shows most; the others take turns, so that every option is tried with every report on some capture.
      const turn = REPORTS[1 + ((c * 5 + o) % (REPORTS.length - 1))];
      for (const report of ['-top', turn]) cases.push(liveCase('live-options', [report, ...options], capture, base));
    });
  });
  return cases;
}

function liveCase(group: LiveCase['group'], flags: readonly string[], capture: string, base: string): LiveCase {
  const merged = flags.includes('SOURCES');
  const words = flags.filter(flag => flag !== 'SOURCES').map(flag => flag.replace('BASE', base));
  return {
    name: `${capture} ${flags.join(' ')}`,
    group,
    argv: ['-symbolize=none', ...words, capture, ...(merged ? [base] : [])],
    cwd: CAPTURES,
    files: merged || words.some(word => word.endsWith(base)) ? [capture, base] : [capture],
    binary: /^-(top)?proto$/.test(flags[0]),
  };
}

/** Everything that the peer can read: it supports neither debug=2 nor SIGQUIT dumps. */
function listCaptures(): string[] {
  return readdirSync(CAPTURES, { recursive: true, encoding: 'utf8' })
    .filter(path => /\.pb\.gz$|\.debug1\.txt$/.test(path))
    .sort();
}

/** The same file in the folder before this one: `t2/heap` for `t3/heap`; itself for the first. */
function roundBefore(capture: string, captures: readonly string[]): string {
  const folder = dirname(capture);
  const siblings = captures.filter(
    other => basename(other) === basename(capture) && dirname(dirname(other)) === dirname(folder),
  );
  return siblings[Math.max(siblings.indexOf(capture) - 1, 0)] ?? join(folder, basename(capture));
}
