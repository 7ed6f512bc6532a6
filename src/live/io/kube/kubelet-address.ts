import { recordOf, textOf } from '../../../base/json.ts';
import type { KubeObject } from '../../../evidence/formats/kube-json/objects.ts';

const DEFAULT_PORT = 10_250;
/** In the order in which the API server itself prefers them. */
const ADDRESS_TYPES = ['InternalIP', 'ExternalIP', 'Hostname'];

/** Where the kubelet of a Node object listens; undefined if the object has no address yet. */
export function kubeletUrl(node: KubeObject): URL | undefined {
  const status = recordOf(node['status']);
  const addresses = Array.isArray(status['addresses']) ? status['addresses'].map(recordOf) : [];
  const ofType = (type: string): string => textOf(addresses.find(one => one['type'] === type)?.['address']);
  const address = ADDRESS_TYPES.map(ofType).find(one => one !== '');
  if (address === undefined) return undefined;
  const { Port: port } = recordOf(recordOf(status['daemonEndpoints'])['kubeletEndpoint']);
  const host = address.includes(':') ? `[${address}]` : address;
  const text = `https://${host}:${typeof port === 'number' ? port : DEFAULT_PORT}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}
