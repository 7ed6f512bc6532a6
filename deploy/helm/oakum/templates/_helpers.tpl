{{- define "oakum.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "oakum.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "oakum.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "oakum.selectorLabels" -}}
app.kubernetes.io/name: {{ include "oakum.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "oakum.labels" -}}
{{ include "oakum.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/component: watch
app.kubernetes.io/part-of: oakum
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "oakum.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "oakum.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "oakum.tokenSecret" -}}
{{- default (printf "%s-token" (include "oakum.fullname" .)) .Values.token.existingSecret -}}
{{- end -}}

{{- define "oakum.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{- /* The file of oakum watch --config. */ -}}
{{- define "oakum.config" -}}
{{- $notify := dict -}}
{{- with .Values.notify -}}
{{- if .alertmanagers }}{{ $_ := set $notify "alertmanagers" .alertmanagers }}{{ end -}}
{{- if .webhooks }}{{ $_ := set $notify "webhooks" .webhooks }}{{ end -}}
{{- if .kubernetesEvents }}{{ $_ := set $notify "kubernetes-events" true }}{{ end -}}
{{- if $notify -}}
{{- $_ := set $notify "verdict" .verdict -}}
{{- if .url }}{{ $_ := set $notify "url" .url }}{{ end -}}
{{- if .runbook }}{{ $_ := set $notify "runbook" .runbook }}{{ end -}}
{{- if .labels }}{{ $_ := set $notify "labels" .labels }}{{ end -}}
{{- end -}}
{{- end -}}
{{- $config := dict -}}
{{- if not .Values.watch.prometheus -}}
{{- $_ := set $config "nodes" .Values.watch.nodes -}}
{{- if .Values.watch.targets }}{{ $_ := set $config "targets" .Values.watch.targets }}{{ end -}}
{{- end -}}
{{- if $notify }}{{ $_ := set $config "notify" $notify }}{{ end -}}
{{- toYaml (merge $config .Values.watch.config) -}}
{{- end -}}

{{- define "oakum.hasReplicas" -}}
{{- if gt (int .Values.replicaCount) 1 }}true{{ end -}}
{{- end -}}

{{- /* How replicas know of each other. Leases are in the cluster whose nodes are watched: several would not agree. */ -}}
{{- define "oakum.membership" -}}
{{- if include "oakum.hasReplicas" . -}}
{{- if or .Values.clusters.existingSecret .Values.watch.config.clusters .Values.watch.prometheus (not .Values.watch.nodes) -}}
postgres
{{- else -}}
lease
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Whether the cluster that it runs in is watched. */ -}}
{{- define "oakum.watchesOwn" -}}
{{- if or (not .Values.clusters.existingSecret) .Values.clusters.own }}true{{ end -}}
{{- end -}}

{{- /* Whether all pods use one volume. */ -}}
{{- define "oakum.sharesVolume" -}}
{{- if or (not (include "oakum.hasReplicas" .)) .Values.persistence.existingClaim (has "ReadWriteMany" .Values.persistence.accessModes) }}true{{ end -}}
{{- end -}}

{{- define "oakum.claim" -}}
accessModes: {{- toYaml .Values.persistence.accessModes | nindent 2 }}
{{- with .Values.persistence.storageClass }}
storageClassName: {{ . }}
{{- end }}
resources:
  requests:
    storage: {{ .Values.persistence.size }}
{{- end -}}

{{- /* The port of the S3 server. */ -}}
{{- define "oakum.evidencePort" -}}
{{- $url := urlParse (default "https://s3.amazonaws.com" .Values.evidence.endpoint) -}}
{{- $port := regexFind ":[0-9]+$" $url.host | trimPrefix ":" -}}
{{- default (ternary "80" "443" (eq $url.scheme "http")) $port -}}
{{- end -}}

{{- /* A certificate as a source of a projected volume. */ -}}
{{- define "oakum.authoritySource" -}}
{{- with .existingSecret }}
- secret:
    name: {{ . }}
    items: [{ key: {{ $.key }}, path: ca.crt }]
{{- end }}
{{- with .existingConfigMap }}
- configMap:
    name: {{ . }}
    items: [{ key: {{ $.key }}, path: ca.crt }]
{{- end }}
{{- end -}}

{{- define "oakum.hasAuthority" -}}
{{- if or .existingSecret .existingConfigMap }}true{{ end -}}
{{- end -}}

{{- /* A kubeconfig of the cluster that it runs in, without a secret. */ -}}
{{- define "oakum.ownKubeconfig" -}}
{{- $files := "/var/run/secrets/kubernetes.io/serviceaccount" -}}
apiVersion: v1
kind: Config
clusters:
  - name: own
    cluster:
      server: https://kubernetes.default.svc
      certificate-authority: {{ $files }}/ca.crt
users:
  - name: own
    user:
      tokenFile: {{ $files }}/token
contexts:
  - name: own
    context: { cluster: own, user: own, namespace: {{ .Release.Namespace }} }
current-context: own
{{- end -}}

{{- /* What the schema cannot say: values that do not fit together. */ -}}
{{- define "oakum.validate" -}}
{{- $replicas := include "oakum.hasReplicas" . -}}
{{- if and $replicas (not .Values.store.existingSecret) -}}
{{- fail (printf "replicaCount is %d: replicas share one store in PostgreSQL. Set store.existingSecret to a secret with its address, or replicaCount to 1; docs/replicas.md says more." (int .Values.replicaCount)) -}}
{{- end -}}
{{- if and $replicas .Values.capture.enabled (not .Values.evidence.url) (not (and .Values.persistence.enabled (include "oakum.sharesVolume" .))) -}}
{{- fail "capture.enabled is true and there are several replicas: profiles of one could not be read by the others. Set evidence.url to a bucket, or persistence.accessModes to [ReadWriteMany]." -}}
{{- end -}}
{{- if and $replicas .Values.persistence.enabled .Values.persistence.existingClaim (not (has "ReadWriteMany" .Values.persistence.accessModes)) -}}
{{- fail "persistence.existingClaim is one volume for all replicas: if it is ReadWriteMany, say so in persistence.accessModes; otherwise leave it out, and each replica gets its own." -}}
{{- end -}}
{{- if and .Values.clusters.existingSecret .Values.watch.prometheus -}}
{{- fail "clusters.existingSecret and watch.prometheus are two sources of targets: leave one out. A Prometheus of several clusters needs no kubeconfigs." -}}
{{- end -}}
{{- if and .Values.clusters.own (not .Values.clusters.existingSecret) -}}
{{- fail "clusters.own names the cluster that it runs in among others: set clusters.existingSecret, or leave clusters.own out." -}}
{{- end -}}
{{- if and .Values.evidence.existingSecret (not .Values.evidence.url) -}}
{{- fail "evidence.existingSecret has the credentials of a bucket: set evidence.url to s3://BUCKET/PREFIX." -}}
{{- end -}}
{{- range $name, $section := dict "store" .Values.store "evidence" .Values.evidence -}}
{{- if and $section.certificateAuthority.existingSecret $section.certificateAuthority.existingConfigMap -}}
{{- fail (printf "%s.certificateAuthority is in a secret or in a ConfigMap, not in both." $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
