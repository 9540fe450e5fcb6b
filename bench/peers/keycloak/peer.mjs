import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { anyFreePort } from '../../../scripts/ports.mjs';
import { run } from '../../../scripts/processes.mjs';
import { hasIdToken, isActive, isJwt } from '../../checks.mjs';
import { running } from '../../instances.mjs';
import { CONNECTIONS } from '../../knobs.mjs';
import { API_CORE, startOnCore, untilReady } from '../../process.mjs';
import { basic } from '../../programs.mjs';
import { createDatabase } from '../database.mjs';

// Keycloak, as its guide says a production server is built and started, with one node's caches. Its tokens are JWTs, and
// refresh tokens are used once, as ours are. It needs Java 17 and Maven.

const VERSION = '26.3.5';
const PARENT = path.resolve('.data/peers/keycloak');
const FOLDER = path.join(PARENT, `keycloak-${VERSION}`);
const REALM = 'bench';
const DATABASE = 'peer_keycloak';
const PASSWORD = 'not-a-secret-of-anyone';

/** The version; undefined where it could not be downloaded. */
async function install() {
  mkdirSync(PARENT, { recursive: true });
  const artifact = `org.keycloak:keycloak-quarkus-dist:${VERSION}:zip`;
  if (!existsSync(path.join(FOLDER, 'bin/kc.sh'))) {
    const args = ['-q', '-B', 'dependency:unpack', `-Dartifact=${artifact}`, `-DoutputDirectory=${PARENT}`];
    const { code } = await run('mvn', args, { cwd: PARENT, timeoutMs: 600_000 }).catch(() => ({ code: 1 }));
    if (code !== 0) return undefined;
  }
  const { code, output } = await run('bash', ['bin/kc.sh', 'build', '--db=postgres'], {
    cwd: FOLDER,
    timeoutMs: 600_000,
  });
  if (code !== 0) throw new Error(`Keycloak was not built: ${output.slice(-2000)}`);
  return VERSION;
}

async function start(postgres) {
  await createDatabase(postgres, DATABASE);
  const application = { clientId: 'bench', clientSecret: randomBytes(24).toString('base64url') };
  mkdirSync(path.join(FOLDER, 'data/import'), { recursive: true });
  writeFileSync(path.join(FOLDER, `data/import/${REALM}-realm.json`), JSON.stringify(realmOf(application)));
  const port = await anyFreePort();
  const { hostname, port: databasePort, username, password } = new URL(postgres.urlOf(DATABASE));
  const child = startOnCore(
    API_CORE,
    ['bash', 'bin/kc.sh', 'start', '--optimized', '--import-realm'],
    {
      KC_DB_URL: `jdbc:postgresql://${hostname}:${databasePort}/${DATABASE}`,
      KC_DB_USERNAME: decodeURIComponent(username),
      KC_DB_PASSWORD: decodeURIComponent(password),
      KC_CACHE: 'local',
      KC_HTTP_ENABLED: 'true',
      KC_HTTP_HOST: '127.0.0.1',
      KC_HTTP_PORT: String(port),
      KC_HOSTNAME: `http://localhost:${port}`,
      KC_LOG_LEVEL: 'warn',
      JAVA_OPTS_KC_HEAP: '-Xms1g -Xmx1g',
    },
    FOLDER,
  );
  running.push(child);
  const base = `/realms/${REALM}/protocol/openid-connect`;
  await untilReady(child, `http://127.0.0.1:${port}/realms/${REALM}/.well-known/openid-configuration`);
  const chains = [];
  for (let user = 0; user < CONNECTIONS; user += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}${base}/token`, {
      method: 'POST',
      headers: { authorization: basic(application) },
      body: new URLSearchParams({
        grant_type: 'password',
        username: `user-${user}`,
        password: PASSWORD,
        scope: 'openid profile email',
      }),
    });
    if (!answer.ok) throw new Error(`Keycloak made no refresh token: ${await answer.text()}`);
    const { refresh_token: token } = await answer.json();
    chains.push(token);
  }
  return {
    child,
    port,
    application,
    paths: { token: `${base}/token`, introspect: `${base}/token/introspect` },
    chains,
  };
}

function realmOf({ clientId, clientSecret }) {
  return {
    realm: REALM,
    enabled: true,
    sslRequired: 'none',
    revokeRefreshToken: true,
    refreshTokenMaxReuse: 0,
    accessTokenLifespan: 43_200,
    ssoSessionIdleTimeout: 43_200,
    clients: [
      {
        clientId,
        secret: clientSecret,
        clientAuthenticatorType: 'client-secret',
        publicClient: false,
        directAccessGrantsEnabled: true,
        serviceAccountsEnabled: true,
        redirectUris: ['http://localhost:3000/*'],
      },
    ],
    users: Array.from({ length: CONNECTIONS }, (_, number) => ({
      username: `user-${number}`,
      enabled: true,
      firstName: 'User',
      lastName: String(number),
      email: `user-${number}@example.com`,
      emailVerified: true,
      credentials: [{ type: 'password', value: PASSWORD, temporary: false }],
    })),
  };
}

/** @type {import('../peers.mjs').Peer} */
export const keycloak = {
  name: 'Keycloak',
  install,
  start,
  tokens: 'jwt',
  // until its compiler has seen each path often enough
  warmUpSeconds: 20,
  figures: {
    'peer: introspection, JWT': isActive,
    'peer: client_credentials, JWT RS256': isJwt('RS256'),
    'peer: refresh grant, JWT RS256': hasIdToken('RS256'),
  },
};
