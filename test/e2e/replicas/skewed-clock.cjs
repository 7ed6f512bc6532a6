// node --require skewed-clock.cjs: the wall clock of this process and its threads is off by OAKUM_SKEW_SECONDS; with
// OAKUM_SKEW_JUMPS, only in every second period of so many seconds.
const ClockDate = Date;
const skewMs = 1000 * Number(process.env.OAKUM_SKEW_SECONDS);
const periodMs = 1000 * Number(process.env.OAKUM_SKEW_JUMPS ?? 0);

function offNow() {
  const isOn = periodMs === 0 || Math.floor(ClockDate.now() / periodMs) % 2 === 1;
  return ClockDate.now() + (isOn ? skewMs : 0);
}

globalThis.Date = class Date extends ClockDate {
  constructor(...args) {
    super(...(args.length === 0 ? [offNow()] : args));
  }

  static now() {
    return offNow();
  }
};
