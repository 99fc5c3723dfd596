{{- define "bellows.name" -}}
{{- $name := .Values.name | default .Release.Name -}}
{{- if not (regexMatch "^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$" $name) -}}
{{- fail (printf "name %q: 1 to 40 of a-z, 0-9 and -, neither first nor last a -" $name) -}}
{{- end -}}
{{- $name -}}
{{- end }}

{{- define "bellows.labels" -}}
bellows.io/job: {{ include "bellows.name" . }}
app.kubernetes.io/name: bellows
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "bellows.tokenSecret" -}}
{{- .Values.tokenSecret | default (printf "%s-token" (include "bellows.name" .)) -}}
{{- end }}

{{- define "bellows.claim" -}}
{{- .Values.storage.existingClaim | default (printf "%s-data" (include "bellows.name" .)) -}}
{{- end }}

{{/* Where the checkpoints are, whichever way the job file is given. */}}
{{- define "bellows.checkpointDir" -}}
{{- $job := .Values.job -}}
{{- if .Values.jobText -}}
{{- $job = fromYaml .Values.jobText -}}
{{- end -}}
{{- dig "checkpoint" "dir" "/data" $job -}}
{{- end }}

{{/* Ranks to begin with, each in its place of an executor. */}}
{{- define "bellows.executors" -}}
{{- $per := .Values.job.ranks_per_executor | default 1 | int -}}
{{- div (sub (add (int .Values.job.ranks.initial) $per) 1) $per -}}
{{- end }}

{{- define "bellows.coordinator" -}}
{{- $name := include "bellows.name" . -}}
{{- if .Values.volcano.enabled -}}
{{ $name }}-master-0.{{ $name }}:7000
{{- else -}}
{{ $name }}:7000
{{- end -}}
{{- end }}

{{- define "bellows.monitorArguments" -}}
- --provider=kube
{{- if .Values.volcano.enabled }}
- --owner=vcjob/{{ include "bellows.name" . }}
- --mode={{ .Values.mode }}
{{- else }}
- --owner=job/{{ include "bellows.name" . }}
- --template={{ include "bellows.name" . }}-worker
{{- end }}
- --patience=300
{{- end }}

{{/*
A pod template: dict "root" $ "role" coordinator|executor|monitor.
*/}}
{{- define "bellows.pod" -}}
{{- $root := .root -}}
{{- $values := .root.Values -}}
{{- $name := include "bellows.name" .root -}}
{{- $computes := ne .role "monitor" -}}
{{- $reads := ne .role "executor" -}}
metadata:
  labels:
    bellows.io/job: {{ $name }}
    bellows.io/role: {{ .role }}
  annotations:
    {{- if $reads }}
    volcano.sh/preemptable: "false"
    {{- end }}
    {{- if eq .role "coordinator" }}
    prometheus.io/scrape: "true"
    prometheus.io/port: "7001"
    {{- end }}
    {{- if $computes }}
    cluster-autoscaler.kubernetes.io/safe-to-evict: "false"
    karpenter.sh/do-not-disrupt: "true"
    {{- end }}
spec:
  restartPolicy: OnFailure
  serviceAccountName: {{ $name }}{{ if not $computes }}-monitor{{ end }}
  automountServiceAccountToken: {{ not $computes }}
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ if $computes }}{{ $values.gracePeriod }}{{ else }}30{{ end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: {{ $values.user | int }}
    runAsGroup: {{ $values.user | int }}
    fsGroup: {{ $values.user | int }}
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: {type: RuntimeDefault}
  {{- with $values.image.pullSecrets }}
  imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
  {{- end }}
  {{- if $computes }}
  {{- with $values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations: {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- end }}
  containers:
  - name: {{ .role }}
    image: {{ printf "%s:%s" $values.image.repository $values.image.tag | quote }}
    imagePullPolicy: {{ $values.image.pullPolicy }}
    {{- if eq .role "coordinator" }}
    args: [--once, --grace, {{ sub (int $values.gracePeriod) 10 | quote }}, --journal, {{ printf "%s/bellows-journal" (include "bellows.checkpointDir" $root) | quote }}]
    {{- end }}
    {{- if eq .role "executor" }}
    args: [--grace, {{ sub (int $values.gracePeriod) 5 | quote }}, --patience, "300"]
    {{- end }}
    {{- if not $computes }}
    args: {{- include "bellows.monitorArguments" $root | nindent 4 }}
    {{- end }}
    env:
    - {name: BELLOWS_ROLE, value: {{ .role }}}
    {{- if ne .role "coordinator" }}
    - {name: BELLOWS_COORDINATOR, value: {{ include "bellows.coordinator" $root | quote }}}
    {{- end }}
    {{- if eq .role "executor" }}
    - {name: BELLOWS_SLOTS, value: {{ $values.job.ranks_per_executor | default 1 | int | quote }}}
    {{- end }}
    {{- if $computes }}
    - name: BELLOWS_POD_IP
      valueFrom: {fieldRef: {fieldPath: status.podIP}}
    {{- end }}
    {{- if eq .role "coordinator" }}
    ports:
    - {name: grpc, containerPort: 7000}
    - {name: metrics, containerPort: 7001}
    - {name: health, containerPort: 7002}
    startupProbe:
      httpGet: {path: /healthz, port: 7002}
      periodSeconds: 1
      failureThreshold: 60
    readinessProbe:
      httpGet: {path: /healthz, port: 7002}
      periodSeconds: 5
    livenessProbe:
      httpGet: {path: /healthz, port: 7002}
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 6
    {{- end }}
    {{- if eq .role "executor" }}
    startupProbe:
      exec: {command: [test, -e, /tmp/ready]}
      initialDelaySeconds: 2
      periodSeconds: 5
      timeoutSeconds: 5
      failureThreshold: 1000000
    {{- end }}
    resources: {{- toYaml (index $values.resources .role) | nindent 6 }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: {drop: [ALL]}
    volumeMounts:
    {{- if $reads }}
    - {name: job, mountPath: /etc/bellows/job, readOnly: true}
    {{- end }}
    - {name: token, mountPath: /etc/bellows/token, readOnly: true}
    - {name: tls, mountPath: /etc/bellows/tls, readOnly: true}
    {{- if eq .role "coordinator" }}
    - {name: state, mountPath: /var/lib/bellows}
    {{- end }}
    {{- if $computes }}
    - {name: data, mountPath: /data}
    - {name: shm, mountPath: /dev/shm}
    {{- if $values.input }}
    - {name: input, mountPath: /etc/bellows/input, readOnly: true}
    {{- end }}
    {{- end }}
    - {name: tmp, mountPath: /tmp}
  volumes:
  {{- if $reads }}
  - name: job
    configMap: {name: {{ $name }}-job}
  {{- end }}
  - name: token
    secret: {secretName: {{ include "bellows.tokenSecret" $root }}, defaultMode: 0400}
  - name: tls
    secret: {secretName: {{ $name }}-{{ .role }}-tls, defaultMode: 0400}
  {{- if eq .role "coordinator" }}
  - name: state
    emptyDir: {}
  {{- end }}
  {{- if $computes }}
  - name: data
    persistentVolumeClaim: {claimName: {{ include "bellows.claim" $root }}}
  - name: shm
    emptyDir: {medium: Memory, sizeLimit: {{ $values.sharedMemory }}}
  {{- if $values.input }}
  - name: input
    configMap: {name: {{ $values.input }}}
  {{- end }}
  {{- end }}
  - name: tmp
    emptyDir: {}
{{- end }}
