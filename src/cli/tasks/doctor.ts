/** `oakum doctor`: what can be observed, what that can prove, and what is dangerous. */
import { openKube, openTarget, openUrl, reportUnreachable } from '../connect/open-target.ts';
import { examine } from '../../live/doctor/examine.ts';
import { countNodes } from '../../live/doctor/node-census.ts';
import type { DoctorReport, NodeCensus } from '../../live/doctor/doctor.ts';
import { type TargetRef, targetText } from '../../evidence/target.ts';
import type { TargetConnection } from '../../live/ports.ts';
import { renderDoctor } from '../../live/doctor/doctor-text.ts';
import { renderJson, renderYaml } from '../../report/json.ts';
import { type Io, fail, styleFor } from '../terminal/io.ts';
import type { TargetOptions } from '../options/connection.ts';
import type { ColorChoice } from '../options/shared.ts';
import { EXIT } from '../../base/errors.ts';

export interface DoctorRequest {
  /** undefined: the cluster. */
  readonly ref: TargetRef | undefined;
  readonly options: TargetOptions;
  /** '' for none. */
  readonly prometheus: string;
  readonly prometheusTokenFile: string;
  readonly output: 'text' | 'json' | 'yaml';
  readonly color: ColorChoice;
}

export async function doctor(request: DoctorRequest, io: Io): Promise<number> {
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
async function sampleNode({ options }: DoctorRequest): Promise<{ ref: TargetRef; nodes: NodeCensus }> {
  const { cluster } = await openKube(options);
  const limits = { deadlineSeconds: options.requestTimeoutSeconds, maxBytes: 64 * 1024 * 1024 };
  const nodes = await countNodes(cluster, limits);
  return { ref: nodes.sample === undefined ? { kind: 'apiserver' } : { kind: 'node', name: nodes.sample }, nodes };
}

function prometheusOf({ prometheus, prometheusTokenFile, options }: DoctorRequest): TargetConnection | undefined {
  return prometheus === '' ? undefined : openUrl(prometheus, { ...options, tokenFile: prometheusTokenFile });
}

function render(report: DoctorReport, { output, color }: DoctorRequest, io: Io): string {
  if (output === 'json') return renderJson(report);
  return output === 'yaml' ? renderYaml(report) : renderDoctor(report, styleFor(color, io), io.stdout.columns ?? 100);
}
