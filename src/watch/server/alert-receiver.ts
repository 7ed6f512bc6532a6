/**
 * The receiver of an Alertmanager: an alert about a watched target takes a capture of it.
 *
 *     POST /api/v1/alertmanager    { "version": "4", "alerts": [ { "status": "firing", "labels": { "node": ... } } ] }
 *     202                          { "captures": [ { "target": "node/worker-17", "result": "started" } ] }
 *
 * Answers soon: Alertmanager waits for it. 4xx is not sent again, 5xx is.
 */
import { formatSeconds } from '../../base/say.ts';
import { listOf, parseJson, recordOf, textOf } from '../../base/json.ts';
import { oneLine } from '../../base/text-layout.ts';
import { clusterName, clusterOf, inCluster, targetKind } from '../../evidence/target.ts';
import type { WatchService } from '../watch-service.ts';
import { Refusal } from './refusal.ts';

export const MAX_ALERT_BYTES: number = 2 ** 20;
/** In one request; the others are captured when the alert is repeated. */
const MAX_TARGETS = 20;
const MAX_ALERTS = 1000;
/** Alertmanager repeats itself: one capture of a target per this time. */
const COOLDOWN_SECONDS = 600;
const WAIT_MS = 1000;
const NODE_LABELS = ['node', 'nodename', 'node_name', 'kubernetes_node', 'kubernetes_io_hostname'];

export interface AlertCapture {
  /** Undefined if the alert names no target. */
  readonly target: string | undefined;
  readonly alert: string;
  /** `started`, `no such target`, or why not. */
  readonly result: string;
}

export class AlertReceiver {
  readonly #service: Pick<WatchService, 'captureNow'>;
  readonly #log: (line: string) => void;
  readonly #nowSeconds: () => number;
  readonly #capturedAt = new Map<string, number>();

  constructor(
    service: Pick<WatchService, 'captureNow'>,
    log: (line: string) => void,
    nowSeconds: () => number = () => Date.now() / 1000,
  ) {
    this.#service = service;
    this.#log = log;
    this.#nowSeconds = nowSeconds;
  }

  async receive(body: string): Promise<{ readonly captures: readonly AlertCapture[] }> {
    const message = recordOf(parseJson(body));
    if (!Array.isArray(message['alerts']))
      throw new Refusal(400, 'This is no message of an Alertmanager.', 'It needs a list "alerts".');
    const firing = listOf(message['alerts'])
      .slice(0, MAX_ALERTS)
      .map(recordOf)
      .filter(({ status }) => status === 'firing');
    const seen = new Set<string>();
    const captures: Promise<AlertCapture>[] = [];
    for (const { labels: given } of firing) {
      const labels = recordOf(given);
      const alert = textOf(labels['alertname']).slice(0, 100) || 'an alert';
      // Ours come from incidents, which have captures of their own.
      if (labels['reporter'] === 'oakum') continue;
      const names = candidates(labels);
      const key = names.join(' ');
      if (seen.has(key) || captures.length >= MAX_TARGETS) continue;
      seen.add(key);
      captures.push(this.#capture(names, alert));
    }
    return { captures: await Promise.all(captures) };
  }

  async #capture(names: readonly string[], alert: string): Promise<AlertCapture> {
    if (names.length === 0) return { target: undefined, alert, result: 'it names no target' };
    for (const name of names) {
      const last = this.#capturedAt.get(name);
      const wait = last === undefined ? 0 : Math.ceil(last + COOLDOWN_SECONDS - this.#nowSeconds());
      if (wait > 0)
        return { target: name, alert, result: `captured for an alert just now; again in ${formatSeconds(wait)}` };
      const result = await this.#start(name, alert);
      if (result === undefined) continue;
      if (result === 'started') this.#remember(name);
      return { target: name, alert, result };
    }
    return { target: names[0], alert, result: 'no such target' };
  }

  /** Undefined if there is no such target. */
  async #start(name: string, alert: string): Promise<string | undefined> {
    const capture = this.#service.captureNow(name, `the alert ${oneLine(alert)} fires`);
    const logged = capture.catch((error: Error) => ({ refused: oneLine(error.message) }));
    let timer: NodeJS.Timeout | undefined;
    const waited = new Promise<'under way'>(resolve => (timer = setTimeout(() => resolve('under way'), WAIT_MS)));
    const outcome = await Promise.race([logged, waited]);
    clearTimeout(timer);
    if (outcome === undefined) return undefined;
    if (outcome === 'under way' || 'captureId' in outcome) {
      this.#log(`${name}: capture for the alert ${oneLine(alert)}`);
      return 'started';
    }
    this.#log(`${name}: no capture for the alert ${oneLine(alert)}: ${outcome.refused}`);
    return outcome.refused;
  }

  #remember(name: string): void {
    const now = this.#nowSeconds();
    for (const [old, at] of this.#capturedAt) if (now - at > COOLDOWN_SECONDS) this.#capturedAt.delete(old);
    this.#capturedAt.set(name, now);
  }
}

/** The names that a target of these labels may have, the best first. */
export function candidates(labels: Readonly<Record<string, unknown>>): string[] {
  const text = (name: string): string => textOf(labels[name]).slice(0, 300);
  const nodes = NODE_LABELS.map(text).filter(name => name !== '');
  const instance = text('instance');
  const host = instance.replace(/^https?:\/\//, '').replace(/:\d+$/, '');
  const [namespace, pod, port] = [text('namespace'), text('pod'), /:(\d+)$/.exec(instance)?.[1]];
  const cluster = clusterName(text('cluster'));
  const found = [
    text('target'),
    ...nodes.map(name => `node/${name}`),
    ...(namespace !== '' && pod !== '' && port !== undefined ? [`pod/${namespace}/${pod}:${port}`] : []),
    ...(instance === '' ? [] : [`node/${host}`, instance, `http://${instance}`, `https://${instance}`]),
  ];
  const ofCluster = cluster === '' ? [] : found.filter(isInCluster).map(name => inCluster(name, cluster));
  return [...new Set([...found, ...ofCluster].filter(name => name !== ''))];
}

/** Something that a cluster has, named without it. */
function isInCluster(name: string): boolean {
  const kind = targetKind(name);
  return (kind === 'node' || kind === 'pod' || kind === 'apiserver') && clusterOf(name) === undefined;
}
