/**
 * The peer: `go tool pprof`, run in its own process. Its output is cached in node_modules/.cache by the hash of its
 * flags, its input and the Go version, so that a second run takes seconds.
 */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ROOT } from './places.ts';
import type { Output } from './run-oakum.ts';

export interface PeerCall {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The files that `argv` names, for the cache. */
  readonly files: readonly string[];
}

export class Peer {
  readonly version: string;
  /** Empty folders for files that the peer keeps between runs: settings and fetched profiles. */
  readonly env: Readonly<Record<string, string>>;
  private readonly binary: string;
  private readonly cache = join(ROOT, 'node_modules', '.cache', 'oakum-conformance');
  private readonly digests = new Map<string, string>();

  /** Undefined without a Go toolchain. */
  static find(): Peer | undefined {
    try {
      const version = execFileSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' }).trim();
      const binary = execFileSync('go', ['tool', '-n', 'pprof'], { encoding: 'utf8' }).trim();
      if (!existsSync(binary)) execFileSync('go', ['tool', 'pprof', '-h'], { stdio: 'ignore' });
      return new Peer(version, binary);
    } catch {
      return undefined;
    }
  }

  private constructor(version: string, binary: string) {
    this.version = version;
    this.binary = binary;
    const home = mkdtempSync(join(tmpdir(), 'oakum-peer-'));
    this.env = { HOME: home, PPROF_TMPDIR: join(home, 'pprof'), TZ: 'UTC' };
    mkdirSync(this.cache, { recursive: true });
  }

  async run(call: PeerCall): Promise<Output> {
    const file = join(this.cache, `${this.key(call)}.gz`);
    if (existsSync(file)) return unpack(gunzipSync(readFileSync(file)));
    const output = await this.runAgain(call);
    // Renamed into place, so that an interrupted run leaves no partial entry.
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, gzipSync(pack(output), { level: 1 }));
    renameSync(draft, file);
    return output;
  }

  /** Bypasses the cache, to see whether the peer agrees with itself. */
  runAgain(call: PeerCall): Promise<Output> {
    return new Promise((resolve, reject) => {
      const options = { cwd: call.cwd, env: this.env, encoding: 'buffer', maxBuffer: 1 << 30 } as const;
      execFile(this.binary, call.argv, options, (error, stdout, stderr) => {
        const exitCode = error === null ? 0 : error.code;
        if (typeof exitCode !== 'number') reject(error);
        else resolve({ exitCode, stdout, stderr: stderr.toString() });
      });
    });
  }

  close(): void {
    rmSync(this.env.HOME, { recursive: true, force: true });
  }

  private key(call: PeerCall): string {
    const hash = createHash('sha256').update(JSON.stringify([this.version, call.argv]));
    for (const file of call.files) hash.update(this.digest(join(call.cwd, file)));
    return hash.digest('hex');
  }

  private digest(path: string): string {
    let digest = this.digests.get(path);
    if (digest === undefined) {
      digest = createHash('sha256').update(readFileSync(path)).digest('hex');
      this.digests.set(path, digest);
    }
    return digest;
  }
}

/** One line of JSON, then stdout. */
function pack({ exitCode, stdout, stderr }: Output): Uint8Array {
  return Buffer.concat([Buffer.from(`${JSON.stringify({ exitCode, stderr })}\n`), stdout]);
}

function unpack(bytes: Buffer): Output {
  const end = bytes.indexOf(10);
  const { exitCode, stderr } = JSON.parse(bytes.toString('utf8', 0, end));
  return { exitCode, stderr, stdout: bytes.subarray(end + 1) };
}
