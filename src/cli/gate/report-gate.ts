/** Tells how a gate ended: files, annotations, the step summary and the exit code. */
import { appendFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { EXIT } from '../../base/exit-codes.ts';
import { encodeText } from '../../base/text.ts';
import type { GateEnd, GateFailure } from '../../gate/run-gate.ts';
import type { GateResult } from '../../gate/gate.ts';
import { gateAnnotations } from '../../gate/report/gate-annotations.ts';
import { gateBenchstat } from '../../gate/report/gate-benchstat.ts';
import { gateJunit } from '../../gate/report/gate-junit.ts';
import { gateMarkdown } from '../../gate/report/gate-markdown.ts';
import { gateSarif } from '../../gate/report/gate-sarif.ts';
import { gateText } from '../../gate/report/gate-text.ts';
import { renderJson } from '../../report/json.ts';
import { writeFileAtomically } from '../connect/write-file-atomically.ts';
import type { Io } from '../terminal/io.ts';
import { packageVersion } from '../terminal/package-files.ts';
import { fail } from '../terminal/report-failure.ts';
import { styleFor } from '../terminal/style.ts';
import type { EvidenceFolder } from './evidence-folder.ts';
import type { GateOutput, GateSettings } from './gate-request.ts';
import { fileOfProgram, withSources } from './repository-files.ts';
import type { StartedTarget } from './start-target.ts';

type Outputs = Pick<GateSettings, 'outputs' | 'color' | 'budgetFile'>;

export async function reportEnd(
  end: GateEnd,
  started: StartedTarget | undefined,
  settings: Outputs,
  evidence: EvidenceFolder,
  io: Io,
): Promise<number> {
  if (end.kind !== 'judged') return reportFailure(end, started, evidence, io);
  const result = withSources(end.result, io.cwd);
  await evidence.save('gate.json', encodeText(renderJson(result)));
  for (const output of settings.outputs) {
    const text = rendered(output.kind, result, settings, io);
    if (output.file === undefined) io.stdout.write(text);
    else await writeFileAtomically(output.file, encodeText(text), io.cwd);
  }
  if (io.env['GITHUB_ACTIONS'] === 'true') {
    // Annotations are read from either stream; data on stdout stays whole.
    const hasText = settings.outputs.every(({ kind, file }) => file !== undefined || kind === 'text');
    (hasText ? io.stdout : io.stderr).write(gateAnnotations(result));
  }
  const summary = io.env['GITHUB_STEP_SUMMARY'];
  if (summary !== undefined && summary !== '') await appendFile(resolve(io.cwd, summary), `${gateMarkdown(result)}\n`);
  if (result.outcome === 'leaks' || result.expired.length > 0) return EXIT.leakFound;
  return result.outcome === 'undecided' ? EXIT.undecided : EXIT.done;
}

/** No verdict: what happened, the last words of the program, and where the evidence is. */
export async function reportFailure(
  end: GateFailure,
  started: StartedTarget | undefined,
  evidence: EvidenceFolder,
  io: Io,
): Promise<number> {
  if (end.kind === 'target-lost' || end.kind === 'command-failed') await started?.mayEnd();
  await evidence.flush();
  if (end.kind === 'stopped') return fail(io, EXIT.interrupted, `${end.message}; evidence in ${evidence.name}`);
  const words = started?.lastWords();
  const how = words === undefined ? '' : `the target ${words.startsWith('exited with 0') ? 'ended' : 'crashed'}: `;
  const last = words === undefined ? '' : `; the started program ${words}`;
  const code = end.kind === 'command-failed' && words === undefined ? EXIT.actionFailed : EXIT.couldNotObserve;
  return fail(io, code, `${how}${end.message}${last}; evidence in ${evidence.name}`);
}

function rendered(kind: GateOutput['kind'], result: GateResult, { color, budgetFile }: Outputs, io: Io): string {
  if (kind === 'json') return renderJson(result);
  if (kind === 'markdown') return gateMarkdown(result);
  if (kind === 'junit') return gateJunit(result);
  if (kind === 'sarif') return gateSarif(result, packageVersion(), fileOfProgram(io.cwd, budgetFile));
  return kind === 'benchstat' ? gateBenchstat(result) : gateText(result, styleFor(color, io));
}
