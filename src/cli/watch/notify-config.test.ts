import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readWatchConfig } from './config.ts';

const read = (notify: string) => readWatchConfig(`notify:\n${notify}`, 'watch.yaml').notify;

describe('the notify part of the config', () => {
  it('reads every destination', () => {
    const config = read(`
  url: https://oakum.example.com/
  verdict: watch
  critical-within: 12h
  runbook: https://r.example.com/{resource}
  labels: { team: platform }
  alertmanagers:
    - http://am-0:9093
    - { url: https://am-1:9093, token-file: token, certificate-authority: ca.crt }
  webhooks:
    - { url: https://hooks.example.com/x, secret-file: key }
    - { url: https://events.example.com, format: cloudevents, insecure-skip-tls-verify: true }
  kubernetes-events: true`);
    assert.deepEqual(config?.options, {
      leastVerdict: 'watch',
      criticalHours: 12,
      url: 'https://oakum.example.com',
      runbook: 'https://r.example.com/{resource}',
      labels: { team: 'platform' },
    });
    assert.deepEqual(config.alertmanagers[1], {
      url: 'https://am-1:9093',
      tokenFile: 'token',
      certificateAuthority: 'ca.crt',
      insecure: false,
    });
    assert.deepEqual(
      config.webhooks.map(({ format, secretFile, insecure }) => [format, secretFile, insecure]),
      [
        ['json', 'key', false],
        ['cloudevents', '', true],
      ],
    );
    assert.equal(config.kubernetesEvents, true);
  });

  it('says what is wrong, and where', () => {
    const wrong: readonly (readonly [string, RegExp])[] = [
      ['  verdict: maybe', /^watch\.yaml: notify\.verdict takes leak or watch$/],
      ['  alertmanager: x', /notify: unknown setting alertmanager; the settings are url, verdict/],
      ['  alertmanagers: http://x', /notify\.alertmanagers takes a list/],
      ['  alertmanagers: [ftp://x]', /notify\.alertmanagers\[0\]\.url takes an http or https address/],
      ['  alertmanagers: ["http://user:pw@x"]', /alertmanagers\[0\]\.url has a user or a password in its address/],
      ['  webhooks: [{ format: json }]', /notify\.webhooks\[0\] has no url/],
      [
        '  webhooks: [{ url: "http://x", format: xml }]',
        /webhooks\[0\]\.format takes json, cloudevents, otlp-logs, grafana/,
      ],
      ['  webhooks: [{ url: "http://x", secret: abc }]', /webhooks\[0\]: unknown setting secret;/],
      ["  summary: '{targets}'", /notify\.summary: there is no \{targets\}; there are \{target\}, \{node\}/],
      ['  critical-within: soon', /notify\.critical-within takes a time such as 24h, not soon/],
      ['  labels: { a-b: c }', /notify\.labels: a-b is no name of a label/],
      ['  kubernetes-events: maybe', /kubernetes-events takes true or false/],
      ['  - 1', /notify takes settings: url, verdict/],
    ];
    for (const [text, message] of wrong) assert.throws(() => read(text), { message });
  });
});
