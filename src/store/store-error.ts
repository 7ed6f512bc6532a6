import { Failure } from '../base/failure.ts';

export type StoreErrorKind =
  | 'busy' // another process has it
  | 'damaged'
  | 'newer' // written by a later version
  | 'disk' // full, read-only, not permitted
  | 'lost' // another process took it over
  | 'unreachable' // the server of a database or a bucket does not answer; it may later
  | 'refused'; // the request is out of bounds

/** One line that says what, where, and what to do. */
export class StoreError extends Failure {
  override readonly name = 'StoreError';
  readonly kind: StoreErrorKind;

  constructor(kind: StoreErrorKind, message: string, options?: ErrorOptions) {
    super(`store-${kind}`, message, options);
    this.kind = kind;
  }
}
