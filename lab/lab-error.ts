/** Something the person who runs the lab can mend; its message is one line that says what and how. */
export class LabError extends Error {
  override readonly name = 'LabError';
}
