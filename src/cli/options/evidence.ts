/** Where the files of captures are kept. */
import { type Environment, isS3Url, parseS3Url } from '../../store/io/s3/s3-place.ts';
import { Failure } from '../../base/failure.ts';
import { httpUrl, text } from './kinds.ts';
import type { Option } from './option.ts';
import { shown } from './wording.ts';

export const EVIDENCE_OPTIONS: {
  readonly evidence: Option<string>;
  readonly evidenceEndpoint: Option<string | undefined>;
} = {
  evidence: text({
    placeholder: 's3://BUCKET/PREFIX',
    default: '',
    help: 'keep the files of captures there instead of in the data folder; credentials as for other tools of AWS',
  }),
  evidenceEndpoint: httpUrl({ needs: ['evidence'], help: 'the S3 server, if it is not AWS' }),
};

/** As one URL. Throws a Failure. */
export function evidenceUrl({ evidence, evidenceEndpoint }: EvidenceValues, env: Environment): string {
  if (evidence === '') return '';
  if (!isS3Url(evidence)) throw new Failure('usage', `--evidence takes s3://BUCKET/PREFIX, not ${shown(evidence)}`);
  const mark = evidence.includes('?') ? '&' : '?';
  const url =
    evidenceEndpoint === undefined ? evidence : `${evidence}${mark}endpoint=${encodeURIComponent(evidenceEndpoint)}`;
  parseS3Url(url, env);
  return url;
}

export interface EvidenceValues {
  readonly evidence: string;
  readonly evidenceEndpoint: string | undefined;
}
