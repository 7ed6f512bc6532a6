/** `watch` and `leak` for each resource: a trend that is also large enough to matter. */
import { alertOf } from './alert.ts';
import { hungRuntime } from './kubelet-alerts.ts';
import { recorded } from './recorded.ts';
import { type TrendRule, TREND_RULES } from './trend-rules.ts';
import type { AlertRule, RuleGroup } from './rule.ts';
import type { Scope } from './scope.ts';

const TIERS = {
  watch: {
    growth: 'rising1d',
    span: 'in a day',
    verdict: 'It is still rising. Take a first set of profiles now, while there is no hurry.',
    summary: (words: string) => `${words} rising`,
  },
  leak: {
    growth: 'steady3d',
    span: 'in three days',
    verdict: 'It rose on each of the three days, without a restart, and does not slow down: a leak.',
    summary: (words: string) => `leak of ${words}`,
  },
} as const;

export function trendGroup(scope: Scope): RuleGroup {
  const rules = TREND_RULES.flatMap(resource => [
    trendAlert(resource, 'watch', scope),
    trendAlert(resource, 'leak', scope),
  ]);
  return { name: 'oakum-trends', rules };
}

function trendAlert(resource: TrendRule, tier: keyof typeof TIERS, scope: Scope): AlertRule {
  const { resource: words, alert, unit } = resource;
  const { span, verdict, summary } = TIERS[tier];
  const amount = unit === 'bytes' ? '{{ $value | humanize1024 }}B' : '{{ $value | humanize }}';
  const beyond = scope.component === 'kubelet' ? ' beyond what its pods explain' : '';
  return alertOf(
    {
      name: alert,
      tier,
      expr: condition(resource, tier, scope),
      holdFor: scope.holdFor,
      labels: { verdict: tier, resource: words },
      summary: `${scope.subject}: ${summary(words)}`,
      description: `The floor of ${words} grew by ${amount} ${span}${beyond}. ${verdict}`,
      anchor: words.replaceAll(' ', '-'),
    },
    scope,
  );
}

function condition(resource: TrendRule, tier: keyof typeof TIERS, scope: Scope): string {
  const growth = recorded(scope, resource.key, TIERS[tier].growth);
  const { amount, share } = resource[tier];
  const material = `${growth} > ${amount}\nand ${growth} > ${share} * ${recorded(scope, resource.key, 'floor14d')}`;
  const mayPileUp = tier === 'leak' && resource.waitsForRuntime && scope.component === 'kubelet';
  return mayPileUp ? `${material}\nunless ${hungRuntime(scope)}` : material;
}
