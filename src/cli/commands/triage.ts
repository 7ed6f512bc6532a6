import { DEFAULT_CHOICES } from '../../live/capture/capture-steps.ts';
import { captureFolderName } from '../connect/capture-ports.ts';
import { defineCommand, type Command } from '../options/command.ts';
import {
  CONNECTION_OPTIONS,
  requiredTarget,
  TARGET_FORMS,
  TARGET_OPERANDS,
  targetOptions,
} from '../options/connection.ts';
import { durationOrZero, file, flag, folder, text, wholeNumber } from '../options/kinds.ts';
import { profilerOptions, profilerRequest, profilesSince } from '../options/profiler.ts';
import { PROMETHEUS_TOKEN_FILE, prometheusUrl } from '../options/prometheus.ts';
import { CATALOGUE, COLOR, FAIL_ON, MEMORY_LIMIT, NO_GC, outputFormat } from '../options/shared.ts';
import { SNAPSHOTS } from '../../live/past-profiles.ts';

/** The scrape interval of most Prometheus servers. */
const SCRAPE_EVERY_SECONDS = 15;

const MAX_SECONDS = 15 * 60;
const MAX_SETS = 16;

/** As many as fit into a quarter of an hour, but at least a second one. */
function mostSets(gapSeconds: number): number {
  return Math.min(MAX_SETS, Math.max(2, 1 + Math.floor(MAX_SECONDS / gapSeconds)));
}

export const command: Command = defineCommand({
  name: 'triage',
  summary: 'leak or not, which code, what is safe; the evidence saved',
  usage: ['TARGET [options]'],
  examples: [
    ['oakum triage node/worker-17', 'leak or not, which code, what is safe; ends once it is proved'],
    ['oakum triage node/worker-17 --sets 4', 'four sets in 15 minutes, even if it is proved earlier'],
    ['oakum triage node/worker-17 --metrics-only', 'what one scrape shows, at once'],
    ['oakum triage node/worker-17 --prometheus http://localhost:9090'],
    ['oakum triage node/worker-17 --pyroscope http://localhost:4040', 'what grew since, in one set'],
    ['oakum triage unix:///run/kcp/debug.sock --gap 15m'],
  ],
  about: `Says within seconds what the metrics show, saves the evidence, and then says what leaks or grows, whose it is, whether it is known and fixed, and when it reaches its limit. One set of profiles often proves it; if not, it says what is known so far and takes more. Restarts nothing. Ctrl-C keeps the evidence so far and prints what is known.\n\n${TARGET_FORMS}`,
  operands: TARGET_OPERANDS,
  options: {
    output: outputFormat(['text', 'json', 'markdown']),
    gap: durationOrZero({ default: '5m', help: 'time between two sets of profiles; 0 for one set only' }),
    sets: wholeNumber(
      1,
      99,
    )({
      defaultNote: 'until a leak or health is proved, at most 15 minutes',
      help: 'take exactly this many sets of profiles',
    }),
    evidence: folder({ default: '', defaultNote: './oakum-TARGET-TIME', help: 'where to save the evidence' }),
    metricsOnly: flag({ help: 'take no profiles, save nothing' }),
    noGc: NO_GC,
    prometheus: prometheusUrl('weeks of history: since when and how steadily it grows'),
    prometheusTokenFile: PROMETHEUS_TOKEN_FILE,
    prometheusUser: text({
      placeholder: 'NAME',
      default: '',
      needs: ['prometheusPasswordFile'],
      excludes: ['prometheusTokenFile'],
      help: 'a user of Prometheus',
    }),
    prometheusPasswordFile: file({ default: '', needs: ['prometheusUser'], help: 'the password of that user' }),
    prometheusMatch: text({
      placeholder: 'LABELS',
      default: '',
      needs: ['prometheus'],
      help: `if Prometheus does not know the target by its name: 'instance="10.0.0.1:10250"'`,
    }),
    ...profilerOptions(`if its labels do not tell the target: 'service_name="kubelet",hostname="worker-17"'`, [
      'metricsOnly',
    ]),
    since: profilesSince(SNAPSHOTS),
    memoryLimit: MEMORY_LIMIT,
    catalogue: CATALOGUE,
    failOn: FAIL_ON,
    color: COLOR,
    ...CONNECTION_OPTIONS,
  },
  request: (values, operands, io) => {
    const options = targetOptions(values, io);
    const ref = requiredTarget(operands, options);
    const { prometheus: url, prometheusTokenFile: tokenFile, prometheusPasswordFile: passwordFile } = values;
    const { certificateAuthority, insecure, cwd, env } = options;
    const capture = {
      ...DEFAULT_CHOICES,
      gapSeconds: values.gap,
      sets: values.sets ?? mostSets(values.gap),
      listsEachSet: true,
      gc: !values.noGc,
      scrapeEverySeconds: SCRAPE_EVERY_SECONDS,
      requestTimeoutSeconds: options.requestTimeoutSeconds,
    };
    return {
      ref,
      options,
      choices: {
        capture: values.metricsOnly ? undefined : capture,
        untilProved: values.sets === undefined,
        requestTimeoutSeconds: options.requestTimeoutSeconds,
        prometheusMatch: values.prometheusMatch,
        memoryLimitBytes: values.memoryLimit,
      },
      evidence: values.evidence || captureFolderName(ref),
      prometheus:
        url === ''
          ? undefined
          : { url, tokenFile, user: values.prometheusUser, passwordFile, certificateAuthority, insecure, cwd, env },
      profiler: profilerRequest(values),
      catalogue: values.catalogue,
      output: values.output,
      failOn: values.failOn,
      color: values.color,
    };
  },
  run: async (request, io, { programName }) => (await import('../tasks/triage.ts')).triage(request, io, programName),
});
