/** A call in words that are exact: what a person approves, and what a file lists for its reader. */
import { formatAge } from '../../base/say.ts';
import { listOf, recordOf, textOf } from '../../base/json.ts';
import { jsonLine } from '../../report/json.ts';
import type { PodCall, StepCall } from './plan-step.ts';

const DRY_RUN = { allowed: '', 'not-asked': '', refused: ' (refused now)', waits: ' (waits for others of its budget)' };

/** One line for each request, command or pod. */
export function callLines(call: StepCall): string[] {
  switch (call.kind) {
    case 'request':
      return [`${call.method} ${call.path}${call.body === null ? '' : ` ${jsonLine(call.body).trimEnd()}`}`];
    case 'lease-acquire':
      return [`POST or PUT ${call.path}, renewed for ${formatAge(call.durationSeconds)} at a time`];
    case 'lease-release':
      return [`PUT ${call.path}`];
    case 'command':
      return [`run ${call.argv.map(quoted).join(' ')}`];
    case 'print':
      return call.commands.map(command => `print ${command}`);
    case 'pod':
      return [`POST ${call.path} ${podText(call)}`];
    case 'drain':
      return call.pods.map(({ namespace, name, act, note, dryRun }) => {
        const why = note === '' ? '' : `: ${note}`;
        return act === 'leave'
          ? `leave ${namespace}/${name}${why}`
          : `evict ${namespace}/${name}${DRY_RUN[dryRun]}${why}`;
      });
    case 'wait-ready':
      return [`GET ${call.path} until it is Ready for ${formatAge(call.stableSeconds)}`];
    case 'verify':
      return [`GET ${call.path}`];
  }
}

/** Privileged: what it runs, from which image. */
function podText({ manifest }: PodCall): string {
  const { metadata, spec } = recordOf(manifest);
  const [container] = listOf(recordOf(spec)['containers']).map(recordOf);
  const words = listOf(container?.['command']).map(textOf);
  return `privileged pod ${textOf(recordOf(metadata)['name'])} of ${textOf(container?.['image'])}: ${words.join(' ')}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
