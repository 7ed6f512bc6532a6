import { Failure } from '../../base/failure.ts';
import { shown } from './wording.ts';

/** The operands, if there is at least one. Otherwise throws a usage failure that says what is missing. */
export function someOf(operands: readonly string[], missing: string): readonly string[] {
  if (operands.length === 0) throw new Failure('usage', missing);
  return operands;
}

/** Throws a usage failure if there are operands. */
export function noneOf(operands: readonly string[], command: string): void {
  if (operands[0] !== undefined) throw new Failure('usage', `${command} takes no argument, got ${shown(operands[0])}`);
}
