/** JSON members with a secret in every value and, where keys are free or unknown, in every key. */
import type { NextSecret } from './plant-text.ts';

function metadata(next: NextSecret): object {
  return {
    name: next(),
    namespace: next(),
    uid: next(),
    resourceVersion: next(),
    generateName: next(),
    annotations: { [next()]: next() },
    labels: {
      'kubernetes.io/hostname': next(),
      'kubernetes.io/os': next(),
      [next()]: next(),
      [`node-role.kubernetes.io/${next()}`]: '',
      [`${next()}.k8s.io/x`]: 'true',
    },
    finalizers: [next()],
    ownerReferences: [{ apiVersion: `${next()}.k8s.io/v1`, kind: next(), name: next(), uid: next(), controller: true }],
    managedFields: [{ manager: next(), fieldsV1: { [next()]: {} } }],
    [next()]: next(),
  };
}

export function plantedNodes(next: NextSecret): object {
  return {
    kind: 'List',
    apiVersion: 'v1',
    items: [
      {
        kind: 'Node',
        apiVersion: 'v1',
        metadata: metadata(next),
        spec: {
          providerID: `aws:///${next()}`,
          podCIDR: next(),
          podCIDRs: [next()],
          taints: [{ key: next(), value: next(), effect: next() }],
          [next()]: { [next()]: 5 },
        },
        status: {
          capacity: { cpu: '4', memory: '16Gi', [next()]: '1', [`${next()}/gpu`]: '2' },
          allocatable: { cpu: next() },
          conditions: [
            { type: 'Ready', status: 'True', reason: next(), message: next() },
            { type: next(), status: next(), lastHeartbeatTime: next() },
          ],
          addresses: [{ type: 'InternalIP', address: next() }],
          nodeInfo: {
            kubeletVersion: `v1.36.0-${next()}`,
            kernelVersion: `6.1.0-${next()}`,
            osImage: `Debian GNU/Linux 12 ${next()}`,
            containerRuntimeVersion: `containerd://2.1.4-${next()}`,
            machineID: next(),
            bootID: next(),
            architecture: next(),
            operatingSystem: next(),
          },
          images: [{ names: [next()] }],
          volumesAttached: [{ name: next(), devicePath: next() }],
        },
      },
    ],
  };
}

export function plantedPods(next: NextSecret): object {
  return {
    kind: 'PodList',
    apiVersion: 'v1',
    items: [
      {
        kind: 'Pod',
        metadata: metadata(next),
        spec: {
          nodeName: next(),
          serviceAccountName: next(),
          nodeSelector: { [next()]: next() },
          restartPolicy: next(),
          volumes: [
            {
              name: next(),
              csi: { driver: next(), volumeAttributes: { [next()]: next() }, mode: next(), type: next() },
              hostPath: { path: next(), type: next() },
              flexVolume: { driver: next(), options: { [next()]: next() } },
            },
          ],
          containers: [
            {
              name: next(),
              image: next(),
              command: [next()],
              args: [next()],
              env: [{ name: next(), value: next() }],
              ports: [{ containerPort: 80, protocol: next() }],
              resources: { requests: { cpu: '1', [next()]: '1' }, limits: { memory: next() } },
              livenessProbe: {
                httpGet: { path: next(), host: next(), httpHeaders: [{ name: next(), value: next() }] },
                exec: { command: [next()] },
              },
            },
          ],
        },
        status: { phase: next(), podIP: next(), hostIP: next(), reason: next(), message: next(), qosClass: next() },
      },
    ],
  };
}

export function plantedEvents(next: NextSecret): object {
  return {
    kind: 'EventList',
    apiVersion: 'v1',
    items: [
      {
        kind: 'Event',
        apiVersion: `${next()}.k8s.io/v1`,
        metadata: metadata(next),
        reason: next(),
        message: next(),
        type: next(),
        source: { component: next(), host: next() },
        reportingComponent: next(),
        reportingInstance: next(),
        involvedObject: { kind: next(), name: next(), namespace: next(), fieldPath: next() },
        firstTimestamp: '2026-11-15T07:12:25Z',
        count: 2,
      },
    ],
  };
}

export function plantedConfigz(next: NextSecret): object {
  return {
    kubeletconfig: {
      kind: 'KubeletConfiguration',
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      clusterDNS: [next()],
      clusterDomain: next(),
      staticPodPath: next(),
      authentication: { x509: { clientCAFile: next() }, [next()]: next() },
      featureGates: { EventedPLEG: true, [next()]: true },
      evictionHard: { 'memory.available': '100Mi', [next()]: '5%' },
      kubeReserved: { [next()]: '1' },
      cgroupDriver: next(),
      topologyManagerPolicy: next(),
      staticPodURLHeader: { [next()]: [next()] },
    },
  };
}

export function plantedSummary(next: NextSecret): object {
  return {
    node: { nodeName: next(), startTime: '2026-11-15T07:12:25Z', systemContainers: [{ name: next() }] },
    pods: [
      {
        podRef: { name: next(), namespace: next(), uid: next() },
        volume: [{ name: next(), pvcRef: { name: next() } }],
      },
    ],
    [next()]: { [next()]: 4 },
  };
}

export function plantedVersion(next: NextSecret): object {
  return {
    clientVersion: { gitVersion: `v1.36.0+${next()}`, gitCommit: next(), [next()]: next() },
    serverVersion: {
      gitVersion: next(),
      goVersion: `go1.26.7 ${next()}`,
      platform: next(),
      buildDate: next(),
      major: next(),
    },
    [next()]: next(),
  };
}

export function plantedManifest(next: NextSecret, file: string): object {
  return {
    schema: 'oakum.capture/v1',
    target: `node/${next()}`,
    oakumVersion: `0.1.0-${next()}`,
    startedAtSeconds: 1794772310,
    endedAtSeconds: 1794772320,
    version: 'v1.36.0',
    goVersion: `go1.26.7 ${next()}`,
    buildId: next(),
    processStartSeconds: [1794771922],
    [next()]: next(),
    entries: [
      {
        kind: 'goroutine',
        set: 1,
        file,
        request: `/api/v1/nodes/${encodeURIComponent(next())}/proxy/debug/pprof/goroutine?${encodeURIComponent(next())}=1`,
        takenAtSeconds: 1794772310,
        tookSeconds: 0.1,
        status: 200,
        bytes: 100,
        sha256: next(),
        truncated: next(),
        error: next(),
        [next()]: next(),
      },
      { kind: next(), takenAtSeconds: 1794772310, file: next() },
    ],
    notes: [next()],
  };
}
