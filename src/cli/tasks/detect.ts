/** `oakum detect`: which targets leak, from recorded metrics alone. */
import { createFleetDetector } from '../../analysis/detect/fleet-detector.ts';
import { readRecording } from '../../evidence/recording/read-recording.ts';
import { runDetection } from '../../diagnosis/detection/detect-recording.ts';
import { oneLine } from '../../base/text-layout.ts';
import type { Detection } from '../../model/recorded-detection.ts';
import { renderDetectionJson } from '../../report/detect-json.ts';
import { renderReplay } from '../../report/detect-replay-text.ts';
import { renderDetection } from '../../report/detect-text.ts';
import type { DetectorValues } from '../options/detector.ts';
import { Failure } from '../../base/failure.ts';
import type { ColorChoice, Threshold } from '../options/shared.ts';
import { exitCodeFor } from './exit-code-for.ts';
import type { Io } from '../terminal/io.ts';
import { readPaths } from '../connect/read-paths.ts';
import { isUtf8, styleFor } from '../terminal/style.ts';

export interface DetectRequest extends DetectorValues {
  readonly paths: readonly string[];
  readonly output: 'text' | 'wide' | 'json';
  readonly by: string | undefined;
  /** Unix seconds. */
  readonly at: number | undefined;
  /** How often a replay judges; undefined without a replay. */
  readonly everySeconds: number | undefined;
  readonly only: Threshold | undefined;
  readonly failOn: Threshold | undefined;
  readonly ascii: boolean;
  readonly color: ColorChoice;
}

export async function detect(request: DetectRequest, io: Io): Promise<number> {
  const { by, at: atSeconds, everySeconds, memoryLimit: memoryLimitBytes, leastGrowth, timeScale } = request;
  const recording = await readRecording(readPaths(request.paths, io), { by });
  for (const { path, message } of recording.unread) io.stderr.write(`oakum: ${oneLine(path)}: ${oneLine(message)}\n`);
  if (recording.targets.length === 0) {
    for (const note of recording.notes) io.stderr.write(`oakum: ${oneLine(note)}\n`);
    const given = request.paths.join(' ');
    throw new Failure('no-evidence', `no metrics in ${given}: /metrics text or answers of query_range are needed`);
  }
  const limit = memoryLimitBytes === undefined ? {} : { memoryLimitBytes };
  const detector = createFleetDetector({ timeScale, leastGrowth, ...limit });
  const detection = runDetection(recording, { detector, atSeconds, everySeconds, timeScale });
  io.stdout.write(render(detection, request, io));
  return exitCodeFor(detection.verdict, request.failOn);
}

function render(detection: Detection, request: DetectRequest, io: Io): string {
  const { output, only } = request;
  if (output === 'json') return renderDetectionJson(detection);
  const width = io.stdout.columns;
  const options = {
    style: styleFor(request.color, io),
    wide: output === 'wide',
    ascii: request.ascii || !isUtf8(io.env),
    only,
    ...(width === undefined ? {} : { width }),
  };
  return request.everySeconds === undefined ? renderDetection(detection, options) : renderReplay(detection, options);
}
