import { execFileSync } from 'node:child_process';

/** The path of `go`; undefined where it is not installed. */
export function goTool(): string | undefined {
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' });
    return 'go';
  } catch {
    return undefined;
  }
}
