/** `oakum doctor`: what can be observed, what that can prove, and what is dangerous. */
import { openKube, openTarget, openUrl, reportUnreachable } from '../connect/open-target.ts';
import { examine } from '../../live/doctor/examine.ts';
import { countNodes } from '../../live/doctor/node-census.ts';
import type { DoctorReport, NodeCensus } from '../../live/doctor/doctor.ts';
import { type TargetRef, targetText } from '../../evidence/target.ts';
import type { TargetConnection } from '../../live/ports.ts';
import { renderDoctor } from '../../live/doctor/doctor-text.ts';
import { renderJson, renderYaml } from '../../report/json.ts';
import { type Io, fail, styleFor } from '../io.ts';
import { CONNECTION_OPTIONS, TARGET_FORMS, TARGET_OPERANDS, targetOf, targetOptions } from '../options/connection.ts';
import { COLOR, outputFormat } from '../options/shared.ts';
import { EXIT } from '../../base/errors.ts';
import { defineCommand, type Command, commandLine, type RequestOf } from '../options/command.ts';
import { PROMETHEUS_TOKEN_FILE, prometheusUrl } from '../options/sources.ts';

const line = commandLine({
  name: 'doctor',
  usage: ['[TARGET] [options]'],
  examples: [
    ['oakum doctor', "the kubeconfig's cluster, and one of its nodes"],
    ['oakum doctor node/worker-17', 'one kubelet, through the API server'],
    ['oakum doctor node/worker-17 --direct', 'the same at its own port, where metrics need fewer rights'],
    ['oakum doctor http://localhost:6060', 'any Go daemon'],
    ['oakum doctor --prometheus http://localhost:9090', 'also check that a Prometheus has the metrics'],
  ],
  about: `Checks which rights you have, which endpoints and profiles answer, what they can prove, and what is dangerous. Takes no profiles. For everything that does not answer it says why, and what to do.\n\n${TARGET_FORMS}`,
  operands: TARGET_OPERANDS,
  options: {
    output: outputFormat(['text', 'json', 'yaml']),
    prometheus: prometheusUrl('a Prometheus to check'),
    prometheusTokenFile: PROMETHEUS_TOKEN_FILE,
    color: COLOR,
    ...CONNECTION_OPTIONS,
  },
  request: (values, operands, io) => {
    const { output, prometheus, prometheusTokenFile, color } = values;
    const options = targetOptions(values, io);
    return { ref: targetOf(operands, options), options, output, prometheus, prometheusTokenFile, color };
  },
});

export const command: Command = defineCommand(line, doctor);

type Request = RequestOf<typeof line>;

async function doctor(request: Request, io: Io): Promise<number> {
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
  // Whatever listens there may answer /healthz.
  if (report.endpoints.some(({ answers, path }) => answers === 'yes' && path !== '/healthz')) return EXIT.done;
  return fail(io, EXIT.couldNotObserve, `no useful endpoint of ${report.target} answers`);
}

/** Without a target: a node that is ready or, when there is none or nodes may not be listed, the API server. */
async function sampleNode({ options }: Request): Promise<{ ref: TargetRef; nodes: NodeCensus }> {
  const { cluster } = await openKube(options);
  const limits = { deadlineSeconds: options.requestTimeoutSeconds, maxBytes: 64 * 1024 * 1024 };
  const nodes = await countNodes(cluster, limits);
  return { ref: nodes.sample === undefined ? { kind: 'apiserver' } : { kind: 'node', name: nodes.sample }, nodes };
}

function prometheusOf({ prometheus, prometheusTokenFile, options }: Request): TargetConnection | undefined {
  return prometheus === '' ? undefined : openUrl(prometheus, { ...options, tokenFile: prometheusTokenFile });
}

function render(report: DoctorReport, { output, color }: Request, io: Io): string {
  if (output === 'json') return renderJson(report);
  return output === 'yaml' ? renderYaml(report) : renderDoctor(report, styleFor(color, io), io.stdout.columns ?? 100);
}
