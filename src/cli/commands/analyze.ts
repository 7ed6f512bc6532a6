import { parseVersion } from '../../knowledge/version.ts';
import { defineCommand, type Command } from '../options/command.ts';
import { custom, name, text, texts, wholeNumber } from '../options/kinds.ts';
import { CATALOGUE, COLOR, FAIL_ON, OPERATIONS, outputFormat } from '../options/shared.ts';
import { profilerOptions, profilerRequest, profilesSince } from '../options/profiler.ts';
import { SNAPSHOTS } from '../../live/past-profiles.ts';
import { someOf } from '../options/option.ts';

export const command: Command = defineCommand({
  name: 'analyze',
  summary: 'find what leaks, how fast, whose it is and whether it is known',
  usage: ['PATH... [options]', '--pyroscope URL | --parca URL [PATH...] [options]'],
  examples: [
    ['oakum analyze heap-1.pb.gz heap-2.pb.gz goroutines.txt metrics.prom'],
    ['oakum analyze ./worker-17/', 'a folder, or a .tar.gz, in any order'],
    ['oakum analyze before/ after/ --operations 50', 'growth per operation'],
    ['oakum analyze worker-17/ --show g-1a2b', "one family's full stack"],
    [`oakum analyze --pyroscope http://pyroscope:4040 --profiles 'service_name="kcp"' --since 24h`],
    ['curl -s localhost:6060/debug/pprof/goroutine | oakum analyze -'],
  ],
  about:
    'Reads profiles, goroutine dumps, heap text, metrics, logs and kubectl JSON. Works out what each file is, which process it is from and when it was taken, and compares what belongs together; never across a restart or between builds.',
  operands: { completes: 'files' },
  options: {
    output: outputFormat(['text', 'wide', 'json', 'yaml', 'markdown']),
    top: wholeNumber(1)({ help: 'findings to print', defaultNote: '5' }),
    show: text({ placeholder: 'FAMILY', help: 'the full stack of one family, by its id or the beginning of it' }),
    operations: OPERATIONS,
    reference: texts({
      placeholder: 'PATH',
      completes: 'files',
      help: 'snapshots of a healthy peer: what it has too is not suspect',
    }),
    version: custom('VERSION', 'a version such as v1.36.1', given =>
      parseVersion(given) === undefined ? undefined : given,
    )({ help: 'version of the target, if the files do not show it' }),
    component: name({ help: 'kubelet, kube-apiserver, kcp ..., if the files do not show it' }),
    catalogue: CATALOGUE,
    failOn: FAIL_ON,
    color: COLOR,
    ...profilerOptions('which processes: labels such as service_name="kcp", pod="kcp-0"'),
    since: profilesSince(SNAPSHOTS),
  },
  request: (values, operands) => {
    const profiler = profilerRequest(values);
    return { ...values, profiler, paths: profiler === undefined ? someOf(operands, 'no files given') : operands };
  },
  run: async (request, io) => (await import('../tasks/analyze.ts')).analyze(request, io),
});
