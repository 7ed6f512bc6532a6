/** `oakum watch --demo` as `npm start` runs it: built from the current sources, in its own process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const LAUNCHER = fileURLToPath(new URL('../../bin/oakum.js', import.meta.url));

export interface DemoServer {
  readonly url: string;
  /** Stops it as Ctrl-C would; returns its exit code. */
  stop(): Promise<number | null>;
}

export async function startDemoServer(pace: number): Promise<DemoServer> {
  // @ts-expect-error: plain JavaScript, without types
  const { ensureBuilt } = await import('../../scripts/build.mjs');
  if (!(await ensureBuilt())) throw new Error('the sources do not build');
  const child = spawn(
    process.execPath,
    [LAUNCHER, 'watch', '--demo', '--pace', String(pace), '--listen', 'localhost:0'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  let said = '';
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (text: string) => {
      said += text;
      const found = /^ {2}(http:\S+)$/m.exec(said);
      if (found !== null) resolve(found[1]);
    });
    ended.then(code => reject(new Error(`the demo ended with ${code}: ${said}`)), reject);
  });
  return {
    url,
    stop: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}
