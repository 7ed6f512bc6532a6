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
