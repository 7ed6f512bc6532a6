/** What was done according to the log, and the next record of it. */
import type { PlanRecord, PlanRecordBody, StepOutcome } from '../../store/plan-log.ts';
import type { PlanLog } from '../ports.ts';

export interface JournalHead {
  readonly planId: string;
  readonly planHash: string;
  readonly actor: string;
}

export type StepState =
  | { readonly kind: 'not-begun' }
  /** It may have happened or not. */
  | { readonly kind: 'begun'; readonly atSeconds: number }
  | { readonly kind: 'ended'; readonly outcome: StepOutcome; readonly atSeconds: number }
  | { readonly kind: 'undone' };

export class Journal {
  readonly #log: PlanLog;
  readonly #head: JournalHead;
  readonly #nowSeconds: () => number;
  readonly #records: PlanRecord[];
  #writing: Promise<void> = Promise.resolve();

  constructor(log: PlanLog, head: JournalHead, records: readonly PlanRecord[], nowSeconds: () => number) {
    this.#log = log;
    this.#head = head;
    this.#records = [...records];
    this.#nowSeconds = nowSeconds;
  }

  get records(): readonly PlanRecord[] {
    return this.#records;
  }

  get place(): string {
    return this.#log.place;
  }

  /** Resolves when it is on disk; records of several nodes keep their order. */
  async write(body: PlanRecordBody): Promise<void> {
    const record: PlanRecord = {
      schema: 'oakum.plan-log/v1',
      number: (this.#records.at(-1)?.number ?? 0) + 1,
      at: new Date(this.#nowSeconds() * 1000).toISOString(),
      ...this.#head,
      ...body,
    };
    this.#records.push(record);
    this.#writing = this.#writing.then(() => this.#log.append(record));
    await this.#writing;
  }

  stateOf(step: string): StepState {
    return stateIn(this.#records, step);
  }

  /** The step that is about to be done; undefined if the log has none of it. */
  lastOf<K extends PlanRecord['kind']>(step: string, kind: K): Extract<PlanRecord, { kind: K }> | undefined {
    return this.#records.findLast(
      (record): record is Extract<PlanRecord, { kind: K }> =>
        record.kind === kind && 'step' in record && record.step === step,
    );
  }
}

/** What the log says about a step. */
export function stateIn(records: readonly PlanRecord[], step: string): StepState {
  // Pods come back to a node that was uncordoned again: then it is not drained any more.
  const cordon = step.endsWith('/drain') ? step.replace(/drain$/, 'cordon') : undefined;
  for (const record of records.toReversed()) {
    if (!('step' in record)) continue;
    if (record.step === cordon && record.kind === 'undone' && record.outcome === 'undone') return { kind: 'undone' };
    if (record.step !== step) continue;
    const atSeconds = Date.parse(record.at) / 1000;
    if (record.kind === 'step-ended') return { kind: 'ended', outcome: record.outcome, atSeconds };
    if (record.kind === 'step-began') return { kind: 'begun', atSeconds };
    if (record.kind === 'undone' && record.outcome === 'undone') return { kind: 'undone' };
  }
  return { kind: 'not-begun' };
}

/** 02:31 UTC */
export function formatClock(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(11, 16)} UTC`;
}
