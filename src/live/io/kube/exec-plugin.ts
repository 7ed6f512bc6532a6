/**
 * Runs the credential plugin of a kubeconfig (`users[].user.exec`), as client-go does but without a terminal: it has no
 * input to wait for, and it ends when the caller gives up, with every process that it started.
 *
 *     stdout: {"kind": "ExecCredential", "status": {"token": "...", "expirationTimestamp": "2026-01-02T03:04:05Z"}}
 *     stderr: what it has to say; shown if there are no credentials
 */
import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import { formatSeconds } from '../../../base/say.ts';
import { parseJson, recordOf, textOf } from '../../../base/json.ts';
import { endProcessTree, endWithThisProcess } from './process-tree.ts';
import { RequestError } from '../../ports.ts';

export interface ExecPlugin {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How to get the command, in the words of whoever wrote the kubeconfig; '' if unknown. */
  readonly installHint: string;
  /** It insists on a terminal. */
  readonly mustAsk: boolean;
}

export interface PluginCredentials {
  /** '' if it gave a certificate only. */
  readonly token: string;
  readonly certificate: string;
  readonly key: string;
  /** Undefined if it did not say. */
  readonly expiresAtMs: number | undefined;
}

const MAX_OUTPUT_BYTES = 1024 * 1024;
const MAX_SAID_BYTES = 64 * 1024;
/** Something that the plugin started may keep its output open after it has ended. */
const OUTPUT_AFTER_EXIT_MS = 500;

export function pluginName({ command }: Pick<ExecPlugin, 'command'>): string {
  return `the credential plugin ${basename(command)}`;
}

/** Throws a RequestError that says what the plugin did instead. */
export async function runExecPlugin(plugin: ExecPlugin, signal: AbortSignal): Promise<PluginCredentials> {
  const name = pluginName(plugin);
  if (plugin.mustAsk)
    throw failed(`${name} must ask on a terminal (interactiveMode: Always), which oakum does not give it`);
  const startedAt = performance.now();
  const ended = await outcomeOf(plugin, signal);
  const said = lastLine(ended.stderr);
  switch (ended.kind) {
    case 'not-started': {
      const hint = plugin.installHint === '' ? '' : `; ${plugin.installHint}`;
      throw failed(`${name} cannot be started: ${ended.message}${hint}`);
    }
    case 'stopped': {
      const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
      const last = said === '' ? 'it may wait for a login' : `it last said: ${said}`;
      throw failed(`${name} gave no credentials within ${formatSeconds(seconds)} and was ended; ${last}`);
    }
    case 'too-large':
      throw failed(`${name} printed more than ${MAX_OUTPUT_BYTES} bytes`);
    case 'failed':
      throw failed(`${name} failed (${ended.how})${said === '' ? '' : `: ${said}`}`);
    case 'done':
      return readCredentials(ended.stdout, name, said);
  }
}

function failed(message: string): RequestError {
  return new RequestError('credentials', message);
}

type Outcome =
  | { readonly kind: 'done'; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'failed'; readonly how: string; readonly stderr: string }
  | { readonly kind: 'not-started'; readonly message: string; readonly stderr: string }
  | { readonly kind: 'stopped' | 'too-large'; readonly stderr: string };

function outcomeOf(plugin: ExecPlugin, signal: AbortSignal): Promise<Outcome> {
  if (signal.aborted) return Promise.resolve({ kind: 'stopped', stderr: '' });
  return new Promise(resolve => {
    const child = spawn(plugin.command, plugin.args, {
      env: plugin.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A session of its own: no terminal to ask on, and one group to end.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const stdout: Buffer[] = [];
    let stdoutBytes = 0;
    let stderr = '';
    const release = endWithThisProcess(child);
    const settle = (outcome: Outcome): void => {
      signal.removeEventListener('abort', stop);
      release();
      child.stdout.destroy();
      child.stderr.destroy();
      if (outcome.kind !== 'done') endProcessTree(child);
      resolve(outcome);
    };
    const stop = (): void => settle({ kind: 'stopped', stderr });
    signal.addEventListener('abort', stop, { once: true });
    child.stdout.on('data', (chunk: Buffer) => {
      stdout.push(chunk);
      stdoutBytes += chunk.length;
      if (stdoutBytes > MAX_OUTPUT_BYTES) settle({ kind: 'too-large', stderr });
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-MAX_SAID_BYTES);
    });
    child.on('error', error => settle({ kind: 'not-started', message: whyNotStarted(error), stderr }));
    child.on('exit', (code, killedBy) => {
      const end = (): void => {
        clearTimeout(timer);
        if (code === 0) settle({ kind: 'done', stdout: Buffer.concat(stdout).toString('utf8'), stderr });
        else settle({ kind: 'failed', how: code === null ? `killed by ${killedBy}` : `exit code ${code}`, stderr });
      };
      const timer = setTimeout(end, OUTPUT_AFTER_EXIT_MS);
      child.on('close', end);
    });
  });
}

function whyNotStarted(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'there is no such command';
  return error.code === 'EACCES' ? 'it is not executable' : error.message;
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.trim() ?? '';
}

function readCredentials(stdout: string, name: string, said: string): PluginCredentials {
  const answer = parseJson(stdout);
  if (answer === undefined) {
    const instead = said === '' ? '' : `; it said: ${said}`;
    throw failed(`${name} printed no ExecCredential${instead}`);
  }
  const status = recordOf(recordOf(answer)['status']);
  const token = textOf(status['token']);
  const certificate = textOf(status['clientCertificateData']);
  const key = textOf(status['clientKeyData']);
  if (token === '' && (certificate === '' || key === ''))
    throw failed(`${name} printed an ExecCredential without a token or a certificate with its key`);
  if (token !== '' && !/^[\x21-\x7e]+$/.test(token)) throw failed(`${name} printed a token that is none`);
  const expiresAtMs = Date.parse(textOf(status['expirationTimestamp']));
  return { token, certificate, key, expiresAtMs: Number.isNaN(expiresAtMs) ? undefined : expiresAtMs };
}
