import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { objectUrl, parseS3Url, placeText } from './s3-place.ts';

function urlOf(text: string, env = {}, key = 'evidence/ab/cd'): string {
  const place = parseS3Url(text, env);
  return objectUrl(place, place.region, key).href;
}

describe('the URL of a bucket', () => {
  it('is that of AWS, by host name, unless the bucket has dots', () => {
    assert.equal(urlOf('s3://bucket/x/', {}), 'https://bucket.s3.us-east-1.amazonaws.com/evidence/ab/cd');
    assert.equal(urlOf('s3://bucket', { AWS_REGION: 'eu-west-1' }, ''), 'https://bucket.s3.eu-west-1.amazonaws.com/');
    assert.equal(
      urlOf('s3://bu.cket?region=cn-north-1'),
      'https://s3.cn-north-1.amazonaws.com.cn/bu.cket/evidence/ab/cd',
    );
  });

  it('is by path at an endpoint, unless it is said otherwise', () => {
    const endpoint = 'endpoint=https://s3.example.com:9000/base/';
    assert.equal(urlOf(`s3://bucket/x?${endpoint}`), 'https://s3.example.com:9000/base/bucket/evidence/ab/cd');
    assert.equal(
      urlOf(`s3://bucket?${endpoint}&addressing=virtual`),
      'https://bucket.s3.example.com:9000/base/evidence/ab/cd',
    );
    assert.equal(urlOf('s3://bucket', { AWS_ENDPOINT_URL_S3: 'http://h:1' }), 'http://h:1/bucket/evidence/ab/cd');
  });

  it('encodes every odd character of a key', () => {
    assert.equal(
      urlOf('s3://bucket?endpoint=http://h', {}, "a b/ü+*'(%)"),
      'http://h/bucket/a%20b/%C3%BC%2B%2A%27%28%25%29',
    );
  });

  it('is recorded without what does not say where it is', () => {
    assert.equal(placeText(parseS3Url('s3://bucket//x/y/?region=eu-west-1', {})), 's3://bucket/x/y');
    assert.equal(placeText(parseS3Url('s3://bucket?endpoint=http://h:1/', {})), 's3://bucket at http://h:1');
  });

  for (const [text, why] of [
    ['s3:bucket', 'names no bucket'],
    ['s3:///x', 'names no bucket'],
    ['s3://b', 'names no bucket'],
    ['s3://bucket/../x', 'a prefix has no . and ..'],
    ['s3://bucket?regoin=x', 'unknown option regoin'],
    ['s3://bucket?endpoint=h:1', 'the endpoint is no http or https URL'],
    ['s3://bucket?endpoint=http://u:secret@h', 'the endpoint is no http or https URL'],
    ['s3://bucket?addressing=x', 'addressing is path or virtual'],
    ['s3://bucket?encryption=x', 'encryption is AES256 or aws:kms'],
    ['s3://bucket?encryption=AES256&kms-key=k', 'kms-key goes with encryption=aws:kms'],
  ] as const)
    it(`is refused: ${text}`, () => {
      assert.throws(
        () => parseS3Url(text, {}),
        ({ message }: Error) => {
          assert.ok(message.includes(`: ${why}; write s3://BUCKET/PREFIX`), message);
          assert.ok(!message.includes('secret'));
          return true;
        },
      );
    });
});
