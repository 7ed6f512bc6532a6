/**
 * Kubernetes JSON: objects as kubectl prints them, /configz, /stats/summary, versions. Known fields stay, with their
 * numbers, booleans, times, quantities and the words that Kubernetes itself writes there; every other text is hidden.
 * Unknown fields and those that users fill freely (annotations, environment, commands, data) are left out.
 *
 * Only known kinds are redacted: in any other object a key may be a name.
 */
import { FormatError } from '../../base/errors.ts';
import { FEATURE_GATES, KUBE_FIELDS } from './kube-words.ts';
import { isHidden, type Redactor } from './redactor.ts';
import { redactGoVersion, redactKernelVersion, redactRuntimeVersion, redactSystem, redactVersion } from './versions.ts';

/** Kinds whose objects can be redacted. */
const REDACTED_KINDS: ReadonlySet<string> = words(
  'Node Pod Event Lease Deployment ReplicaSet DaemonSet StatefulSet Job CronJob Namespace KubeletConfiguration Status SelfSubjectAccessReview',
);
const REFERRED_KINDS =
  'ReplicationController Service Endpoints EndpointSlice ConfigMap Secret ServiceAccount PersistentVolume PersistentVolumeClaim VolumeAttachment StorageClass CSINode CSIDriver HorizontalPodAutoscaler PodDisruptionBudget Ingress NetworkPolicy CustomResourceDefinition APIService ResourceClaim Binding Scale List';

const REASONS =
  'Starting Rebooted NodeReady NodeNotReady NodeHasInsufficientMemory NodeHasSufficientMemory NodeHasDiskPressure NodeHasNoDiskPressure NodeHasInsufficientPID NodeHasSufficientPID NodeAllocatableEnforced NodeNotSchedulable NodeSchedulable NodeSelectorMismatching EvictionThresholdMet SystemOOM OOMKilling OOMKilled KubeletStart KubeletIsHealthy KubeletUnhealthy FrequentKubeletRestart NoFrequentKubeletRestart FrequentDockerRestart NoFrequentDockerRestart FrequentContainerdRestart NoFrequentContainerdRestart ContainerdStart ContainerdUnhealthy DockerStart KernelHasNoDeadlock KernelOops KernelDeadlock FilesystemIsReadOnly FilesystemIsNotReadOnly ReadonlyFilesystem TaskHung MemoryReadError CorruptDockerOverlay2 NoCorruptDockerOverlay2 UnregisterNetDevice KubeletReady KubeletNotReady KubeletHasSufficientMemory KubeletHasInsufficientMemory KubeletHasNoDiskPressure KubeletHasDiskPressure KubeletHasSufficientPID KubeletHasInsufficientPID NodeStatusUnknown NodeStatusNeverUpdated RouteCreated NoRouteCreated CalicoIsUp CiliumIsUp FlannelIsUp RegisteredNode RemovingNode DeletingNode DeletingAllPods TerminatedAllPods CIDRNotAvailable InvalidDiskCapacity MissingClusterDNS CheckLimitsForResolvConf ImageGCFailed FreeDiskSpaceFailed ContainerGCFailed FailedNodeAllocatableEnforcement NodeShutdown Shutdown GracefulNodeShutdown Terminated Evicted Preempting Preempted Killing Killed Started Created Pulled Pulling Failed BackOff ErrImagePull ImagePullBackOff ErrImageNeverPull InvalidImageName CrashLoopBackOff CreateContainerError CreateContainerConfigError RunContainerError ContainerCreating PodInitializing ContainerCannotRun Completed Error DeadlineExceeded ExceededGracePeriod FailedKillPod FailedCreatePodContainer FailedCreatePodSandBox FailedPodSandBoxStatus SandboxChanged NetworkNotReady FailedMount FailedAttachVolume FailedMapVolume FailedUnmount FailedDetachVolume VolumeResizeSuccessful VolumeResizeFailed FileSystemResizeFailed FileSystemResizeSuccessful SuccessfulAttachVolume SuccessfulMountVolume Unhealthy ProbeWarning ProbeError FailedSync FailedValidation FailedPostStartHook FailedPreStopHook Scheduled FailedScheduling Unschedulable SchedulingGated SuccessfulCreate SuccessfulDelete FailedCreate FailedDelete ScalingReplicaSet SawCompletedJob SuccessfulRescale LeaderElection TaintManagerEviction TopologyAffinityError UnexpectedAdmissionError OutOfcpu OutOfmemory OutOfpods NodeAffinity NodeLost UnexpectedJob BackoffLimitExceeded JobComplete ContainersNotReady ContainersNotInitialized PodCompleted PodFailed NewReplicaSetAvailable NewReplicaSetCreated FoundNewReplicaSet ReplicaSetUpdated MinimumReplicasAvailable MinimumReplicasUnavailable ProgressDeadlineExceeded DeletionByTaintManager DeletionByPodGC TerminationByKubelet EvictionByEvictionAPI PreemptionByScheduler NotFound Forbidden Unauthorized AlreadyExists Conflict Gone Invalid Timeout ServerTimeout ServiceUnavailable TooManyRequests InternalError BadRequest MethodNotAllowed NotAcceptable Expired Unknown';

/** Of conditions, addresses, events and strategies. */
const TYPES =
  'Ready MemoryPressure DiskPressure PIDPressure NetworkUnavailable OutOfDisk KernelDeadlock ReadonlyFilesystem CorruptDockerOverlay2 FrequentKubeletRestart FrequentDockerRestart FrequentContainerdRestart FrequentUnregisterNetDevice KubeletUnhealthy KubeletProblem ContainerRuntimeUnhealthy ContainerRuntimeProblem ContainerdUnhealthy DockerUnhealthy KernelOops NTPProblem PodScheduled Initialized ContainersReady PodReadyToStartContainers DisruptionTarget PodResizePending PodResizeInProgress AllContainersRestarting Available Progressing ReplicaFailure Complete Failed Suspended FailureTarget SuccessCriteriaMet InternalIP InternalDNS ExternalIP ExternalDNS Hostname Normal Warning RollingUpdate Recreate OnDelete RuntimeDefault Unconfined Localhost Directory DirectoryOrCreate File FileOrCreate Socket CharDevice BlockDevice NamespaceDeletionDiscoveryFailure NamespaceDeletionContentFailure NamespaceDeletionGroupVersionParsingFailure NamespaceContentRemaining NamespaceFinalizersRemaining';

const COMPONENTS =
  'kubelet kube-proxy kube-scheduler kube-controller-manager kube-apiserver default-scheduler node-controller daemonset-controller replicaset-controller deployment-controller statefulset-controller job-controller cronjob-controller replication-controller attachdetach-controller persistentvolume-controller endpoint-controller endpoint-slice-controller service-controller taint-eviction-controller horizontal-pod-autoscaler cloud-node-controller cloud-node-lifecycle-controller kernel-monitor systemd-monitor health-checker kubelet-monitor docker-monitor containerd-monitor abrt-adaptor readonly-monitor node-problem-detector cluster-autoscaler descheduler karpenter';

/** Labels, annotations and taints with a meaning of their own. */
const KUBE_LABELS: ReadonlySet<string> = words(
  'kubernetes.io/os kubernetes.io/arch kubernetes.io/hostname kubernetes.io/metadata.name kubernetes.io/cluster-service beta.kubernetes.io/os beta.kubernetes.io/arch beta.kubernetes.io/instance-type topology.kubernetes.io/region topology.kubernetes.io/zone failure-domain.beta.kubernetes.io/region failure-domain.beta.kubernetes.io/zone node.kubernetes.io/instance-type node.kubernetes.io/windows-build node.kubernetes.io/exclude-from-external-load-balancers node.kubernetes.io/not-ready node.kubernetes.io/unreachable node.kubernetes.io/memory-pressure node.kubernetes.io/disk-pressure node.kubernetes.io/pid-pressure node.kubernetes.io/network-unavailable node.kubernetes.io/unschedulable node.kubernetes.io/out-of-service node.kubernetes.io/pool node.cloudprovider.kubernetes.io/uninitialized node.cloudprovider.kubernetes.io/shutdown node-role.kubernetes.io/control-plane node-role.kubernetes.io/master node-role.kubernetes.io/worker node-role.kubernetes.io/etcd node-role.kubernetes.io/infra app.kubernetes.io/name app.kubernetes.io/instance app.kubernetes.io/version app.kubernetes.io/component app.kubernetes.io/part-of app.kubernetes.io/managed-by statefulset.kubernetes.io/pod-name apps.kubernetes.io/pod-index batch.kubernetes.io/job-name batch.kubernetes.io/controller-uid batch.kubernetes.io/job-completion-index job-name controller-uid controller-revision-hash pod-template-hash pod-template-generation k8s-app component tier pod-security.kubernetes.io/enforce pod-security.kubernetes.io/audit pod-security.kubernetes.io/warn pod-security.kubernetes.io/enforce-version pod-security.kubernetes.io/audit-version pod-security.kubernetes.io/warn-version cloud.google.com/gke-nodepool eks.amazonaws.com/nodegroup karpenter.sh/nodepool kubernetes.azure.com/agentpool agentpool lab/group',
);

/** Compute resources and what the eviction manager watches. */
const KUBE_RESOURCES: ReadonlySet<string> = words(
  'cpu memory pods storage ephemeral-storage swap hugepages-2Mi hugepages-1Gi hugepages-64Ki hugepages-32Mi hugepages-512Mi hugepages-16Mi hugepages-16Gi nvidia.com/gpu amd.com/gpu pid memory.available memory.swap.available nodefs.available nodefs.inodesFree imagefs.available imagefs.inodesFree containerfs.available containerfs.inodesFree pid.available allocatableMemory.available',
);

const API_GROUPS =
  'apps batch policy autoscaling extensions coordination.k8s.io events.k8s.io authorization.k8s.io authentication.k8s.io kubelet.config.k8s.io node.k8s.io storage.k8s.io rbac.authorization.k8s.io networking.k8s.io discovery.k8s.io scheduling.k8s.io resource.k8s.io metrics.k8s.io apiextensions.k8s.io apiregistration.k8s.io admissionregistration.k8s.io certificates.k8s.io flowcontrol.apiserver.k8s.io';

const PLATFORMS = 'linux darwin windows freebsd';
const ARCHITECTURES = 'amd64 arm64 arm 386 ppc64le s390x riscv64 mips64le loong64';

type Keep = ReadonlySet<string> | RegExp | ((text: string, redactor: Redactor) => string);

const OPERATING_SYSTEM = words(PLATFORMS);
const ARCHITECTURE = words(ARCHITECTURES);
const COMPONENT = words(COMPONENTS);

const VALUES: ReadonlyMap<string, Keep> = new Map<string, Keep>([
  ['kind', new Set([...REDACTED_KINDS].flatMap(kind => [kind, `${kind}List`]).concat(REFERRED_KINDS.split(' ')))],
  ['reason', words(REASONS)],
  ['type', words(TYPES)],
  ['phase', words('Pending Running Succeeded Failed Unknown Active Terminating Bound Available')],
  ['status', words('True False Unknown Success Failure')],
  ['restartPolicy', words('Always OnFailure Never')],
  ['dnsPolicy', words('ClusterFirst ClusterFirstWithHostNet Default None')],
  ['imagePullPolicy', words('Always IfNotPresent Never')],
  ['pullPolicy', words('Always IfNotPresent Never')],
  ['qosClass', words('Guaranteed Burstable BestEffort')],
  ['effect', words('NoSchedule PreferNoSchedule NoExecute')],
  ['operator', words('In NotIn Exists DoesNotExist Gt Lt Equal')],
  ['protocol', words('TCP UDP SCTP')],
  ['terminationMessagePolicy', words('File FallbackToLogsOnError')],
  ['volumeMode', words('Filesystem Block')],
  ['mode', words('Webhook AlwaysAllow')],
  ['memoryManagerPolicy', words('None Static BestEffort')],
  [
    'apiVersion',
    new RegExp(`^(?:(?:${API_GROUPS.replaceAll(' ', '|').replaceAll('.', '\\.')})/)?v[12](?:(?:alpha|beta)[1-9])?$`),
  ],
  ['operatingSystem', OPERATING_SYSTEM],
  ['kubernetes.io/os', OPERATING_SYSTEM],
  ['beta.kubernetes.io/os', OPERATING_SYSTEM],
  ['architecture', ARCHITECTURE],
  ['kubernetes.io/arch', ARCHITECTURE],
  ['beta.kubernetes.io/arch', ARCHITECTURE],
  ['platform', new RegExp(`^(?:${PLATFORMS.replaceAll(' ', '|')})/(?:${ARCHITECTURES.replaceAll(' ', '|')})$`)],
  ['osImage', redactSystem],
  ['kernelVersion', redactKernelVersion],
  ['containerRuntimeVersion', redactRuntimeVersion],
  ['kubeletVersion', redactVersion],
  ['kubeProxyVersion', redactVersion],
  ['gitVersion', redactVersion],
  ['kustomizeVersion', redactVersion],
  ['goVersion', redactGoVersion],
  ['gitTreeState', words('clean dirty archive')],
  ['compiler', words('gc gccgo')],
  ['major', /^\d{1,2}$/],
  ['minor', /^\d{1,3}\+?$/],
  ['emulationMajor', /^\d{1,2}$/],
  ['emulationMinor', /^\d{1,3}\+?$/],
  ['minCompatibilityMajor', /^\d{1,2}$/],
  ['minCompatibilityMinor', /^\d{1,3}\+?$/],
  ['component', COMPONENT],
  ['reportingComponent', COMPONENT],
  ['reportingController', COMPONENT],
  ['cgroupDriver', words('cgroupfs systemd')],
  ['cpuManagerPolicy', words('none static')],
  ['topologyManagerPolicy', words('none best-effort restricted single-numa-node')],
  ['topologyManagerScope', words('container pod')],
  // The keys of taints and tolerations.
  ['key', KUBE_LABELS],
]);

/** The text of a field, as far as it may leave; undefined when the field has no vocabulary or the text is not in it. */
function keepKubeValue(field: string, text: string, redactor: Redactor): string | undefined {
  const keep = VALUES.get(field);
  if (keep === undefined) return undefined;
  if (typeof keep === 'function') return keep(text, redactor);
  const isKnown = keep instanceof RegExp ? keep.test(text) : keep.has(text);
  return isKnown ? redactor.keep(text) : undefined;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

/** Users fill these freely, keys and all. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'managedFields',
  'annotations',
  'data',
  'stringData',
  'binaryData',
  'env',
  'envFrom',
  'command',
  'args',
  'images',
  'httpHeaders',
  'volumeAttributes',
  'options',
  'attributes',
  'parameters',
  'finalizers',
  'fieldsV1',
]);

/** The maps with keys of their own, and the vocabulary of the keys. Everywhere else a key is a field. */
const KEYS_BELOW: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...['labels', 'matchLabels', 'nodeSelector'].map(map => [map, KUBE_LABELS] as const),
  ['selector', new Set([...KUBE_LABELS, 'matchLabels', 'matchExpressions'])],
  ...[
    'capacity',
    'allocatable',
    'allocatedResources',
    'requests',
    'limits',
    'overhead',
    'kubeReserved',
    'systemReserved',
    'qosReserved',
    'evictionHard',
    'evictionSoft',
    'evictionSoftGracePeriod',
    'evictionMinimumReclaim',
  ].map(map => [map, KUBE_RESOURCES] as const),
  ['featureGates', FEATURE_GATES],
]);
/** Below these, a key that is not public is hidden with its value; elsewhere what is below it is left out. */
const LABEL_MAPS: ReadonlySet<string> = new Set(['labels', 'matchLabels', 'nodeSelector', 'selector']);

/** The provider of a machine, followed by which machine it is. */
const PROVIDER =
  /^((?:aws|gce|azure|digitalocean|openstack|vsphere|ibm|oci|hcloud|linode|scaleway|alicloud|equinixmetal|kind|k3s|kubemark):\/\/)(.*)$/s;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const DURATION = /^(?:\d{1,9}(?:\.\d{1,9})?(?:h|ms|m|s|us|ns)){1,4}$/;
/** A number with a unit, or with at most three digits: a longer one may be an id. */
const QUANTITY = /^(?:\d{1,3}|\d{1,13}(?:\.\d{1,3})?(?:m|k|M|G|T|Ki|Mi|Gi|Ti|%))$/;
const NEUTRAL = /^(?:[Tt]rue|[Ff]alse|[Uu]nknown|[Nn]one|)$/;

/** Throws a FormatError when it is JSON of another kind, or not JSON. */
export function redactKubeJson(text: string, redactor: Redactor): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new FormatError('JSON that cannot be parsed');
  }
  const problem = unknownKind(value);
  if (problem !== undefined) throw new FormatError(problem);
  return `${JSON.stringify(redactValue(value, '', redactor), undefined, 1)}\n`;
}

/** Why the value cannot be redacted; undefined when it can. */
function unknownKind(value: unknown): string | undefined {
  if (!isObject(value)) return 'JSON of an unknown kind';
  const items = Array.isArray(value['items']) ? value['items'].filter(isObject) : [];
  const kinds = [value, ...items, ...(isObject(value['kubeletconfig']) ? [value['kubeletconfig']] : [])]
    .map(one => one['kind'])
    .filter(kind => typeof kind === 'string' && kind !== 'List');
  const stranger = kinds.find(kind => !REDACTED_KINDS.has((kind as string).replace(/List$/, '')));
  if (stranger !== undefined) return 'objects of a kind whose fields are not known';
  if (kinds.length > 0) return undefined;
  if (isObject(value['serverVersion'] ?? value['clientVersion']) || typeof value['gitVersion'] === 'string')
    return undefined;
  const node = value['node'];
  if (isObject(node) && typeof node['nodeName'] === 'string') return undefined;
  return 'JSON of an unknown kind';
}

/** No object of Kubernetes is deeper, and recursion needs an end. */
const MAX_DEPTH = 100;

function redactValue(value: unknown, key: string, redactor: Redactor, depth = 0): unknown {
  if (depth > MAX_DEPTH) throw new FormatError(`JSON with more than ${MAX_DEPTH} levels`);
  if (typeof value === 'string') return redactText(value, key, redactor);
  if (Array.isArray(value)) return value.map(item => redactValue(item, key, redactor, depth + 1));
  if (!isObject(value)) return value;
  const out: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, inner] of Object.entries(value)) {
    const isPublic = (KEYS_BELOW.get(key) ?? KUBE_FIELDS).has(name);
    if (isPublic && (!LEFT_OUT.has(name) || KEYS_BELOW.has(key)))
      out[redactor.keep(name)] = redactValue(inner, name, redactor, depth + 1);
    else if (!isPublic && LABEL_MAPS.has(key) && typeof inner === 'string')
      out[redactor.hide('label', name)] = redactText(inner, '', redactor);
    else {
      if (!isPublic) redactor.remove('label', name);
      forget(inner, redactor, depth + 1);
    }
  }
  return out;
}

function redactText(text: string, key: string, redactor: Redactor): string {
  if (saysNothing(text) || isHidden(text)) return text;
  const [, provider, id] = (key === 'providerID' ? PROVIDER.exec(text) : null) ?? [];
  if (provider !== undefined && id !== undefined) return redactor.keep(provider) + redactor.hide('url', id);
  const known = keepKubeValue(key, text, redactor);
  if (known !== undefined) return known;
  if (/^(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f:]*:[0-9a-f:]+)(?:\/\d+)?$/i.test(text))
    return redactor.hide('address', text);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return redactor.hide('url', text);
  if (/(?:^|\s)\S+\s+\S/.test(text)) return redactor.hide('text', text);
  return redactor.hide(/^(?:[A-Z]:\\|\/)/.test(text) ? 'path' : 'name', text);
}

function saysNothing(text: string): boolean {
  return NEUTRAL.test(text) || TIME.test(text) || DURATION.test(text) || QUANTITY.test(text);
}

/** The search for originals also covers what is left out. */
function forget(value: unknown, redactor: Redactor, depth: number): void {
  if (depth > MAX_DEPTH) throw new FormatError(`JSON with more than ${MAX_DEPTH} levels`);
  if (typeof value === 'string') {
    if (!saysNothing(value)) redactor.remove('text', value);
  } else if (Array.isArray(value)) for (const item of value) forget(item, redactor, depth + 1);
  else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      if (!KUBE_FIELDS.has(name)) redactor.remove('label', name);
      forget(inner, redactor, depth + 1);
    }
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
