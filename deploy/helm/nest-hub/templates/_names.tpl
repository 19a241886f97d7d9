{{- define "nest-hub.labels" -}}
app: nest
component: hub
app.kubernetes.io/name: nest-hub
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "nest-hub.claim" -}}
{{ .Values.persistence.existingClaim | default "nest-hub-data-rwx" }}
{{- end }}

{{- define "nest-hub.image" -}}
{{ trimSuffix "/" .Values.image.prefix }}/{{ .name }}:{{ .Values.image.tag }}
{{- end }}

{{- define "nest-hub.pullPolicy" -}}
{{- $moves := has .Values.image.tag (list "latest" "stable") -}}
{{- .Values.image.pullPolicy | default (ternary "IfNotPresent" (ternary "Always" "IfNotPresent" $moves) (hasPrefix "localhost" .Values.image.prefix)) -}}
{{- end }}

{{- define "nest-hub.host" -}}
{{ (urlParse .Values.publicUrl).hostname }}
{{- end }}
