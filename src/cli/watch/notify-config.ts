/**
 * The `notify` part of the file of `oakum watch --config`:
 *
 *     notify:
 *       url: https://oakum.example.com             # where people reach this server: links lead there
 *       verdict: leak                              # or watch, to hear of suspicions too
 *       critical-within: 24h                       # severity critical if the limit may be reached within this time
 *       summary: '{target}: {sentence}'
 *       runbook: https://runbooks.example.com/{resource}
 *       labels: { team: platform }
 *       alertmanagers:
 *         - http://alertmanager-0:9093
 *         - { url: https://alertmanager-1:9093, token-file: token, certificate-authority: ca.crt }
 *       webhooks:
 *         - { url: https://hooks.example.com/oakum, secret-file: hmac-key }
 *         - { url: https://events.example.com, format: cloudevents, token-file: token }
 *         - { url: 'http://collector:4318/v1/logs', format: otlp-logs }
 *         - { url: https://grafana.example.com/api/annotations, format: grafana, token-file: token }
 *       kubernetes-events: true
 */
import type { AlertmanagerOptions } from '../../watch/io/alertmanager.ts';
import { WEBHOOK_FORMATS, type WebhookOptions } from '../../watch/io/webhook.ts';
import type { FormatError } from '../../base/errors.ts';
import { recordOf } from '../../base/json.ts';
import { TEMPLATE_PLACES, unknownPlace, type NotifyOptions } from '../../watch/notify/destination.ts';
import { parseDuration } from '../options/kinds.ts';

export type AlertmanagerConfig = AlertmanagerOptions;

export interface NotifyConfig {
  readonly options: Partial<NotifyOptions>;
  readonly alertmanagers: readonly AlertmanagerConfig[];
  readonly webhooks: readonly WebhookOptions[];
  readonly kubernetesEvents: boolean;
}

type Wrong = (problem: string) => FormatError;
type Fields = Readonly<Record<string, unknown>>;

const ACCESS = ['url', 'token-file', 'certificate-authority', 'insecure-skip-tls-verify'];
const MAX_DESTINATIONS = 20;
const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** Throws a FormatError that names the key. */
export function readNotifyConfig(value: unknown, wrong: Wrong): NotifyConfig {
  const fields = fieldsOf(value, 'notify', wrong, [
    'url',
    'verdict',
    'critical-within',
    'summary',
    'runbook',
    'labels',
    'alertmanagers',
    'webhooks',
    'kubernetes-events',
  ]);
  const { verdict, 'kubernetes-events': kubernetesEvents = false } = fields;
  if (verdict !== undefined && verdict !== 'leak' && verdict !== 'watch')
    throw wrong('notify.verdict takes leak or watch');
  if (typeof kubernetesEvents !== 'boolean') throw wrong('notify.kubernetes-events takes true or false');
  const url = webAddress(fields['url'], 'notify.url', wrong)?.replace(/\/+$/, '');
  const summary = template(fields['summary'], 'notify.summary', wrong);
  const runbook = template(webAddress(fields['runbook'], 'notify.runbook', wrong), 'notify.runbook', wrong);
  const critical = fields['critical-within'];
  const seconds = critical === undefined ? undefined : parseDuration(String(critical));
  if (critical !== undefined && seconds === undefined)
    throw wrong(`notify.critical-within takes a time such as 24h, not ${String(critical)}`);
  return {
    options: {
      ...(verdict === undefined ? {} : { leastVerdict: verdict }),
      ...(seconds === undefined ? {} : { criticalHours: seconds / 3600 }),
      ...(url === undefined ? {} : { url }),
      ...(summary === undefined ? {} : { summary }),
      ...(runbook === undefined ? {} : { runbook }),
      labels: readLabels(fields['labels'], wrong),
    },
    alertmanagers: listOfDestinations(fields['alertmanagers'], 'notify.alertmanagers', wrong).map((entry, i) =>
      accessOf(entry, `notify.alertmanagers[${i}]`, wrong, ACCESS),
    ),
    webhooks: listOfDestinations(fields['webhooks'], 'notify.webhooks', wrong).map((entry, i) =>
      readWebhook(entry, `notify.webhooks[${i}]`, wrong),
    ),
    kubernetesEvents,
  };
}

function readWebhook(entry: unknown, where: string, wrong: Wrong): WebhookOptions {
  const access = accessOf(entry, where, wrong, [...ACCESS, 'format', 'secret-file']);
  const fields = recordOf(entry);
  const format = WEBHOOK_FORMATS.find(one => one === (fields['format'] ?? 'json'));
  if (format === undefined) throw wrong(`${where}.format takes ${WEBHOOK_FORMATS.join(', ')}`);
  return { ...access, format, secretFile: textIn(fields, 'secret-file', where, wrong) };
}

function accessOf(entry: unknown, where: string, wrong: Wrong, keys: readonly string[]): AlertmanagerConfig {
  const fields = typeof entry === 'string' ? { url: entry } : fieldsOf(entry, where, wrong, keys);
  const url = webAddress(fields['url'], `${where}.url`, wrong);
  if (url === undefined) throw wrong(`${where} has no url`);
  const insecure = fields['insecure-skip-tls-verify'] ?? false;
  if (typeof insecure !== 'boolean') throw wrong(`${where}.insecure-skip-tls-verify takes true or false`);
  return {
    url,
    tokenFile: textIn(fields, 'token-file', where, wrong),
    certificateAuthority: textIn(fields, 'certificate-authority', where, wrong),
    insecure,
  };
}

function fieldsOf(value: unknown, where: string, wrong: Wrong, keys: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong(`${where} takes settings: ${keys.join(', ')}`);
  const unknown = Object.keys(value).find(key => !keys.includes(key));
  if (unknown !== undefined) throw wrong(`${where}: unknown setting ${unknown}; the settings are ${keys.join(', ')}`);
  return value as Fields;
}

function listOfDestinations(value: unknown, where: string, wrong: Wrong): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw wrong(`${where} takes a list`);
  if (value.length > MAX_DESTINATIONS) throw wrong(`${where}: at most ${MAX_DESTINATIONS}, not ${value.length}`);
  return value;
}

function textIn(fields: Fields, key: string, where: string, wrong: Wrong): string {
  const value = fields[key] ?? '';
  if (typeof value !== 'string') throw wrong(`${where}.${key} takes a text`);
  return value;
}

function webAddress(value: unknown, where: string, wrong: Wrong): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && /^https?:\/\/[^\s/]/.test(value) && URL.canParse(value)) {
    const { username, password } = new URL(value);
    // It would be sent nowhere, and be in logs.
    if (username !== '' || password !== '')
      throw wrong(`${where} has a user or a password in its address; a file of token-file has the token instead`);
    return value;
  }
  throw wrong(`${where} takes an http or https address`);
}

function template(value: unknown, where: string, wrong: Wrong): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw wrong(`${where} takes a text`);
  const unknown = unknownPlace(value);
  if (unknown === undefined) return value;
  throw wrong(`${where}: there is no {${unknown}}; there are ${TEMPLATE_PLACES.map(place => `{${place}}`).join(', ')}`);
}

function readLabels(value: unknown, wrong: Wrong): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (const [name, text] of Object.entries(recordOf(value))) {
    if (!LABEL_NAME.test(name)) throw wrong(`notify.labels: ${name} is no name of a label`);
    if (typeof text !== 'string') throw wrong(`notify.labels.${name} takes a text`);
    labels[name] = text;
  }
  return labels;
}
