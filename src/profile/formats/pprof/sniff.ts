/** Whether bytes are a profile.proto, by how they begin. */
import { FormatError } from '../../../base/errors.ts';
import { ProfileDecoder } from './decode.ts';
import { isText } from '../../../base/sniff.ts';
import { ConcatenatedProfilesError, MalformedProfileError } from './wire.ts';

/** Whether the decoder accepts the head, and at least one whole field is in it. Text is never a profile.proto. */
export function sniffPprof(head: Uint8Array): boolean {
  if (!mayBeProto(head) || isText(head)) return false;
  const decoder = new ProfileDecoder();
  try {
    decoder.push(head);
    return decoder.decodedBytes > 0;
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return !mayBeOtherFormat(error);
  }
}

/** Whether the first tag is one that the message has, with its wire type. Some text begins like that, too. */
export function mayBeProto(head: Uint8Array): boolean {
  if (head.length < 2) return false;
  const field = head[0] >>> 3;
  const wireType = head[0] & 7;
  if (head[0] >= 0x80) return wireType === 0 || wireType === 1 || wireType === 2 || wireType === 5;
  if (field >= 1 && field <= 6) return wireType === 2;
  if (field === 11) return wireType === 2;
  if (field === 13) return wireType === 2 || wireType === 0;
  if (field >= 7 && field <= 15) return wireType === 0;
  return false;
}

/** Whether a failure to decode leaves room for another format. */
export function mayBeOtherFormat(error: FormatError): boolean {
  return !(error instanceof MalformedProfileError) && !(error instanceof ConcatenatedProfilesError);
}
