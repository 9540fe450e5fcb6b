{{/* Names and labels. */}}
{{- define "identity.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "identity.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "identity.labels" -}}
{{ include "identity.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "identity.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{/* The secrets of a process: those of all, and its own, which win. Takes root and process; with `databaseOnly` those of all are the
ones of the database. */}}
{{- define "identity.secrets" -}}
{{- $shared := merge (dict) .root.Values.secrets -}}
{{- if .databaseOnly }}{{ range $name, $_ := .root.Values.secrets }}{{ if not (hasPrefix "DATABASE_" $name) }}{{ $_ := unset $shared $name }}{{ end }}{{ end }}{{ end -}}
{{- $secrets := merge (dict) (.process.secrets | default dict) $shared -}}
{{- range $name, $ref := $secrets }}{{ if not $ref }}{{ $_ := unset $secrets $name }}{{ end }}{{ end -}}
{{ toYaml $secrets }}
{{- end }}

{{/* The environment of a process. Takes root, process (settings, secrets) and more, which nobody else may say. */}}
{{- define "identity.env" -}}
{{- $values := .root.Values -}}
{{- $secrets := include "identity.secrets" . | fromYaml -}}
{{- $own := .process.settings | default dict -}}
{{- $fixed := merge (dict
      "NODE_ENV" "production"
      "PUBLIC_URL" (required "publicUrl is required: the issuer, https://…" $values.publicUrl)
      "HOST" "0.0.0.0" "PORT" "8080" "OPS_HOST" "0.0.0.0" "OPS_PORT" "9464") (.more | default dict) -}}
{{- $settings := dict -}}
{{- /* not by merge, which takes an own 0 or false for nothing said */ -}}
{{- range $said := list $values.settings $own -}}
{{- range $name, $value := $said -}}
{{- if not (or (kindIs "invalid" $value) (eq (toString $value) "")) -}}{{- $_ := set $settings $name $value -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- range $name, $_ := $secrets -}}
{{- /* what a process says for itself, as a setting or as a secret, takes the place of what is said for all */ -}}
{{- if hasKey $settings $name -}}
{{- if and (hasKey $own $name) (ne (toString (get $own $name)) "") -}}{{- $secrets = unset $secrets $name -}}
{{- else -}}{{- fail (printf "%s stands in settings and in secrets: which one?" $name) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- if not .databaseOnly -}}
{{- range $name := list "DATABASE_SERVICE_ROLE" "DATABASE_SERVICE_PASSWORD" -}}
{{- if or (hasKey $settings $name) (hasKey $secrets $name) -}}
{{- fail (printf "%s is for migrate alone, which makes the role that the others sign in as: it stands in migrate.settings or migrate.secrets" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if not (or (hasKey $settings "DATABASE_URL") (hasKey $secrets "DATABASE_URL")) -}}
{{- fail "DATABASE_URL is required, in settings or as one of the secrets (for migrate: migrate.settings, as the owner of the tables)" -}}
{{- end -}}
{{- range $name, $value := merge (dict) $fixed $settings }}
- name: {{ $name }}
  {{- /* numbers of a values file are floats: as JSON 34359738368 does not become 3.4e+10, nor 0.5 a 0 */}}
  value: {{ if kindIs "float64" $value }}{{ $value | toJson | quote }}{{ else }}{{ $value | toString | quote }}{{ end }}
{{- end }}
{{- range $name, $_ := $secrets }}
- name: {{ $name }}_FILE
  value: /run/secrets/identity/{{ $name }}
{{- end }}
{{- end }}

{{- define "identity.volumes" -}}
- name: tmp
  emptyDir: {}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      {{- range $name, $ref := include "identity.secrets" . | fromYaml }}
      - secret:
          name: {{ $ref.secretName }}
          items:
            - key: {{ $ref.key }}
              path: {{ $name }}
      {{- end }}
{{- end }}

{{- define "identity.mounts" -}}
- name: tmp
  mountPath: /tmp
- name: secrets
  mountPath: /run/secrets/identity
  readOnly: true
{{- end }}

{{- define "identity.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "identity.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "identity.probes" -}}
startupProbe:
  httpGet: { path: /livez, port: ops }
  periodSeconds: 2
  failureThreshold: 60
{{- /* not /healthz, which is red as well while Redis is away: a restart would mend nothing */}}
livenessProbe:
  httpGet: { path: /livez, port: ops }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: ops }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
{{- end }}

{{/* Over zones and nodes. Takes root and component. */}}
{{- define "identity.spread" -}}
{{- $root := .root -}}
{{- $component := .component -}}
{{- range $root.Values.topologyKeys }}
- maxSkew: 1
  topologyKey: {{ . }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels:
      {{- include "identity.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ $component }}
{{- end }}
{{- end }}

{{/* What every pod says of itself. Takes the root. */}}
{{- define "identity.pod" -}}
# nothing here calls the API of Kubernetes
automountServiceAccountToken: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- include "identity.podSecurity" . | nindent 2 }}
{{- end }}

{{/* Labels and annotations of a pod that serves. Takes root and component. */}}
{{- define "identity.podMetadata" -}}
labels:
  {{- include "identity.labels" .root | nindent 2 }}
  app.kubernetes.io/component: {{ .component }}
  {{- with .root.Values.podLabels }}{{ toYaml . | nindent 2 }}{{ end }}
{{- with .root.Values.podAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Whoever is among TRUSTED_PROXIES says where a request comes from, and with which certificate. A Kubernetes gives each node /24
for its pods, or /64 of IPv6, unless told otherwise: a wider network has the pods of many, and who of them is the proxy, only
ingressFrom says. Takes the root. */}}
{{- define "identity.requireKnownProxies" -}}
{{- $policy := .Values.networkPolicy -}}
{{- $settings := merge (dict) (.Values.api.settings | default dict) .Values.settings -}}
{{- if not (or (and $policy.enabled $policy.ingressFrom) $policy.ingressFromAnybody) -}}
{{- $remedy := "networkPolicy.ingressFrom (with networkPolicy.enabled) must say who may reach the API, or networkPolicy.ingressFromAnybody=true that every pod is believed" -}}
{{- if get $settings "MTLS_CERTIFICATE_HEADER" -}}{{- fail (printf "MTLS_CERTIFICATE_HEADER: %s" $remedy) -}}{{- end -}}
{{- range $network := splitList "," (get $settings "TRUSTED_PROXIES" | toString) -}}
{{- $parts := splitList "/" (trim $network) -}}
{{- if has (trim $network) (list "linklocal" "uniquelocal") -}}
{{- fail (printf "TRUSTED_PROXIES has %s, which is whole private networks: %s" (trim $network) $remedy) -}}
{{- end -}}
{{- if eq (len $parts) 2 -}}
{{- $least := ternary 64 24 (contains ":" $network) -}}
{{- if regexMatch "(?i):ffff:[0-9a-f]" $network -}}{{- $least = 120 -}}{{- end -}}
{{- if lt (atoi (last $parts)) $least -}}
{{- fail (printf "TRUSTED_PROXIES has %s, which is more than the pods of one node: %s" (trim $network) $remedy) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* Where a pod may run. Takes root, component and process. */}}
{{- define "identity.placement" -}}
topologySpreadConstraints:
  {{- include "identity.spread" . | nindent 2 }}
{{- range $name := list "nodeSelector" "tolerations" "affinity" }}
{{- with get $.process $name }}
{{ $name }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/* What the container of a process has, whatever it runs. Takes root and process. */}}
{{- define "identity.container" -}}
image: {{ include "identity.image" .root | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
env:
  {{- include "identity.env" . | trim | nindent 2 }}
resources:
  {{- toYaml .process.resources | nindent 2 }}
securityContext:
  {{- include "identity.containerSecurity" . | nindent 2 }}
volumeMounts:
  {{- include "identity.mounts" . | nindent 2 }}
{{- end }}
