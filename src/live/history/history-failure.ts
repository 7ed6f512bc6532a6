/** Why the history of a fleet could not be read, and what to do. */
import { Failure } from '../../base/failure.ts';

export interface HistoryProblem {
  /** For lack of a right. */
  readonly isRefused: boolean;
  readonly sentence: string;
  readonly nextStep: string;
}

export class HistoryFailure extends Failure {
  readonly problem: HistoryProblem;

  constructor(code: 'no-answer' | 'no-evidence', problem: HistoryProblem) {
    super(code, `${problem.sentence}; ${problem.nextStep}`);
    this.problem = problem;
  }
}
