/** What the kubelet depends on: cgroups, device plugins, D-Bus, certificates, eviction. */
import type { CauseRecord } from './cause-record.ts';
import { kubeletMetrics, RESTART_ONE, SAVE_FIRST } from './commands.ts';

const GRPC_CONNECTION = ['transport.(*http2Client).reader', 'transport.(*loopyWriter).run'];

export const NODE_SERVICES: readonly CauseRecord[] = [
  {
    id: 'pod-cgroup-cleanup',
    title: 'Pod cgroups that cannot be removed',
    kind: 'goroutine',
    signs: [
      { any: ['cm.(*podContainerManagerImpl).Destroy', 'cm.(*podContainerManagerImpl).tryKillingCgroupProcesses'] },
      {
        any: [
          'cm.(*cgroupManagerImpl).Destroy',
          'cm.(*cgroupCommon).Destroy',
          'cm.(*cgroupV1impl).Destroy',
          'cm.(*cgroupV2impl).Destroy',
        ],
      },
      { creators: ['kubelet.(*Kubelet).cleanupOrphanedPodCgroups'] },
    ],
    meaning:
      'The kubelet starts a goroutine every two seconds for each orphaned pod cgroup that it cannot delete. They pile up behind each other, and so does their memory, without any bound.',
    check: [
      `journalctl -u kubelet --since -1h | grep -c 'Failed to delete cgroup paths'`,
      kubeletMetrics('^(kubelet_cgroup_version|kubernetes_build_info|go_goroutines)'),
      'runc --version; uname -r; stat -fc %T /sys/fs/cgroup',
      `find /sys/fs/cgroup -type d -name '*pod*' | wc -l`,
    ],
    act: [
      SAVE_FIRST,
      'On cgroup v1 with runc 1.1.6 or later: upgrade the kubelet (1.24.14, 1.25.10, 1.26.5, 1.27.2, 1.28), or move to cgroup v2.',
      'Remove the empty cgroups of pods that no longer exist, then restart the kubelet.',
    ],
    avoid: ['Do not rely on a newer kernel alone: the mismatch is between runc and the kubelet.'],
    benign: false,
  },
  {
    id: 'device-plugin-client',
    title: 'Connections to device plugins',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'devicemanager/plugin/v1beta1.(*client)',
          'devicemanager/plugin/v1beta1.(*server)',
          'devicemanager.(*endpointImpl)',
          'devicemanager.(*ManagerImpl)',
        ],
      },
      { any: GRPC_CONNECTION, creators: ['devicemanager/plugin/v1beta1'] },
      { creators: ['devicemanager/plugin/v1beta1'] },
    ],
    meaning:
      'One client per device plugin resource, with its gRPC connection. A plugin that registers again under the same name leaves the old client running, so the count climbs with each registration.',
    check: [
      kubeletMetrics('^plugin_manager_total_plugins'),
      `journalctl -u kubelet --since -1d | grep -c 'Got registration request from device plugin'`,
      'ls -l /var/lib/kubelet/device-plugins /var/lib/kubelet/plugins_registry',
    ],
    act: [SAVE_FIRST, 'Stop the plugin from registering in a loop: read its log and its restarts.', RESTART_ONE],
    avoid: ['Do not delete kubelet_internal_checkpoint: pods would lose their devices.'],
    benign: false,
  },
  {
    id: 'plugin-watcher',
    title: 'Plugin registration loops',
    kind: 'goroutine',
    signs: [
      { any: ['pkg/kubelet/pluginmanager', 'pkg/kubelet/pluginmanager/'] },
      { creators: ['pkg/kubelet/pluginmanager', 'pkg/kubelet/pluginmanager/'] },
    ],
    meaning: 'The watcher and reconciler of plugin sockets: a fixed few for the life of the process.',
    check: [kubeletMetrics('^plugin_manager_total_plugins')],
    act: ['None unless it grows.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'dbus-signals',
    title: 'D-Bus signals that nobody reads',
    kind: 'goroutine',
    signs: [
      { any: ['dbus.(*signalChannelData)', 'dbus.(*sequentialSignalChannelData)'] },
      { creators: ['dbus.(*signalChannelData)'] },
    ],
    meaning:
      'The D-Bus library starts a goroutine for every signal that its subscriber does not read. When the node shutdown manager restarts after a logind or D-Bus fault, the old subscriptions stay and each signal adds more, up to the thread limit.',
    check: [
      kubeletMetrics('^(go_threads|go_goroutines|process_open_fds)'),
      'systemctl status dbus systemd-logind --no-pager',
      `journalctl -u kubelet --since -1d | grep -i -E 'shutdown manager|dbus'`,
    ],
    act: [
      SAVE_FIRST,
      'Repair dbus and systemd-logind first, then restart the kubelet.',
      'Upgrade to 1.37 when you can; shutdownGracePeriod 0 turns the shutdown manager off.',
    ],
    avoid: ['Do not wait: at 10,000 threads the runtime ends the process.'],
    benign: false,
  },
  {
    id: 'node-shutdown-loop',
    title: 'Node shutdown manager and its D-Bus connection',
    kind: 'goroutine',
    signs: [
      {
        any: ['kubelet/nodeshutdown', 'kubelet/nodeshutdown/', 'dbus.(*Conn)'],
      },
      { creators: ['kubelet/nodeshutdown', 'kubelet/nodeshutdown/', 'godbus/dbus'] },
    ],
    meaning:
      'The kubelet listens for shutdown signals of logind over one connection, with two or three goroutines. More connections mean the manager was started again without closing the old one.',
    check: [`ss -xp | grep -c kubelet`, `journalctl -u kubelet --since -1d | grep -i 'shutdown manager'`],
    act: ['None unless it grows; then look at dbus and systemd-logind.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'pod-certificates',
    title: 'Certificates of pods that are gone',
    kind: 'heap',
    signs: [{ any: ['kubelet/podcertificate.(*IssuingManager)', 'kubelet/podcertificate'] }],
    meaning:
      'The issuing manager of pod certificates keeps an entry per projected certificate; in 1.34 a race can keep entries of deleted pods. Only clusters with the feature gate PodCertificateRequest are affected.',
    check: [
      kubeletMetrics('^(kubernetes_feature_enabled.*PodCertificateRequest|kubelet_podcertificate_states)'),
      'kubectl get podcertificaterequests -A',
    ],
    act: ['Upgrade to 1.35 or turn the gate PodCertificateRequest off.', RESTART_ONE],
    avoid: ['Do not look at CertificateSigningRequests: these are PodCertificateRequests.'],
    benign: false,
  },
  {
    id: 'container-map',
    title: 'CPU and memory manager state of dead containers',
    kind: 'heap',
    signs: [
      {
        any: [
          'cm/containermap.ContainerMap',
          'cm/cpumanager.(*manager).AddContainer',
          'cm/memorymanager.(*manager).AddContainer',
        ],
      },
    ],
    meaning:
      'The resource managers remember which container has which CPUs and memory. Old kubelets kept entries of removed containers, so it grows with churn.',
    check: [kubeletMetrics('^(kubernetes_build_info|kubelet_started_containers_total)')],
    act: ['Upgrade: fixed in 1.21.13, 1.22.10, 1.23.8, 1.24.2 and 1.25.', RESTART_ONE],
    avoid: ['Do not delete cpu_manager_state on a running node.'],
    benign: true,
  },
  {
    id: 'lock-file-watch',
    title: 'Watch on the lock file',
    kind: 'goroutine',
    signs: [{ any: ['kubelet/app.watchForLockfileContention'] }],
    meaning: 'With --exit-on-lock-contention the kubelet watches a lock file; old versions never released the watch.',
    check: [kubeletMetrics('^(kubernetes_build_info|process_open_fds)')],
    act: ['Upgrade: fixed in 1.19.12, 1.20.8, 1.21.2 and 1.22, or drop --exit-on-lock-contention.'],
    avoid: [],
    benign: false,
  },
];
