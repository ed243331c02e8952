{{- define "console.name" -}}{{ printf "%s-console" .Release.Name | trunc 52 | trimSuffix "-" }}{{- end }}
{{- define "proxy.name" -}}{{ printf "%s-proxy" .Release.Name | trunc 52 | trimSuffix "-" }}{{- end }}
{{- define "member.name" -}}{{ printf "%s-member" .Release.Name | trunc 52 | trimSuffix "-" }}{{- end }}
{{- define "image" -}}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{- end }}
{{/* selector (dict "root" . "part" "console") */}}
{{- define "selector" -}}
app.kubernetes.io/name: cluster-console
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}
{{- define "labels" -}}
{{ include "selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end }}
{{- define "members" -}}
{{- if .Values.members.enabled -}}
{{- $name := include "member.name" . -}}
{{- range $at := until (int .Values.members.replicas) }}{{ if $at }},{{ end }}http://{{ $name }}-{{ $at }}.{{ $name }}:5701{{ end }}
{{- else -}}
{{- required "name your members in memberAddresses, or enable members" (join "," .Values.memberAddresses) -}}
{{- end -}}
{{- end }}
{{/* Settings of the console and of the proxies: (dict "root" . "settings" .Values.proxy.settings "shutdownDelay" "10") */}}
{{- define "settings" -}}
- name: CONSOLE_URL
  value: {{ .root.Values.url | quote }}
- name: CONSOLE_PORT
  value: '8443'
- name: CONSOLE_TLS_CERT
  value: /run/tls/tls.crt
- name: CONSOLE_TLS_KEY
  value: /run/tls/tls.key
- name: CONSOLE_MEMBERS
  value: {{ include "members" .root | quote }}
{{- if .root.Values.members.enabled }}
- name: CONSOLE_MEMBER_USERNAME
  value: {{ .root.Values.members.clusterName | quote }}
{{- end }}
{{- if .root.Values.secrets.hasMemberPassword }}
- name: CONSOLE_MEMBER_PASSWORD_FILE
  value: /run/secrets/cluster-console/member-password
{{- end }}
{{- with .root.Values.trustedProxies }}
- name: CONSOLE_TRUSTED_PROXIES
  value: {{ join "," . | quote }}
{{- end }}
{{- $usual := dict "CONSOLE_SHUTDOWN_DELAY" .shutdownDelay }}
{{- range $name, $value := merge (deepCopy .settings) .root.Values.settings $usual }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{/* What does not go together, in one sentence. */}}
{{- define "checkedConsole" -}}
{{- $shared := .Values.database.secretName -}}
{{- $settings := merge (deepCopy .Values.console.settings) .Values.settings -}}
{{- if and (gt (int .Values.console.replicas) 1) (not $shared) -}}
{{- fail "console.replicas above 1 needs a database that the consoles share: name its secret in database.secretName" -}}
{{- end -}}
{{- if or (hasKey $settings "CONSOLE_DATABASE_URL") (hasKey $settings "CONSOLE_DATABASE_URL_FILE") -}}
{{- fail "CONSOLE_DATABASE_URL has a password in it, and is no setting here: name its secret in database.secretName" -}}
{{- end -}}
{{- if or (hasKey $settings "CONSOLE_DATABASE_LISTEN_URL") (hasKey $settings "CONSOLE_DATABASE_LISTEN_URL_FILE") -}}
{{- fail "CONSOLE_DATABASE_LISTEN_URL has a password in it, and is no setting here: name its key of the secret in database.listen.key" -}}
{{- end -}}
{{- if and .Values.database.listen.key (not $shared) -}}
{{- fail "database.listen.key is a key of the secret of the database: name that in database.secretName" -}}
{{- end -}}
{{- if $shared -}}
{{- if ne (get $settings "CONSOLE_WORKERS" | default "1") "1" -}}
{{- fail "CONSOLE_WORKERS is 1 with a database: raise console.replicas instead" -}}
{{- end -}}
{{- if and .Values.networkPolicy.enabled (not .Values.database.cidrs) (not .Values.database.namespace) (not .Values.database.pods) -}}
{{- fail "the network policy has to let consoles reach the database: say where it is in database.cidrs, or in database.namespace and database.pods" -}}
{{- end -}}
{{- end -}}
{{- end }}
{{- define "podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}
{{- define "containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}
{{/* On different machines where there are some: (dict "root" . "part" "proxy") */}}
{{- define "spread" -}}
- maxSkew: 1
  topologyKey: kubernetes.io/hostname
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels: {{- include "selector" . | nindent 6 }}
{{- end }}
