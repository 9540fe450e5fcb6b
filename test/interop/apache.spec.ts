import { chmod, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { applicationFile } from './support/application-file.js';
import { fetchOnce, type Pins } from './support/fetch-once.js';
import { runClient } from './support/run-client.js';
import { Stage } from './support/stage.js';

/** From the distribution, where this module comes from everywhere; what it installs starts no service. */
const DEBIAN: Pins = {
  files: ['apache.conf'],
  install: [
    [
      'sh',
      '-ec',
      'test -x /usr/sbin/apache2 && test -e /usr/lib/apache2/modules/mod_auth_openidc.so && exit;' +
        'apt-get -q update;' +
        'apt-get -q -y --no-install-recommends install apache2-bin libapache2-mod-auth-openidc',
    ],
  ],
};

describe('mod_auth_openidc, on a default application', () => {
  let stage: Stage;
  /** Readable for the user that Apache becomes where it is started by root. */
  let folder: string;
  beforeAll(async () => {
    stage = await Stage.build();
    folder = await mkdtemp(path.join(tmpdir(), 'interop-apache-'));
    await chmod(folder, 0o755);
  });
  afterAll(async () => {
    await stage.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('guards pages', async () => {
    await cp(await fetchOnce('mod-auth-openidc', DEBIAN), folder, { recursive: true });
    const asRoot = process.getuid?.() === 0 ? ['-DAsRoot'] : [];
    await runClient(
      stage,
      {
        client: 'mod_auth_openidc',
        version: '2.4.12.3 (Debian 12)',
        steps: ['sign-in', 'refresh', 'logout'],
        application: applicationFile('mod-auth-openidc'),
        argv: ['/usr/sbin/apache2', '-d', folder, '-f', 'apache.conf', '-DFOREGROUND', ...asRoot],
        loginPath: '/me',
      },
      folder,
    );
  });
});
