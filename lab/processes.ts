/**
 * Long-running programs, each with a record in run/NAME.json and its output in logs/NAME.log. A pid alone does not
 * identify a process, since pids are reused, so the record has the start time too.
 */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LabError } from './lab-error.ts';

export interface ProcessRecord {
  readonly name: string;
  readonly pid: number;
  /** Since the machine's start, in clock ticks. */
  readonly startTicks: number;
}

const POLL_MS = 50;
const END_TIMEOUT_MS = 15_000;

export function startProcess(folder: string, name: string, command: readonly string[]): ProcessRecord {
  mkdirSync(join(folder, 'run'), { recursive: true });
  mkdirSync(join(folder, 'logs'), { recursive: true });
  const log = openSync(logFile(folder, name), 'a');
  const child = spawn(command[0], command.slice(1), { detached: true, stdio: ['ignore', log, log], cwd: folder });
  closeSync(log);
  child.on('error', () => {}); // Reported below: there is no pid.
  child.unref();
  const { pid } = child;
  const stat = pid === undefined ? undefined : readStat(pid);
  if (pid === undefined || stat === undefined) throw new LabError(`${name} did not start: ${command.join(' ')}`);
  const record = { name, pid, startTicks: stat.startTicks };
  writeFileSync(recordFile(folder, name), `${JSON.stringify(record)}\n`);
  return record;
}

export function logFile(folder: string, name: string): string {
  return join(folder, 'logs', `${name}.log`);
}

function recordFile(folder: string, name: string): string {
  return join(folder, 'run', `${name}.json`);
}

/** Every process that was started in `folder` and not stopped since, alive or not. */
export function listProcesses(folder: string): readonly ProcessRecord[] {
  let files: string[];
  try {
    files = readdirSync(join(folder, 'run')).filter(file => file.endsWith('.json'));
  } catch {
    return [];
  }
  return files.sort().map(file => JSON.parse(readFileSync(join(folder, 'run', file), 'utf8')) as ProcessRecord);
}

export function findProcess(folder: string, name: string): ProcessRecord | undefined {
  return listProcesses(folder).find(record => record.name === name);
}

export function isAlive({ pid, startTicks }: ProcessRecord): boolean {
  const stat = readStat(pid);
  return stat !== undefined && stat.startTicks === startTicks && stat.state !== 'Z';
}

/** Under `timeout` the program is the only child; otherwise it is the process itself. */
export function programPid({ pid }: ProcessRecord): number {
  const [child] = readOrEmpty(`/proc/${pid}/task/${pid}/children`).split(' ');
  return child === '' ? pid : Number(child);
}

export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readOrEmpty(`/proc/${pid}/status`))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

/** Signals the process and its children, waits for their end and forgets them. */
export async function endProcess(folder: string, record: ProcessRecord, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const program = programPid(record);
  if (isAlive(record)) {
    // It leads a process group of its own, which contains only its children.
    process.kill(-record.pid, signal);
    const deadline = Date.now() + END_TIMEOUT_MS;
    while (isAlive(record) || isPresent(program)) {
      if (Date.now() > deadline) {
        if (signal === 'SIGKILL') throw new LabError(`${record.name} (pid ${record.pid}) does not end`);
        return endProcess(folder, record, 'SIGKILL');
      }
      await delay(POLL_MS);
    }
  }
  rmSync(recordFile(folder, record.name), { force: true });
}

function isPresent(pid: number): boolean {
  const stat = readStat(pid);
  return stat !== undefined && stat.state !== 'Z';
}

function readStat(pid: number): { readonly state: string; readonly startTicks: number } | undefined {
  return parseStat(readOrEmpty(`/proc/${pid}/stat`));
}

/** `PID (NAME) STATE PPID ...`: the name may hold spaces and brackets, the start time is field 22. */
export function parseStat(text: string): { readonly state: string; readonly startTicks: number } | undefined {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.length < 20 ? undefined : { state: fields[0], startTicks: Number(fields[19]) };
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
