/** The fields of a Pod that acting looks at. */
import { recordOf, textOf, type JsonRecord } from '../../base/json.ts';

export interface PodFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly isTerminating: boolean;
}

export function podFacts(pod: JsonRecord): PodFacts {
  const metadata = recordOf(pod['metadata']);
  return {
    namespace: textOf(metadata['namespace']),
    name: textOf(metadata['name']),
    uid: textOf(metadata['uid']),
    isTerminating: textOf(metadata['deletionTimestamp']) !== '',
  };
}
