/** A file system that does not answer: threads stay in the kernel, and a restart makes it worse. */
import type { CauseRecord } from './cause-record.ts';
import { kubeletMetrics } from './commands.ts';

const FILE_CALLS = [
  'syscall.Statfs',
  'syscall.fstatat',
  'syscall.Fstatat',
  'syscall.Stat',
  'syscall.Lstat',
  'unix.Statfs',
  'unix.Fstatat',
  'unix.Stat',
  'unix.Lstat',
  'syscall.Open',
  'syscall.openat',
  'syscall.Openat',
  'unix.Open',
  'unix.Openat',
  'syscall.Unmount',
  'unix.Unmount',
  'syscall.Mount',
  'unix.Mount',
  'syscall.Getdents',
  'syscall.ReadDirent',
  'syscall.Fsync',
  'os.Stat',
  'os.Lstat',
  'os.statNolog',
  'os.lstatNolog',
  'os.ReadDir',
];
const FILE_CALLERS = [
  'fs.getVfsStats',
  'mount-utils.(*Mounter)',
  'mount.(*Mounter)',
  'kubelet.(*Kubelet).HandlePodCleanups',
];

export const FILE_SYSTEMS: readonly CauseRecord[] = [
  {
    id: 'hung-file-system',
    title: 'A file system does not answer',
    kind: 'goroutine',
    signs: [
      { any: FILE_CALLS, states: ['syscall'], waitMinutes: 1 },
      { any: FILE_CALLERS, states: ['syscall'], waitMinutes: 1 },
      { any: ['syscall.Statfs', 'unix.Statfs', 'fs.getVfsStats'] },
    ],
    meaning:
      'Goroutines sit in a system call on a path and cannot be woken, each with an operating system thread: usually a dead NFS server, sometimes a failing disk. Everything that touches the same mount queues up behind them.',
    check: [
      `ps -eo pid,stat,wchan:32,comm | awk '$2 ~ /D/'`,
      `for m in $(awk '$3 ~ /nfs|cifs|fuse|ceph/ {print $2}' /proc/mounts); do timeout 3 stat -f "$m" >/dev/null || echo "hangs: $m"; done`,
      kubeletMetrics('^go_threads'),
    ],
    act: [
      'Bring the server back, or unmount with umount -f, then umount -l, for each mount that hangs.',
      'Mount network file systems soft or with short timeouts where the data allows it.',
      'Cordon the node until it is clear.',
    ],
    avoid: [
      'Do not restart the kubelet automatically: the new process can hang on the same mount before it is ready, and the node is lost.',
      'Do not run df, ls or lsof over all mounts: they hang too.',
    ],
    benign: false,
  },
  {
    id: 'mount-command-running',
    title: 'Mount and unmount commands that do not return',
    kind: 'goroutine',
    signs: [
      { any: ['mount-utils.(*Mounter)', 'mount-utils', 'util/mount.(*Mounter)'], all: ['os/exec.(*Cmd)'] },
      { any: ['mount-utils.(*Mounter)', 'mount-utils'] },
    ],
    meaning:
      'The kubelet runs mount, umount or a file system check and waits for it. A command that hangs holds the volume and the pod; the command itself is visible on the node.',
    check: [`ps -eo pid,ppid,etime,stat,args | grep -E '[u]?mount|[f]sck'`, 'dmesg -T | tail -30'],
    act: [
      'Treat the backend of the volume the command names.',
      'Kill only the hanging command, and never while its mount is in use.',
    ],
    avoid: ['Do not restart the kubelet before the backend answers: the new one runs the same command.'],
    benign: false,
  },
  {
    id: 'file-watcher',
    title: 'File watches',
    kind: 'goroutine',
    signs: [
      { any: ['fsnotify.(*inotify)', 'fsnotify.(*Watcher)', 'fsnotify.(*fdPoller)', 'utils/inotify.(*Watcher)'] },
    ],
    meaning:
      'One goroutine and one inotify instance per fsnotify watcher: a handful in every Kubernetes process. Growth means watchers that are not closed, and ends in "too many open files".',
    check: [
      `find /proc/*/fd -lname anon_inode:inotify 2>/dev/null | cut -d/ -f3 | sort | uniq -c | sort -rn | head`,
      kubeletMetrics('^process_open_fds'),
    ],
    act: ['Close every watcher with the thing it watches; share one per process.'],
    avoid: ['Do not just raise fs.inotify.max_user_instances.'],
    benign: true,
  },
];
