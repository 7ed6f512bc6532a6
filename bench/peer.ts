/** The peers: `go tool pprof`, and DataDog's gostackparse built from the Go module proxy. Both need a Go toolchain. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BENCH } from './places.ts';
import { temporaryFolder } from './temporary.ts';

const GOSTACKPARSE = 'v0.7.0';
const BUILD_TIMEOUT_MS = 120_000;

export interface Pprof {
  readonly goVersion: string;
  /** Run directly: `go tool` would add a process and its own time. */
  readonly binary: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Undefined without a Go toolchain. */
export function findPprof(): Pprof | undefined {
  try {
    const goVersion = execFileSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' }).trim();
    const binary = execFileSync('go', ['tool', '-n', 'pprof'], { encoding: 'utf8' }).trim();
    if (!existsSync(binary)) execFileSync('go', ['tool', 'pprof', '-h'], { stdio: 'ignore' });
    // An empty home: no settings, no fetched profiles.
    const home = temporaryFolder('home');
    return { goVersion, binary, env: { HOME: home, PPROF_TMPDIR: join(home, 'pprof'), TZ: 'UTC' } };
  } catch {
    return undefined;
  }
}

/** The path of a program that reads a dump with gostackparse, or why there is none. */
export function buildGostackparse(): { readonly binary: string } | { readonly missing: string } {
  const folder = temporaryFolder('gostackparse');
  copyFileSync(join(BENCH, 'gostackparse.go.txt'), join(folder, 'main.go'));
  writeFileSync(
    join(folder, 'go.mod'),
    `module bench\n\ngo 1.21\n\nrequire github.com/DataDog/gostackparse ${GOSTACKPARSE}\n`,
  );
  try {
    execFileSync('go', ['build', '-mod=mod', '-o', 'gostackparse', '.'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: BUILD_TIMEOUT_MS,
    });
    return { binary: join(folder, 'gostackparse') };
  } catch (error) {
    const [reason] = String((error as { stderr?: unknown }).stderr ?? error).split('\n', 1);
    return { missing: `gostackparse could not be built (${reason.slice(0, 120) || 'no Go toolchain'})` };
  }
}
