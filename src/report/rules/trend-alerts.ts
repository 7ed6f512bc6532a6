/** `watch` and `leak` for each resource: a trend that is also large enough to matter. */
import { alertOf } from './alert.ts';
import { RUNTIME_ERRORS, RUNTIME_ERRORS_SHARE } from './kubelet-alerts.ts';
import { type Materiality, type Resource, RESOURCES } from './resources.ts';
import type { AlertRule, RuleGroup } from './rule.ts';
import type { Scope } from './scope.ts';

export function trendGroup(scope: Scope): RuleGroup {
  return { name: 'oakum-trends', rules: RESOURCES.flatMap(resource => trendAlerts(resource, scope)) };
}

function trendAlerts(resource: Resource, scope: Scope): AlertRule[] {
  const { key, watch, leak } = resource;
  const floor = `oakum:${key}:floor1d`;
  const watched = material(`oakum:${key}:rising1d`, watch, floor);
  const leaking = material(`oakum:${key}:steady3d`, leak, floor);
  return [
    draft(resource, 'watch', watched, 'in a day', scope),
    draft(
      resource,
      'leak',
      resource.waitsForRuntime ? withoutHungRuntime(leaking, scope) : leaking,
      'in three days',
      scope,
    ),
  ];
}

function material(growth: string, { least, share }: Materiality, level: string): string {
  return `${growth} > ${least}\nand ${growth} > ${share} * ${level}`;
}

function withoutHungRuntime(expr: string, { component }: Scope): string {
  return component === 'kubelet' ? `${expr}\nunless ${RUNTIME_ERRORS} > ${RUNTIME_ERRORS_SHARE}` : expr;
}

function draft(resource: Resource, tier: 'watch' | 'leak', expr: string, span: string, scope: Scope): AlertRule {
  const { resource: words, alert, unit, key } = resource;
  const amount = unit === 'bytes' ? '{{ $value | humanize1024 }}B' : '{{ $value | humanize }}';
  const beyond = scope.component === 'kubelet' ? ' beyond what its pods explain' : '';
  const verdict =
    tier === 'leak'
      ? 'It rose on each of the three days, without a restart, and does not slow down: a leak.'
      : 'It is still rising. Take a first set of profiles now, while there is no hurry.';
  return alertOf(
    {
      name: alert,
      tier,
      expr,
      holdFor: scope.holdFor,
      labels: { verdict: tier, resource: words },
      summary: `${scope.subject}: ${words} ${tier === 'leak' ? 'leak' : 'rising'}`,
      description: `The floor of ${words} grew by ${amount} ${span}${beyond} (oakum:${key}:${tier === 'leak' ? 'unexplained3d' : 'unexplained1d'}). ${verdict}`,
      anchor: words.replaceAll(' ', '-'),
    },
    scope,
  );
}
