/** The time in a file's name: unix seconds or milliseconds, or a date with a time, in UTC. */

const UNIX = /(?:^|\D)(1[0-9]{9})(?:\.\d+|\d{3})?(?=\D|$)/;
const DATE =
  /(?:^|\D)(20\d\d)-?([01]\d)-?([0-3]\d)(?:[T_ -]?([012]\d)[-:_.h]?([0-5]\d)(?:[-:_.m]?([0-5]\d))?)?(?=\D|$)/;

/** The file's own name first, then the folders, nearest first. */
export function timeInPath(path: string): number | undefined {
  for (const name of path.split('/').reverse()) {
    const seconds = timeInName(name);
    if (seconds !== undefined) return seconds;
  }
  return undefined;
}

export function timeInName(name: string): number | undefined {
  const date = DATE.exec(name);
  if (date !== null) {
    const [year = 0, month = 0, day = 0, hour, minute, second] = date.slice(1).map(part => Number(part ?? 0));
    const millis = Date.UTC(year, month - 1, day, hour, minute, second);
    const isValid = month >= 1 && month <= 12 && day >= 1 && new Date(millis).getUTCDate() === day;
    if (isValid && (hour ?? 0) < 24) return millis / 1000;
  }
  const unix = UNIX.exec(name);
  return unix === null ? undefined : Number(unix[1]);
}
