{{- define "oakum.env" -}}
{{- if include "oakum.hasReplicas" . }}
- name: POD_NAME
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
# Where the other replicas and people find this one.
- name: POD_IP
  valueFrom: { fieldRef: { fieldPath: status.podIP } }
{{- end }}
{{- if .Values.evidence.existingSecret }}
# A file is read again when it changes.
- name: AWS_SHARED_CREDENTIALS_FILE
  value: /etc/oakum/evidence/{{ .Values.evidence.key }}
{{- end }}
{{- with .Values.evidence.region }}
- name: AWS_REGION
  value: {{ . | quote }}
{{- end }}
{{- if include "oakum.hasAuthority" .Values.evidence.certificateAuthority }}
- name: AWS_CA_BUNDLE
  value: /etc/oakum/evidence/ca.crt
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "oakum.evidenceSources" -}}
{{- with .Values.evidence.existingSecret }}
- secret:
    name: {{ . }}
{{- end }}
{{- include "oakum.authoritySource" .Values.evidence.certificateAuthority }}
{{- end -}}

{{- /* The same for one pod and for replicas. */ -}}
{{- define "oakum.pod" -}}
metadata:
  labels:
    {{- include "oakum.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    checksum/config: {{ include "oakum.config" . | sha256sum }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "oakum.serviceAccountName" . }}
  automountServiceAccountToken: {{ if include "oakum.watchesOwn" . }}true{{ else }}false{{ end }}
  enableServiceLinks: false
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  securityContext: {{- toYaml .Values.podSecurityContext | nindent 4 }}
  terminationGracePeriodSeconds: 60
  containers:
    - name: oakum
      image: {{ include "oakum.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args:
        - watch
        - --listen=0.0.0.0:7777
        - --listen-token-file=/etc/oakum/token/token
        - --data=/data
        - --config=/etc/oakum/config/oakum.yaml
        - --retention={{ .Values.watch.retention }}
        - --interval={{ .Values.watch.interval }}
        {{- if .Values.watch.prometheus }}
        - --prometheus={{ .Values.watch.prometheus }}
        {{- with .Values.watch.selector }}
        - {{ printf "--selector=%s" . | quote }}
        {{- end }}
        {{- else if .Values.watch.direct }}
        - --direct
        {{- end }}
        {{- if .Values.watch.insecureSkipTlsVerify }}
        - --insecure-skip-tls-verify
        {{- end }}
        {{- if .Values.capture.enabled }}
        - --capture
        {{- end }}
        {{- if .Values.nodeCondition.enabled }}
        - --node-condition
        {{- end }}
        {{- with .Values.store.existingSecret }}
        - --store-file=/etc/oakum/store/{{ $.Values.store.key }}
        {{- end }}
        {{- with .Values.evidence.url }}
        - {{ printf "--evidence=%s" . | quote }}
        {{- end }}
        {{- with .Values.evidence.endpoint }}
        - --evidence-endpoint={{ . }}
        {{- end }}
        {{- if .Values.clusters.existingSecret }}
        - --clusters=/etc/oakum/clusters
        {{- end }}
        {{- with include "oakum.membership" . }}
        - --replica={{ . }}
        - --replica-id=$(POD_NAME)
        {{- if eq . "lease" }}
        - --replica-namespace={{ $.Release.Namespace }}
        {{- end }}
        {{- end }}
        {{- range .Values.extraArgs }}
        - {{ . | quote }}
        {{- end }}
      {{- with include "oakum.env" . }}
      env: {{- trim . | nindent 8 }}
      {{- end }}
      ports:
        - name: http
          containerPort: 7777
      # A large store takes a while to open and to read.
      startupProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 5
        failureThreshold: 120
      livenessProbe:
        httpGet: { path: /healthz, port: http }
        periodSeconds: 20
        timeoutSeconds: 5
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
      securityContext: {{- toYaml .Values.securityContext | nindent 8 }}
      resources: {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
        - { name: config, mountPath: /etc/oakum/config, readOnly: true }
        - { name: token, mountPath: /etc/oakum/token, readOnly: true }
        {{- if .Values.store.existingSecret }}
        - { name: store, mountPath: /etc/oakum/store, readOnly: true }
        {{- end }}
        {{- if include "oakum.evidenceSources" . }}
        - { name: evidence, mountPath: /etc/oakum/evidence, readOnly: true }
        {{- end }}
        {{- if .Values.clusters.existingSecret }}
        - { name: clusters, mountPath: /etc/oakum/clusters, readOnly: true }
        {{- end }}
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    {{- if not .Values.persistence.enabled }}
    - name: data
      emptyDir: {}
    {{- else if include "oakum.sharesVolume" . }}
    - name: data
      persistentVolumeClaim:
        claimName: {{ default (include "oakum.fullname" .) .Values.persistence.existingClaim }}
    {{- end }}
    - name: tmp
      emptyDir: {}
    - name: config
      configMap:
        name: {{ include "oakum.fullname" . }}
    - name: token
      secret:
        secretName: {{ include "oakum.tokenSecret" . }}
    {{- with .Values.store.existingSecret }}
    - name: store
      projected:
        sources:
          - secret:
              name: {{ . }}
          {{- with include "oakum.authoritySource" $.Values.store.certificateAuthority }}
          {{- trim . | nindent 10 }}
          {{- end }}
    {{- end }}
    {{- with include "oakum.evidenceSources" . }}
    - name: evidence
      projected:
        sources: {{- trim . | nindent 10 }}
    {{- end }}
    {{- with .Values.clusters.existingSecret }}
    - name: clusters
      projected:
        sources:
          - secret:
              name: {{ . }}
          {{- with $.Values.clusters.own }}
          - configMap:
              name: {{ include "oakum.fullname" $ }}
              items: [{ key: own-cluster.yaml, path: {{ . }}.yaml }]
          {{- end }}
    {{- end }}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.topologySpreadConstraints }}
  topologySpreadConstraints: {{- toYaml . | nindent 4 }}
  {{- else }}
  {{- if include "oakum.hasReplicas" . }}
  topologySpreadConstraints:
    {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - topologyKey: {{ . }}
      maxSkew: 1
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "oakum.selectorLabels" $ | nindent 10 }}
    {{- end }}
  {{- end }}
  {{- end }}
{{- end -}}
