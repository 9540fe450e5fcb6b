#!/bin/sh
# Makes the files that docker-compose.yml reads its secrets from: sh deploy/make-secrets.sh [FOLDER]
# Those that can be random are; the others stay empty, which counts as not set, until you fill them. What exists is left alone.
set -eu

folder=${1:-${SECRETS_DIR:-secrets}}
mkdir -p "$folder"
# the folder keeps others out; a container reads its files under a user that this machine does not have
chmod 700 "$folder"

make() {
  file=$folder/$1
  if [ -e "$file" ]; then return; fi
  cat >"$file.new"
  chmod 644 "$file.new"
  mv "$file.new" "$file"
  echo "made $file"
}
hex() { od -An -v -tx1 -N24 /dev/urandom | tr -d ' \n'; }

head -c 32 /dev/urandom | base64 | make master_key
hex | make postgres_password
hex | make database_password
hex | make redis_password
for name in master_key_previous redis_sentinel_password redis_tls_ca redis_tls_cert redis_tls_key \
  mtls_ca_certificates smtp_url twilio_auth_token otel_exporter_otlp_headers bootstrap_admin_password; do
  make "$name" </dev/null
done
