#!/bin/sh
# Starts Redis with the users of users.acl: nobody without a password, and the service with what BullMQ and its own counters
# need, on keys of its own prefix. The arguments go to redis-server.
set -eu

password=$(tr -d '[:space:]' <"${REDIS_PASSWORD_FILE:?}")
if [ -z "$password" ]; then
  echo "$REDIS_PASSWORD_FILE is empty: sh deploy/make-secrets.sh fills it" >&2
  exit 78
fi
hash=$(printf %s "$password" | sha256sum | cut -d ' ' -f 1)
users=${TMPDIR:-/tmp}/users.acl
sed -e "s/PASSWORD_SHA256/$hash/" -e "s/QUEUE_PREFIX/${QUEUE_PREFIX:-identity}/" \
  "$(dirname "$0")/users.acl" >"$users"
# the entry point, of which this is a child, has set umask 0077: the user of redis-server must read it, and it holds no password
chmod 644 "$users"

# the image's own entry point gives up root
exec docker-entrypoint.sh redis-server --aclfile "$users" "$@"
