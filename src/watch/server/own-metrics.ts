/** The server's own metrics, in OpenMetrics. */
import type { EventHub } from './event-hub.ts';

export class OwnMetrics {
  /** `fleet 200` -> requests */
  readonly #requests = new Map<string, number>();
  readonly #seconds = new Map<string, { sum: number; count: number }>();
  #inFlight = 0;

  /** Returns a function to call with the status of the answer. */
  begin(pathname: string): (status: number) => void {
    const area = areaOf(pathname);
    const beganMs = performance.now();
    this.#inFlight++;
    return status => {
      this.#inFlight--;
      const key = `${area} ${status}`;
      this.#requests.set(key, (this.#requests.get(key) ?? 0) + 1);
      const { sum, count } = this.#seconds.get(area) ?? { sum: 0, count: 0 };
      this.#seconds.set(area, { sum: sum + (performance.now() - beganMs) / 1000, count: count + 1 });
    };
  }

  render(events: EventHub['counts']): string {
    const lines = [
      '# TYPE oakum_http_requests counter',
      '# HELP oakum_http_requests Requests answered, by area and status.',
      ...[...this.#requests].map(([key, count]) => {
        const [area, status] = key.split(' ');
        return `oakum_http_requests_total{area="${area}",status="${status}"} ${count}`;
      }),
      '# TYPE oakum_http_request_seconds summary',
      '# UNIT oakum_http_request_seconds seconds',
      '# HELP oakum_http_request_seconds Time from a request to its answer.',
      ...[...this.#seconds].flatMap(([area, { sum, count }]) => [
        `oakum_http_request_seconds_count{area="${area}"} ${count}`,
        `oakum_http_request_seconds_sum{area="${area}"} ${sum}`,
      ]),
      ...gauge('oakum_http_requests_in_flight', 'Requests without an answer yet.', this.#inFlight),
      ...gauge('oakum_event_readers', 'Pages that follow the event stream.', events.readers),
      ...counter('oakum_event_readers_dropped', 'Readers of the event stream dropped for being slow.', events.dropped),
      ...counter(
        'oakum_event_readers_refused',
        'Readers of the event stream refused for lack of room.',
        events.refused,
      ),
    ];
    return `${lines.join('\n')}\n`;
  }
}

function gauge(name: string, what: string, value: number): string[] {
  return [`# TYPE ${name} gauge`, `# HELP ${name} ${what}`, `${name} ${value}`];
}

function counter(name: string, what: string, value: number): string[] {
  return [`# TYPE ${name} counter`, `# HELP ${name} ${what}`, `${name}_total ${value}`];
}

const API = [
  'status',
  'fleet',
  'cohorts',
  'rollout',
  'targets',
  'incidents',
  'captures',
  'profiles',
  'catalogue',
  'events',
];
const OTHERS = ['metrics', 'healthz', 'readyz', 'login', 'assets'];

/** One of a few: the values of a label must not grow with what clients request. */
function areaOf(pathname: string): string {
  const [, first = '', , third = ''] = pathname.split('/');
  if (first === 'api') return API.includes(third) ? third : 'other';
  return OTHERS.includes(first) ? first : 'page';
}
