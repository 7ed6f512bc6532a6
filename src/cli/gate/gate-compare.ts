/** `oakum gate --compare BASE HEAD`: the same operations against two builds, and what the head leaves behind more. */
import { type Build, compareInTurns, type ComparePorts, compareTogether } from '../../gate/compare-builds.ts';
import type { GateChoices } from '../../gate/gate-log.ts';
import type { GateEnd } from '../../gate/run-gate.ts';
import type { RoundPorts } from '../../gate/take-round.ts';
import { type TargetRef, targetText } from '../../evidence/target.ts';
import { openTarget } from '../connect/open-target.ts';
import { EvidenceFolder, gateFolderName } from './evidence-folder.ts';
import { choicesOf, progressLine, roundPorts, waitForAnswer } from './gate-ports.ts';
import type { GateForm } from './gate-request.ts';
import { reportEnd } from './report-gate.ts';
import { runOperations, type StartedTarget, startTarget } from './programs.ts';
import { type Io, stopSignal } from '../io.ts';
import { STARTED_RATE, withSamplingRate } from '../../gate/gate.ts';
import { Failure } from '../../base/errors.ts';

type Request = GateForm<'compare'>;

export async function gateCompare(request: Request, io: Io): Promise<number> {
  const [base, head = base] = request.refs;
  if (base === undefined || head === undefined) throw new Failure('usage', 'gate needs --target');
  const evidence = new EvidenceFolder(request.evidence ?? gateFolderName(head), io);
  const choices = await choicesOf(request, evidence, STARTED_RATE, io);
  const stop = stopSignal();
  const builds = new Builds(request, { base, head }, evidence, stop.signal, io);
  try {
    const end = await (base === head ? builds.inTurns(choices) : builds.together(choices));
    return await reportEnd(end, builds.last, request, evidence, io);
  } finally {
    await builds.stop();
    await evidence.flush();
    stop.release();
  }
}

interface Running {
  readonly ports: RoundPorts;
  readonly stop: () => Promise<void>;
}

class Builds {
  /** The program that was started last, for its last words. */
  last: StartedTarget | undefined;
  readonly #request: Request;
  readonly #refs: Readonly<Record<Build, TargetRef>>;
  readonly #evidence: EvidenceFolder;
  readonly #signal: AbortSignal;
  readonly #io: Io;
  readonly #running = new Set<StartedTarget>();

  constructor(request: Request, refs: Record<Build, TargetRef>, evidence: EvidenceFolder, signal: AbortSignal, io: Io) {
    this.#request = request;
    this.#refs = refs;
    this.#evidence = evidence;
    this.#signal = signal;
    this.#io = io;
  }

  inTurns(choices: GateChoices): Promise<GateEnd> {
    return compareInTurns({ ...this.#ports(), start: build => this.#start(build) }, choices);
  }

  async together(choices: GateChoices): Promise<GateEnd> {
    const running = { base: await this.#start('base'), head: await this.#start('head') };
    const ports = (build: Build): RoundPorts => {
      const { ports: own } = running[build];
      return { ...own, save: (path, body) => own.save(`${build}/${path}`, body) };
    };
    return compareTogether({ ...this.#ports(), ports }, choices);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running].map(started => started.stop()));
  }

  #ports(): ComparePorts {
    return {
      signal: this.#signal,
      baseName: this.#request.base,
      runOperations: (build, round) => {
        const target = targetText(this.#refs[build]);
        const env = { ...this.#io.env, OAKUM_ROUND: String(round), OAKUM_BUILD: build, OAKUM_TARGET: target };
        const place = { cwd: this.#io.cwd, env, signal: this.#signal };
        return runOperations(this.#request.argv, place, this.#evidence.log('command.log'));
      },
      onRound: progress => this.#io.stderr.write(progressLine(progress, this.#request.operation)),
    };
  }

  async #start(build: Build): Promise<Running> {
    const { options, waitSeconds } = this.#request;
    const env = {
      ...this.#io.env,
      GODEBUG: withSamplingRate(this.#io.env['GODEBUG'], STARTED_RATE),
      OAKUM_BUILD: build,
    };
    const place = { cwd: this.#io.cwd, env, signal: this.#signal };
    const opened = await openTarget(this.#refs[build], options);
    if (opened.kind === 'not-opened')
      throw new Failure('no-answer', `${targetText(this.#refs[build])} cannot be reached`);
    const { connection } = opened;
    const started = startTarget(this.#request[build], this.#refs[build], place, this.#evidence.log(`${build}.log`));
    this.last = started;
    this.#running.add(started);
    await waitForAnswer(connection, started, waitSeconds, this.#signal, this.#io);
    const parts = { connection, evidence: this.#evidence, signal: this.#signal };
    return {
      ports: roundPorts({ ...parts, countInSystem: started.countInSystem }, this.#request),
      stop: async () => {
        this.#running.delete(started);
        await started.stop();
      },
    };
  }
}
