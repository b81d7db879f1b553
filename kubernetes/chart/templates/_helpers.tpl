{{- define "tautochrone.labels" -}}
app.kubernetes.io/name: tautochrone
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "tautochrone.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "tautochrone.server" -}}
{{- .Values.judgehosts.server | default (printf "http://%s-server:8080" .Release.Name) -}}
{{- end -}}

{{/* What no container of ours needs. */}}
{{- define "tautochrone.confined" -}}
readOnlyRootFilesystem: true
allowPrivilegeEscalation: false
capabilities: {drop: [ALL]}
{{- end -}}

{{- define "tautochrone.confinedPod" -}}
runAsNonRoot: true
runAsUser: 970
runAsGroup: 970
fsGroup: 970
seccompProfile: {type: RuntimeDefault}
{{- end -}}
