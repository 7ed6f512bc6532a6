/**
 * Versions of Kubernetes, Go, kernels, runtimes and systems. What their makers write stays; what somebody appended is
 * cut off.
 *
 *     v1.34.2-eks-4f4795d     stays
 *     v1.34.2-acme.payments   v1.34.2
 *     10.0.0.5                is an address, and hidden
 */
import type { Redactor } from './redactor.ts';

const NUMBERS = String.raw`\d{1,4}\.\d{1,4}(?:\.\d{1,4})?(?![.\d])`;
const PRE_RELEASE = String.raw`(?:-(?:alpha|beta|rc)\.?\d{0,3}(?:\.\d{1,5})?)?`;
const VENDOR = String.raw`(?:-eks-[0-9a-f]{7}|-gke\.\d{1,8}(?:\.\d{1,4})?|[-+]k3s\d{1,2}|\+k0s(?:\.\d{1,2})?|\+rke2r\d{1,2}|\+vmware\.\d{1,2}|-(?:aliyun|tke|aks|mirantis)[.-]\d{1,4}|-fips)?`;
/** A build between releases: commits since the tag, and the commit. */
const BETWEEN = String.raw`(?:-\d{1,5}-g[0-9a-f]{7,14}|\+[0-9a-f]{7,14})?(?:-dirty)?`;
const VERSION = grammar(`v?${NUMBERS}`, `${PRE_RELEASE}${VENDOR}${BETWEEN}`);

const GO = grammar(String.raw`go1\.\d{1,2}(?:\.\d{1,2})?(?:rc\d{1,2}|beta\d{1,2})?`, '');

const KERNEL = grammar(
  String.raw`\d{1,2}\.\d{1,3}(?:\.\d{1,4})?(?![.\d])`,
  String.raw`(?:-\d{1,5})?(?:[.-](?:generic|aws|azure|gcp|gke|oracle|cloud|amd64|arm64|x86_64|aarch64|lowlatency|virt|lts|flatcar|talos|default|standard|microsoft|WSL\d|rt|pve|el\d{1,2}(?:_\d{1,2})?|amzn\d{1,4}|fc\d\d|deb\d{1,2}u\d|cm\d|azl\d|linuxkit|\d{1,5}))*\+?`,
);

const SYSTEM = grammar(
  String.raw`(?:Ubuntu|Debian GNU/Linux|Red Hat Enterprise Linux(?: CoreOS)?|Amazon Linux|Bottlerocket OS|Container-Optimized OS from Google|Flatcar Container Linux by Kinvolk|Fedora(?: Linux| CoreOS)?|Rocky Linux|AlmaLinux|CentOS(?: Linux| Stream)?|Oracle Linux(?: Server)?|SUSE Linux Enterprise Server|openSUSE Leap|SLE Micro|Alpine Linux|Talos|Windows Server|Azure Linux|Microsoft Azure Linux|CBL-Mariner(?:/Linux)?|VMware Photon OS/Linux|NixOS|Arch Linux|K3OS|RancherOS)(?: v?\d{1,4}(?:\.\d{1,4}){0,2}(?![.\d]))?`,
  String.raw`(?: (?:LTS|Datacenter|SP\d))?(?: \((?:bookworm|trixie|forky|bullseye|buster|Core|Plow|Ootpa|Blue Onyx|Green Obsidian|Teal Serval|aws-k8s-1\.\d\d)\))?`,
);

const RUNTIME = /^(containerd|cri-o|docker|remote|kubemark|fakeRuntime):\/\/(.*)$/s;

interface Grammar {
  readonly whole: RegExp;
  /** The part that stays if the rest is not known. */
  readonly head: RegExp;
}

function grammar(head: string, rest: string): Grammar {
  return { whole: new RegExp(`^${head}${rest}$`), head: new RegExp(`^${head}(?=[-+ ._(]|$)`) };
}

export function redactVersion(text: string, redactor: Redactor): string {
  return keepKnown(text, VERSION, redactor);
}

export function redactGoVersion(text: string, redactor: Redactor): string {
  return keepKnown(text, GO, redactor);
}

export function redactKernelVersion(text: string, redactor: Redactor): string {
  return keepKnown(text, KERNEL, redactor);
}

export function redactSystem(text: string, redactor: Redactor): string {
  return keepKnown(text, SYSTEM, redactor);
}

/** `containerd://2.1.4` */
export function redactRuntimeVersion(text: string, redactor: Redactor): string {
  const [, runtime, version] = RUNTIME.exec(text) ?? [];
  if (runtime === undefined || version === undefined) return redactor.hide('text', text);
  return redactor.keep(`${runtime}://`) + redactVersion(version, redactor);
}

function keepKnown(text: string, { whole, head }: Grammar, redactor: Redactor): string {
  if (whole.test(text)) return redactor.keep(text);
  const known = head.exec(text)?.[0];
  if (known === undefined) return redactor.hide('text', text);
  redactor.remove('text', text.slice(known.length).replace(/^[-+ ._(]+/, ''));
  return redactor.keep(known);
}
