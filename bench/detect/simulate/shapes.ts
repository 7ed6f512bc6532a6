/**
 * What a level does over the hours of the record. A shape is a factor around 1 (pods, churn) or an added share of the
 * level (goroutines, heap), depending on the plan.
 */
export type Shape = (hours: number) => number;

/** from ______/‾‾‾‾‾‾ to */
export function ramp(from: number, to: number, startHours: number, lengthHours: number): Shape {
  return hours => from + (to - from) * clamp((hours - startHours) / lengthHours);
}

/** 0 ______|‾‾‾‾‾‾ by */
export function step(atHours: number, by: number): Shape {
  return hours => (hours >= atHours ? by : 0);
}

/** 0 ______/⁀‾‾‾‾ by: a cache that fills. */
export function saturating(atHours: number, by: number, tauHours: number): Shape {
  return hours => (hours <= atHours ? 0 : by * (1 - Math.exp(-(hours - atHours) / tauHours)));
}

/** 0 ___/‾‾‾\____: rises, stays, falls. */
export function pulse(atHours: number, riseHours: number, stayHours: number, fallHours: number, by: number): Shape {
  return hours => {
    const age = hours - atHours;
    if (age <= 0 || age >= riseHours + stayHours + fallHours) return 0;
    return by * Math.min(1, age / riseHours, (riseHours + stayHours + fallHours - age) / fallHours);
  };
}

/** /|/|/|/|: collects and is swept. */
export function sawtooth(periodHours: number, by: number, phase: number): Shape {
  return hours => by * ((((hours / periodHours + phase) % 1) + 1) % 1);
}

export function daily(by: number, peakHour: number): Shape {
  return hours => by * Math.cos(((hours - peakHour) / 24) * 2 * Math.PI);
}

/** Lower on two days of seven, with soft edges. */
export function weekend(by: number, firstHour: number): Shape {
  return hours => {
    const hour = (((hours - firstHour) % 168) + 168) % 168;
    return hour >= 48 + 6 ? 0 : -by * Math.min(1, hour / 6, (48 + 6 - hour) / 6);
  };
}

export function factor(shape: Shape): Shape {
  return hours => 1 + shape(hours);
}

export function sumOf(shapes: readonly Shape[]): Shape {
  if (shapes.length === 0) return () => 0;
  if (shapes.length === 1) return shapes[0];
  return hours => {
    let sum = 0;
    for (const shape of shapes) sum += shape(hours);
    return sum;
  };
}

export function productOf(shapes: readonly Shape[]): Shape {
  return hours => {
    let product = 1;
    for (const shape of shapes) product *= shape(hours);
    return product;
  };
}

function clamp(share: number): number {
  return share < 0 ? 0 : share > 1 ? 1 : share;
}
