{{- define "roundtable.name" -}}
{{ .Release.Name | trunc 20 | trimSuffix "-" }}
{{- end }}

{{- define "roundtable.labels" -}}
app.kubernetes.io/name: roundtable
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "roundtable.selector" -}}
app.kubernetes.io/name: roundtable
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: worker
{{- end }}

{{- define "roundtable.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* What every pod is allowed: nothing of the node, no API of the cluster. */}}
{{- define "roundtable.pod" -}}
automountServiceAccountToken: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "roundtable.container" -}}
image: {{ include "roundtable.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{/* How the Temporal server is reached. */}}
{{- define "roundtable.temporal" -}}
- name: TEMPORAL_ADDRESS
  value: {{ .Values.temporal.address | quote }}
- name: TEMPORAL_NAMESPACE
  value: {{ .Values.temporal.namespace | quote }}
{{- with .Values.temporal.apiKeySecret }}
- name: TEMPORAL_API_KEY
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: api-key
{{- end }}
{{- if .Values.temporal.tlsSecret }}
- name: TEMPORAL_TLS_CLIENT_CERT_PATH
  value: /tls/tls.crt
- name: TEMPORAL_TLS_CLIENT_KEY_PATH
  value: /tls/tls.key
{{- if .Values.temporal.tlsHasCA }}
- name: TEMPORAL_TLS_SERVER_CA_CERT_PATH
  value: /tls/ca.crt
{{- end }}
{{- end }}
{{- with .Values.temporal.tlsServerName }}
- name: TEMPORAL_TLS_SERVER_NAME
  value: {{ . | quote }}
{{- end }}
{{- end }}

{{- define "roundtable.env" -}}
env:
  {{- include "roundtable.temporal" . | nindent 2 }}
  - name: ROUNDTABLE_LAKE
    value: {{ .Values.lake | quote }}
  - name: ROUNDTABLE_STATE
    value: /state
  {{- with .Values.env }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .Values.keysSecret }}
envFrom:
  - secretRef:
      name: {{ . }}
{{- end }}
{{- end }}

{{/* The only folders that can be written to. */}}
{{- define "roundtable.mounts" -}}
- name: state
  mountPath: /state
- name: tmp
  mountPath: /tmp
{{- if .Values.temporal.tlsSecret }}
- name: tls
  mountPath: /tls
  readOnly: true
{{- end }}
{{- with .Values.volumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "roundtable.volumes" -}}
- name: state
  emptyDir:
    sizeLimit: {{ .Values.scratch }}
- name: tmp
  emptyDir:
    sizeLimit: {{ .Values.scratch }}
{{- if .Values.temporal.tlsSecret }}
- name: tls
  secret:
    secretName: {{ .Values.temporal.tlsSecret }}
    defaultMode: 0440
{{- end }}
{{- with .Values.volumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
