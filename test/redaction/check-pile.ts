/** Sends a planted folder through `oakum bundle` and `oakum report`, and looks for every secret in all that comes out. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { tarGzArchive } from '../../src/evidence/io/tar-gz.ts';
import { isGzip } from '../../src/base/sniff.ts';
import { run } from '../../src/cli/run.ts';
import { memoryIo } from '../double/memory-io.ts';
import type { PlantedPile } from './planted-pile.ts';
import { formsOf, type Secret } from './secrets.ts';

export interface PileCheck {
  /** Where a secret was found, and which. */
  readonly leaks: readonly string[];
  /** What else is wrong: an answer that differs, a profile that does not open. */
  readonly problems: readonly string[];
  readonly members: number;
}

const AUDIENCES = ['upstream', 'provider', 'incident'];

export interface PileCheckOptions {
  /** Also asks `go tool pprof` to open every profile. */
  readonly go?: string | undefined;
  /** Makes bundle and reports as they must not leave, to see that the search finds what is there. */
  readonly redact?: boolean;
}

export async function checkPile(pile: PlantedPile, options: PileCheckOptions = {}): Promise<PileCheck> {
  const folder = mkdtempSync(join(tmpdir(), 'oakum-planted-'));
  try {
    for (const [name, bytes] of pile.files) {
      mkdirSync(join(folder, 'evidence', dirname(name)), { recursive: true });
      writeFileSync(join(folder, 'evidence', name), bytes);
    }
    return await check(pile, folder, options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function check(pile: PlantedPile, folder: string, { go, redact = true }: PileCheckOptions): Promise<PileCheck> {
  const open = redact ? [] : ['--no-redact'];
  const problems: string[] = [];
  const oakum = async (...args: string[]): Promise<string> => {
    const io = memoryIo({ cwd: folder });
    const code = await run(args, io);
    if (code !== 0) problems.push(`oakum ${args.join(' ')} exits with ${code}: ${io.err().slice(0, 500)}`);
    return io.out();
  };
  const layers = new Map<string, Buffer>();
  layers.set('the output of bundle', Buffer.from(await oakum('bundle', 'evidence', '-o', 'bundle.tgz', ...open)));
  if (problems.length > 0) return { leaks: [], problems, members: 0 };
  await oakum('bundle', 'verify', 'bundle.tgz');
  for (const audience of AUDIENCES) {
    const text = await oakum(
      'report',
      'evidence',
      '--for',
      audience,
      ...(audience === 'incident' && redact ? ['--redact'] : open),
    );
    layers.set(`the report for ${audience}`, Buffer.from(text));
  }
  const bundle = readFileSync(join(folder, 'bundle.tgz'));
  layers.set('the archive', bundle);
  layers.set('the tar', gunzipSync(bundle));
  const profiles: string[] = [];
  let members = 0;
  for await (const { path, bytes } of tarGzArchive().unpack(bundle)) {
    members++;
    layers.set(`the name of ${path}`, Buffer.from(path));
    layers.set(path, Buffer.from(isGzip(bytes) ? gunzipSync(bytes) : bytes));
    if (!path.endsWith('.pb.gz')) continue;
    profiles.push(join(folder, `profile-${members}.pb.gz`));
    writeFileSync(profiles.at(-1) ?? '', bytes);
  }
  const before = answerOf(await oakum('analyze', 'evidence', '-o', 'json'));
  const after = answerOf(await oakum('analyze', 'bundle.tgz', '-o', 'json'));
  if (before !== after) problems.push(`the answer differs:\n${before}\n${after}`);
  if (go !== undefined) for (const profile of profiles) problems.push(...openProblems(go, profile));
  return { leaks: leaksIn(layers, pile), problems, members };
}

/** One pass over each layer: a form can only begin where its first four bytes stand. */
function leaksIn(layers: ReadonlyMap<string, Buffer>, { secrets }: PlantedPile): string[] {
  const byStart = new Map<number, { readonly secret: Secret; readonly form: Buffer }[]>();
  for (const secret of secrets) {
    for (const form of formsOf(secret)) {
      const start = form.readInt32LE(0);
      const known = byStart.get(start);
      if (known === undefined) byStart.set(start, [{ secret, form }]);
      else known.push({ secret, form });
    }
  }
  const leaks = new Set<string>();
  for (const [place, bytes] of layers) {
    for (let at = 0; at + 4 <= bytes.length; at++) {
      for (const { secret, form } of byStart.get(bytes.readInt32LE(at)) ?? []) {
        if (form.compare(bytes, at, Math.min(at + form.length, bytes.length)) !== 0) continue;
        leaks.add(`${secret.kind} ${secret.text} as ${form.toString()} in ${place}`);
      }
    }
  }
  return [...leaks];
}

interface Answer {
  readonly verdict: string;
  readonly findings: readonly {
    readonly resource: string;
    readonly verdict: string;
    readonly count: number | null;
    readonly family: { readonly id: string };
    readonly matches: readonly { readonly ref: string; readonly grade: string }[];
  }[];
}

/** The answer without names. */
function answerOf(json: string): string {
  if (json === '') return '';
  const { verdict, findings } = JSON.parse(json) as Answer;
  const told = findings.map(({ resource, verdict: own, count, family, matches }) =>
    JSON.stringify([resource, own, count, family.id, matches.map(({ ref, grade }) => `${ref} ${grade}`)]),
  );
  return [verdict, ...told.sort()].join('\n');
}

function openProblems(go: string, profile: string): string[] {
  try {
    const top = execFileSync(go, ['tool', 'pprof', '-top', '-nodecount=3', profile], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    return top.includes('flat%') ? [] : [`go tool pprof prints no table for ${profile}`];
  } catch (error) {
    return [`go tool pprof does not open ${profile}: ${String(error).slice(0, 300)}`];
  }
}
