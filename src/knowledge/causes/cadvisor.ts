/** Container statistics inside the kubelet: one goroutine per tracked cgroup. */
import type { CauseRecord } from './cause-record.ts';
import { kubeletMetrics, kubeletPath, RESTART_ONE, SAVE_FIRST } from './commands.ts';

const CGROUPS = `${kubeletPath('/metrics/cadvisor')} | grep -c '^container_last_seen'`;
const EXITED = 'crictl ps -a --state exited -q | wc -l';

export const CADVISOR: readonly CauseRecord[] = [
  {
    id: 'cadvisor-disk-usage',
    title: 'Disk usage walks of cadvisor',
    kind: 'goroutine',
    signs: [
      {
        any: [
          'fs.(*RealFsInfo).GetDirUsage',
          '(*realFsHandler).trackUsage',
          '(*realFsHandler).update',
          'fs.GetDirUsage',
        ],
      },
    ],
    meaning:
      'cadvisor walks the writable layer of each container to know its size. Large or slow file systems make the walks overlap; if one goroutine per container never ends, the tracker leaks.',
    check: [CGROUPS, 'df -h; df -i', EXITED],
    act: ['Look at disk latency and inode counts; remove exited containers that hold large layers.', RESTART_ONE],
    avoid: ['Do not restart while stacks are in [syscall] for minutes: rule out a hung file system first.'],
    benign: false,
  },
  {
    id: 'cadvisor-housekeeping',
    title: 'cadvisor housekeeping, one per cgroup',
    kind: 'goroutine',
    signs: [
      { any: ['manager.(*containerData).housekeeping', 'manager.(*containerData).housekeepingTick'] },
      { creators: ['manager.(*containerData).Start'] },
    ],
    meaning:
      'cadvisor samples each cgroup from its own goroutine, which ends when the cgroup is destroyed. Containers that die very quickly can leave theirs behind, with the statistics in memory.',
    check: [
      CGROUPS,
      kubeletMetrics('^(kubelet_running_containers|kubelet_started_containers_total|go_goroutines)'),
      EXITED,
    ],
    act: [
      'Compare the count with the cgroups of the first command; any excess goroutines were left behind.',
      'Stop the crash loop that makes short-lived containers, save the profiles, then restart the kubelet.',
    ],
    avoid: ['Do not tune --image-gc-high-threshold for this: it governs images on disk, not containers.'],
    benign: true,
  },
  {
    id: 'cadvisor-other',
    title: 'Loops of cadvisor',
    kind: 'goroutine',
    signs: [
      { any: ['github.com/google/cadvisor/'] },
      { any: ['utils/oomparser.(*OomParser)', 'cadvisor/oomparser.(*OomParser)', 'kmsgparser.(*parser)'] },
    ],
    meaning:
      'Watchers of cgroups, machine facts and the kernel log: a fixed number per process, created once at the start. Growth would mean that cadvisor is started more than once.',
    check: [kubeletMetrics('^go_goroutines')],
    act: ['Report it upstream with two goroutine profiles if it grows.'],
    avoid: [],
    benign: true,
  },
  {
    id: 'cadvisor-inotify',
    title: 'Cgroup watches that are not removed',
    kind: 'heap',
    signs: [{ any: ['utils/inotify.(*Watcher)', 'exp/inotify.(*Watcher)'] }],
    meaning:
      'cadvisor watches cgroup directories with inotify; entries of removed cgroups stayed in its tables in kubelets before 1.22.7 and 1.23.3. It grows with container churn.',
    check: [kubeletMetrics('^(kubernetes_build_info|process_open_fds)'), 'cat /proc/sys/fs/inotify/max_user_watches'],
    act: [SAVE_FIRST, 'Upgrade the kubelet to 1.24 or later.', RESTART_ONE],
    avoid: ['Do not just raise max_user_watches: it delays the failure and does not slow the growth.'],
    benign: false,
  },
  {
    id: 'cadvisor-statistics',
    title: 'Container statistics kept in memory',
    kind: 'heap',
    signs: [{ any: ['github.com/google/cadvisor/'] }],
    meaning:
      'cadvisor keeps two minutes of samples per cgroup, so this follows containers. Growth with a steady number of containers means that housekeeping of dead cgroups never ended and keeps their samples.',
    check: [CGROUPS, EXITED, kubeletMetrics('^go_gc_heap_live_bytes')],
    act: [SAVE_FIRST, 'Stop crash loops of short-lived containers, then restart the kubelet of one node and compare.'],
    avoid: ['Do not tune --image-gc-high-threshold: container garbage collection does not use it.'],
    benign: true,
  },
];
