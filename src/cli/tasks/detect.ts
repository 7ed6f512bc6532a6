/** `oakum detect`: which targets leak, from recorded metrics alone. */
import { detectionOf } from '../../judge/detect/detect-recording.ts';
import type { Detection } from '../../judge/detect/recorded-detection.ts';
import { renderReplay } from '../../report/detect-replay-text.ts';
import { renderDetection } from '../../report/detect-text.ts';
import { type ColorChoice, exitCodeFor, type Threshold } from '../options/shared.ts';
import { type Io, isUtf8, styleFor } from '../terminal/io.ts';
import { type FleetSource, readFleet } from '../connect/read-fleet.ts';
import { renderDetectionJson } from '../../report/json.ts';

export interface DetectRequest extends FleetSource {
  readonly output: 'text' | 'wide' | 'json';
  /** How often a replay judges; undefined without a replay. */
  readonly everySeconds: number | undefined;
  readonly only: Threshold | undefined;
  readonly failOn: Threshold | undefined;
  readonly ascii: boolean;
  readonly color: ColorChoice;
}

export async function detect(request: DetectRequest, io: Io): Promise<number> {
  const { fleet, options } = await readFleet(request, io, request.everySeconds);
  const detection = detectionOf(fleet, options);
  for (const text of render(detection, request, io)) io.stdout.write(text);
  return exitCodeFor(detection.verdict, request.failOn);
}

function render(detection: Detection, request: DetectRequest, io: Io): Iterable<string> {
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
  return [request.everySeconds === undefined ? renderDetection(detection, options) : renderReplay(detection, options)];
}
