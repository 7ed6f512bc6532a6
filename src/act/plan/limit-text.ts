/** A limit for a kubelet: the file to install, and what it does and does not cure. */
import type { LimitAdvice } from './limit.ts';

/** The file itself on stdout can be piped; so everything else is a comment. */
export function limitText(node: string, { path, file, commands, does, doesNot }: LimitAdvice): string {
  const lines = [
    `# ${path} on ${node}`,
    ...does.map(line => `# + ${line}`),
    ...doesNot.map(line => `# - ${line}`),
    `# Then: ${commands.join(' && ')}`,
    file.trimEnd(),
  ];
  return `${lines.join('\n')}\n`;
}
