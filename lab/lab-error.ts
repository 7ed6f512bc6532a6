/** A problem that the user of the lab can fix; its message is one line that says what and how. */
export class LabError extends Error {
  override readonly name = 'LabError';
}
