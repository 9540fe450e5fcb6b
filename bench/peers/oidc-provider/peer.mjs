import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { anyFreePort } from '../../../scripts/ports.mjs';
import { run } from '../../../scripts/processes.mjs';
import { hasIdToken, isActive, isOpaqueToken } from '../../checks.mjs';
import { running } from '../../instances.mjs';
import { CONNECTIONS } from '../../knobs.mjs';
import { API_CORE, startNode, untilReady } from '../../process.mjs';
import { createDatabase } from '../database.mjs';

// oidc-provider (npm), with opaque tokens in tables of its own (server.mjs).

const SOURCE = import.meta.dirname;
const FOLDER = path.resolve('.data/peers/oidc-provider');
const FILES = ['package.json', 'package-lock.json', 'server.mjs'];

/** The version; undefined where it could not be downloaded. */
async function install() {
  mkdirSync(FOLDER, { recursive: true });
  const lock = path.join(FOLDER, FILES[1]);
  const isSame =
    existsSync(lock) && readFileSync(lock, 'utf8') === readFileSync(path.join(SOURCE, FILES[1]), 'utf8');
  for (const file of FILES) copyFileSync(path.join(SOURCE, file), path.join(FOLDER, file));
  const manifest = path.join(FOLDER, 'node_modules/oidc-provider/package.json');
  if (!isSame || !existsSync(manifest)) {
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const { code } = await run('npm', args, { cwd: FOLDER, timeoutMs: 300_000 });
    if (code !== 0) return undefined;
  }
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}

async function start(postgres) {
  await createDatabase(postgres, 'peer_oidc_provider');
  const port = await anyFreePort();
  const application = { clientId: 'bench', clientSecret: randomBytes(24).toString('base64url') };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const child = startNode(
    API_CORE,
    ['server.mjs'],
    {
      NODE_ENV: 'production',
      PORT: String(port),
      ISSUER: `http://localhost:${port}`,
      DATABASE_URL: postgres.urlOf('peer_oidc_provider'),
      CLIENT_ID: application.clientId,
      CLIENT_SECRET: application.clientSecret,
      JWK: JSON.stringify({
        ...privateKey.export({ format: 'jwk' }),
        use: 'sig',
        alg: 'RS256',
        kid: 'bench',
      }),
    },
    FOLDER,
  );
  running.push(child);
  await untilReady(child, `http://127.0.0.1:${port}/ready`);
  const made = await fetch(`http://127.0.0.1:${port}/refresh-tokens/${CONNECTIONS}`);
  if (!made.ok) throw new Error(`oidc-provider made no refresh tokens: ${await made.text()}`);
  return {
    child,
    port,
    application,
    paths: { token: '/token', introspect: '/token/introspection' },
    chains: await made.json(),
  };
}

/** @type {import('../peers.mjs').Peer} */
export const oidcProvider = {
  name: 'oidc-provider',
  install,
  start,
  tokens: 'opaque',
  warmUpSeconds: 1,
  figures: {
    'peer: introspection, opaque': isActive,
    'peer: client_credentials, opaque': isOpaqueToken,
    'peer: refresh grant': hasIdToken('RS256'),
  },
};
