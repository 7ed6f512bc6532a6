/** Asks the API server about every right that a plan may need, once each. */
import { recordOf } from '../../base/json.ts';
import type { RightAnswer } from './cluster-facts.ts';
import type { Right } from './plan-step.ts';
import { replyJson } from '../../live/reply-json.ts';
import { rightKey } from './rights.ts';
import type { ClusterReader } from './cluster-reader.ts';

const MAX_BYTES = 1024 * 1024;
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

export async function askRights(rights: readonly Right[], reader: ClusterReader): Promise<RightAnswer> {
  const answers = new Map<string, boolean | null>();
  await Promise.all(
    rights.map(async right => {
      const { allowed } = recordOf(replyJson(await reader.post(REVIEWS, review(right)), MAX_BYTES)['status']);
      answers.set(rightKey(right), typeof allowed === 'boolean' ? allowed : null);
    }),
  );
  return right => answers.get(rightKey(right)) ?? null;
}

/** Subresources are named as such. */
function review({ verb, group, resource, namespace }: Right): unknown {
  const [name, subresource] = resource.split('/');
  return {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: {
      resourceAttributes: {
        verb,
        group,
        resource: name,
        ...(subresource === undefined ? {} : { subresource }),
        ...(namespace === null ? {} : { namespace }),
      },
    },
  };
}
