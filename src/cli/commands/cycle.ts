import { defineCommand, type Command } from '../options/command.ts';
import { custom, flag, name, texts } from '../options/kinds.ts';
import { COLOR, outputFormat } from '../options/shared.ts';
import { someOf } from '../options/option.ts';

export const command: Command = defineCommand({
  name: 'cycle',
  summary: 'show where each node is in the OOM cycle, and how it got there',
  usage: ['PATH... [options]'],
  examples: [
    ['oakum cycle ./worker-17/', 'a folder, or a .tar.gz, in any order'],
    ['journalctl -o json --since -6h | oakum cycle - events.json'],
    ['oakum cycle dmesg.txt kubelet.log events.json metrics.prom'],
    ['oakum cycle logs/ --process containerd', 'the cycle of another daemon'],
  ],
  about:
    'Reads metrics, kernel and systemd logs (dmesg, journalctl in any form, syslog), kubelet logs, and the events and nodes that kubectl prints with -o json. Says for each node whether its kubelet is healthy, near an OOM kill, killed, in the reconciliation storm after a restart, recovered, or killed again, with a timeline and the source of each line.',
  operands: { completes: 'files' },
  options: {
    output: outputFormat(['text', 'json']),
    target: texts({ placeholder: 'NAME', help: 'only this node' }),
    process: name({ help: 'whose cycle, by the name that the kernel and systemd use', defaultNote: 'kubelet' }),
    zone: custom(
      'OFFSET',
      'an offset such as +02:00',
      zoneSeconds,
    )({
      help: 'time zone of log lines that do not say theirs',
      defaultNote: 'UTC',
    }),
    all: flag({ help: 'timelines of healthy nodes too' }),
    color: COLOR,
  },
  request: (values, operands) => ({ ...values, paths: someOf(operands, 'no files given') }),
  run: async (request, io) => (await import('../tasks/cycle.ts')).cycle(request, io),
});

function zoneSeconds(zone: string): number | undefined {
  if (/^(?:UTC|Z)$/i.test(zone)) return 0;
  const [, sign, hours, minutes] = /^([+-])([01]\d):?([0-5]\d)$/.exec(zone) ?? [];
  if (sign === undefined) return undefined;
  const seconds = (Number(hours) * 60 + Number(minutes)) * 60;
  return sign === '-' ? -seconds : seconds;
}
