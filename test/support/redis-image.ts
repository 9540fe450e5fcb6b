import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * A `docker-entrypoint.sh` that does what that of the image redis:7.4 does: started as root, redis-server runs as another
 * user; for everything else the umask becomes 0077. To give up root takes an image; what the other user could not read
 * is looked up by its mode.
 */
export function imitateRedisImage(folder: string, server: string): void {
  const file = path.join(folder, 'docker-entrypoint.sh');
  writeFileSync(
    file,
    `#!/bin/sh
set -e
if [ "$(umask)" = 0022 ]; then umask 0077; fi
if [ "$1" != redis-server ]; then exec "$@"; fi
shift
if [ "$1" = --aclfile ] && [ -z "$(find "$2" -perm -o=r)" ]; then
  echo "Error loading ACLs, opening file '$2': Permission denied" >&2
  exit 1
fi
exec ${server} "$@"
`,
  );
  chmodSync(file, 0o755);
}

/** The command of the container, as the image starts it: its entry point first, with Docker's umask. */
export function inRedisImage(command: readonly string[]): readonly [string, readonly string[]] {
  return ['sh', ['-c', 'umask 0022; exec docker-entrypoint.sh "$@"', 'sh', ...command]];
}
