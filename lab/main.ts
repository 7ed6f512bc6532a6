/** npm run lab: a real control plane with hollow kubelets, on this machine. See README.md beside this file. */
import { parseArgs } from 'node:util';
import { resolve } from 'node:path';
import {
  DEFAULT_LIFETIME_MINUTES,
  defaultFolder,
  killProcess,
  pauseProcess,
  restartProcess,
  resumeProcess,
  runningLab,
  startLab,
  stopLab,
} from './control.ts';
import { environmentOf, processStatuses } from './environment.ts';
import { KUBECONFIG_USERS } from './kubeconfig.ts';
import { LabError } from './lab-error.ts';
import type { LabState } from './layout.ts';

const USAGE = `  npm run lab -- up                        builds what is missing, starts everything, prints \`env\`
  npm run lab -- env                       kubeconfigs, kubectl, nodes and daemons as JSON
  npm run lab -- kubeconfig metrics-only   the path of one kubeconfig; admin without a name
  npm run lab -- status                    processes and their memory
  npm run lab -- restart leak-a            SIGTERM and a new start; any name of \`status\`
  npm run lab -- kill apiserver            SIGKILL
  npm run lab -- pause fix-a               SIGSTOP: it hangs; \`resume\` ends that
  npm run lab -- down                      ends everything and removes its folder

Options:
  --dir DIR        folder of the lab (default ${defaultFolder()})
  --nodes FILE     node set, with up (default lab/nodes.default.json)
  --lifetime MIN   minutes after which everything ends by itself, with up (default ${DEFAULT_LIFETIME_MINUTES})

Programs are built once into $OAKUM_LAB_CACHE, by default ~/.cache/oakum-lab.
`;

class UsageError extends LabError {}

interface Options {
  readonly folder: string;
  readonly nodesFile: string | undefined;
  readonly lifetimeMinutes: number;
}

type Command = (options: Options, name: string | undefined) => Promise<void> | void;

const COMMANDS: Readonly<Record<string, Command>> = {
  async up({ folder, nodesFile, lifetimeMinutes }) {
    const lab = await startLab({ folder, lifetimeMinutes, say, ...(nodesFile === undefined ? {} : { nodesFile }) });
    printEnvironment(lab);
  },
  async down({ folder }) {
    await stopLab(folder);
    say('the lab is down');
  },
  env: ({ folder }) => printEnvironment(requireLab(folder)),
  kubeconfig({ folder }, name = 'admin') {
    const user = KUBECONFIG_USERS.find(candidate => candidate === name);
    if (user === undefined) throw new UsageError(`no kubeconfig ${name}; the users are ${KUBECONFIG_USERS.join(', ')}`);
    print(environmentOf(requireLab(folder)).kubeconfigs[user]);
  },
  status: ({ folder }) => printStatus(requireLab(folder)),
  restart: ({ folder }, name) => restartProcess(requireLab(folder), requireName(name)),
  kill: ({ folder }, name) => killProcess(requireLab(folder), requireName(name)),
  pause: ({ folder }, name) => pauseProcess(requireLab(folder), requireName(name)),
  resume: ({ folder }, name) => resumeProcess(requireLab(folder), requireName(name)),
};

process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parse(argv);
    const [commandName, name, extra] = positionals;
    if (values.help || commandName === undefined) {
      process.stdout.write(USAGE);
      return values.help ? 0 : 2;
    }
    if (!Object.hasOwn(COMMANDS, commandName)) throw new UsageError(`no command ${commandName}`);
    if (extra !== undefined) throw new UsageError(`unexpected argument ${extra}`);
    const lifetimeMinutes = Number(values.lifetime ?? DEFAULT_LIFETIME_MINUTES);
    if (!(lifetimeMinutes > 0 && lifetimeMinutes <= 24 * 60)) {
      throw new UsageError('--lifetime takes minutes, from 1 to 1440');
    }
    const folder = resolve(values.dir ?? defaultFolder());
    await COMMANDS[commandName]({ folder, nodesFile: values.nodes, lifetimeMinutes }, name);
    return 0;
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const hint = error instanceof UsageError ? '; npm run lab -- --help shows what there is' : '';
    say(`${error.message}${hint}`);
    return error instanceof UsageError ? 2 : 4;
  }
}

function parse(argv: readonly string[]): ReturnType<typeof parseLabArgs> {
  try {
    return parseLabArgs(argv);
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ')[0]);
  }
}

function parseLabArgs(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      dir: { type: 'string' },
      nodes: { type: 'string' },
      lifetime: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
}

function requireLab(folder: string): LabState {
  const lab = runningLab(folder);
  if (lab === undefined) throw new LabError(`no lab is up in ${folder}: npm run lab -- up`);
  return lab;
}

function requireName(name: string | undefined): string {
  if (name === undefined) throw new UsageError('which process?');
  return name;
}

function printEnvironment(lab: LabState): void {
  print(JSON.stringify(environmentOf(lab), undefined, 2));
}

function printStatus(lab: LabState): void {
  const statuses = processStatuses(lab);
  const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`.padStart(9);
  for (const { name, pid, residentBytes, log } of statuses) {
    const state = pid === undefined ? 'down'.padEnd(8) : String(pid).padEnd(8);
    print(`${name.padEnd(20)}${state}${megabytes(residentBytes)}  ${log}`);
  }
  const total = statuses.reduce((sum, status) => sum + status.residentBytes, 0);
  print(`${'all'.padEnd(28)}${megabytes(total)}  until ${lab.expiresAt}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function say(line: string): void {
  process.stderr.write(`lab: ${line}\n`);
}
