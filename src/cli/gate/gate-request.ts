/** What the forms of `oakum gate` are asked for. */
import type { TargetRef } from '../../evidence/target.ts';
import type { TargetOptions } from '../options/connection.ts';
import type { ColorChoice } from '../options/shared.ts';

export interface GateOutput {
  readonly kind: 'text' | 'json' | 'markdown' | 'junit' | 'sarif' | 'benchstat';
  /** Undefined for stdout. */
  readonly file: string | undefined;
}

/** What every form has. */
export interface GateSettings {
  readonly options: TargetOptions;
  /** Undefined if it was not given. */
  readonly evidence: string | undefined;
  readonly operations: number;
  readonly maxRounds: number;
  readonly settleSeconds: number;
  readonly waitSeconds: number;
  readonly budgetFile: string | undefined;
  readonly baselineFile: string | undefined;
  /** What an operation is called. */
  readonly operation: string;
  /** The id of the target, if it is on this machine and not started by us. */
  readonly pid: number | undefined;
  readonly outputs: readonly GateOutput[];
  readonly catalogue: string | undefined;
  readonly color: ColorChoice;
}

export type GateRequest = GateSettings &
  (
    | {
        readonly form: 'run';
        readonly ref: TargetRef;
        readonly start: string | undefined;
        readonly argv: readonly string[];
      }
    | {
        readonly form: 'init';
        readonly ref: TargetRef;
        readonly start: string | undefined;
        readonly argv: readonly string[];
      }
    | {
        readonly form: 'compare';
        readonly refs: readonly TargetRef[];
        readonly base: string;
        readonly head: string;
        readonly argv: readonly string[];
      }
    | { readonly form: 'begin'; readonly ref: TargetRef }
    | { readonly form: 'round' }
    | { readonly form: 'end' }
  );

export type GateForm<F extends GateRequest['form']> = Extract<GateRequest, { readonly form: F }>;
