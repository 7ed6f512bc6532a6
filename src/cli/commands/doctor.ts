/** `oakum doctor`: what can be observed, what can therefore be proved, and what is dangerous. */
import { openKube, openTarget, openUrl } from '../connect/open-target.ts';
import { examine } from '../../engine/doctor/examine.ts';
import { countNodes } from '../../engine/doctor/node-census.ts';
import type { DoctorReport, NodeCensus } from '../../model/doctor.ts';
import { parseTargetRef, type TargetRef, targetText } from '../../model/target.ts';
import type { TargetConnection } from '../../ports/target-connection.ts';
import { renderDoctor } from '../../report/doctor-text.ts';
import { renderJson } from '../../report/json.ts';
import { renderYaml } from '../../report/yaml.ts';
import { EXIT } from '../../base/exit-codes.ts';
import { fail, reportFailure } from '../terminal/report-failure.ts';
import type { Io } from '../terminal/io.ts';
import { reportUnreachable } from '../connect/unreachable-target.ts';
import {
  parseTarget,
  parseTargetOptions,
  TARGET_HELP,
  TARGET_OPTIONS,
  type TargetOptions,
} from '../options/connection.ts';
import { styleFor } from '../terminal/style.ts';
import { type Given, runRequest } from '../options/usage.ts';

const USAGE = `Usage: oakum doctor [TARGET] [options]

  oakum doctor                                      the cluster of the kubeconfig, and one of its nodes
  oakum doctor node/worker-17                       one kubelet, through the API server
  oakum doctor node/worker-17 --direct              the same at its own port: metrics need less rights there
  oakum doctor http://localhost:6060                any Go daemon
  oakum doctor --prometheus http://localhost:9090   and whether a Prometheus has what is needed

Asks, takes nothing: which rights you have, which endpoints and profiles answer, what can therefore be proved, and what
is dangerous. For everything that does not answer it says why, and what to do.

  -o, --output FORMAT    text, json or yaml
      --prometheus URL   a Prometheus to look into (--prometheus-token-file FILE for its token)
      --color WHEN       auto, always or never

${TARGET_HELP}`;

const OPTIONS = {
  ...TARGET_OPTIONS,
  output: { type: 'string', short: 'o', default: 'text' },
  prometheus: { type: 'string', default: '' },
  'prometheus-token-file': { type: 'string', default: '' },
  color: { type: 'string', default: 'auto' },
} as const;

type Parsed = Given<typeof OPTIONS>;

interface Request {
  /** undefined: the cluster. */
  readonly ref: TargetRef | undefined;
  readonly options: TargetOptions;
  readonly prometheus: string;
  readonly prometheusTokenFile: string;
  readonly format: Format;
  readonly color: string;
}

type Format = 'text' | 'json' | 'yaml';

export async function runDoctor(argv: string[], io: Io, programName?: string): Promise<number> {
  const usage = { command: 'doctor', help: USAGE, options: OPTIONS, parse: (given: Parsed) => parse(given, io) };
  return runRequest(usage, argv, io, request => doctor(request, io), programName);
}

async function doctor(request: Request, io: Io): Promise<number> {
  try {
    const found = request.ref === undefined ? await sampleNode(request) : { ref: request.ref, nodes: undefined };
    const opened = await openTarget(found.ref, request.options);
    if (opened.kind === 'not-opened') return reportUnreachable(opened, targetText(found.ref), io);
    const report = await examine({
      ...opened,
      ref: found.ref,
      nodes: found.nodes,
      prometheus: prometheusOf(request),
      requestTimeoutSeconds: request.options.requestTimeoutSeconds,
      connect: url => openUrl(url, { ...request.options, tokenFile: '' }),
    });
    io.stdout.write(render(report, request, io));
    if (report.endpoints.some(({ answers }) => answers === 'yes')) return EXIT.done;
    return fail(io, EXIT.couldNotObserve, `${report.target} answers nothing that is of use`);
  } catch (error) {
    return reportFailure(error, io);
  }
}

/** Where no target is given, one node that is ready; where there is none, or none may be seen, the API server. */
async function sampleNode({ options }: Request): Promise<{ ref: TargetRef; nodes: NodeCensus }> {
  const { cluster } = await openKube(options);
  const limits = { deadlineSeconds: options.requestTimeoutSeconds, maxBytes: 64 * 1024 * 1024 };
  const nodes = await countNodes(cluster, limits);
  return { ref: nodes.sample === undefined ? { kind: 'apiserver' } : { kind: 'node', name: nodes.sample }, nodes };
}

function prometheusOf({ prometheus, prometheusTokenFile, options }: Request): TargetConnection | undefined {
  return prometheus === '' ? undefined : openUrl(prometheus, { ...options, tokenFile: prometheusTokenFile });
}

function render(report: DoctorReport, { format, color }: Request, io: Io): string {
  if (format === 'json') return renderJson(report);
  return format === 'yaml' ? renderYaml(report) : renderDoctor(report, styleFor(color, io), io.stdout.columns ?? 100);
}

/** The request, or what is wrong with the command line. */
function parse({ values, positionals }: Parsed, io: Io): Request | string {
  const options = parseTargetOptions(values, io);
  if (typeof options === 'string') return options;
  const ref = positionals.length === 0 ? undefined : parseTarget(positionals, options);
  if (typeof ref === 'string') return ref;
  const format = (['text', 'json', 'yaml'] as const).find(known => known === values.output);
  if (format === undefined) return `unknown format ${values.output}: text, json or yaml`;
  if (values.prometheus !== '') {
    const url = parseTargetRef(values.prometheus);
    if (typeof url === 'string' || url.kind !== 'url') return `--prometheus ${values.prometheus} is no http(s) URL`;
  }
  if (!['auto', 'always', 'never'].includes(values.color)) return '--color takes auto, always or never';
  return {
    ref,
    options,
    prometheus: values.prometheus,
    prometheusTokenFile: values['prometheus-token-file'],
    format,
    color: values.color,
  };
}
