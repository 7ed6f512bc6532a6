import type { JsonRecord } from '../../../src/base/json.ts';

export type Mutable = Record<string, unknown>;

export interface WorldAnswer {
  readonly status: number;
  readonly body: JsonRecord;
}

export function status(code: number, reason: string, message: string, details: JsonRecord = {}): WorldAnswer {
  return { status: code, body: { kind: 'Status', status: 'Failure', code, reason, message, details } };
}
