import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { anyFreePort } from '../../scripts/ports.mjs';
import { run } from '../../scripts/processes.mjs';
import { hasIdToken, isActive, isOpaqueToken } from '../checks.mjs';
import { running } from '../instances.mjs';
import { CONNECTIONS, ROUNDS, SECONDS, wanted } from '../knobs.mjs';
import { drive } from '../load.mjs';
import { API_CORE, startNode, stop, untilReady } from '../process.mjs';
import { formRequest } from '../program-figures.mjs';
import { tokensOf } from '../programs.mjs';
import { count, line, median } from '../table.mjs';

// `peer: …`: the same requests to another OpenID provider, on the same core and the same PostgreSQL, in turn with
// ours. It is downloaded into .data/peers the first time; where it cannot be had, the lines say so.

const SOURCE = path.resolve('bench/peers/oidc-provider');
const FOLDER = path.resolve('.data/peers/oidc-provider');
const FILES = ['package.json', 'package-lock.json', 'server.mjs'];
const FIGURES = {
  'peer: introspection, opaque': isActive,
  'peer: client_credentials, opaque': isOpaqueToken,
  'peer: refresh grant': hasIdToken('RS256'),
};

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

async function startPeer(postgres) {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query('CREATE DATABASE peer_oidc_provider');
  await client.end();
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

async function ours(instance) {
  const { api, port, opaqueApplication, opaqueRobots } = instance;
  const held = await tokensOf(instance, opaqueApplication, CONNECTIONS);
  return {
    child: api.child,
    port,
    application: opaqueApplication,
    robots: opaqueRobots,
    paths: { token: '/oauth/v2/token', introspect: '/oauth/v2/introspect' },
    chains: held.map((one) => one.refresh_token),
  };
}

/** What to drive, by the figure's name. */
async function figuresOf(service) {
  const { child, port, application, robots = [application], paths, chains } = service;
  const server = { child, port };
  const repeat = (requests) => (seconds) =>
    drive({
      server,
      connections: CONNECTIONS,
      seconds,
      next: (caller) => requests[caller % requests.length],
    });
  const refresh = (caller) =>
    formRequest(port, paths.token, application, {
      grant_type: 'refresh_token',
      refresh_token: chains[caller],
    });
  let tokens = [];
  const refreshing = (seconds) =>
    drive({
      server,
      connections: CONNECTIONS,
      seconds,
      next: refresh,
      seen(caller, { status, body }) {
        if (status !== 200) return;
        const answer = JSON.parse(body);
        chains[caller] = answer.refresh_token;
        tokens[caller] = answer.access_token;
      },
    });
  await refreshing(1);
  tokens = tokens.filter((token) => token !== undefined);
  const introspections = tokens.map((token) => formRequest(port, paths.introspect, application, { token }));
  const own = { grant_type: 'client_credentials', scope: robots.length > 1 ? 'openid profile' : 'profile' };
  const [introspection, credentials, refreshed] = Object.keys(FIGURES);
  return {
    [introspection]: repeat(introspections),
    [credentials]: repeat(robots.map((robot) => formRequest(port, paths.token, robot, own))),
    [refreshed]: refreshing,
  };
}

/** @param {import('../instances.mjs').Instance} instance */
export async function benchPeers(instance, postgres) {
  // by this word alone: figures of our own have the same names
  if (!wanted('peer')) return;
  const version = await install();
  if (version === undefined) {
    line('peer: oidc-provider', '', 'not downloaded: no package registry can be reached');
    return;
  }
  const peer = await startPeer(postgres);
  const of = { ours: await figuresOf(await ours(instance)), peer: await figuresOf(peer) };
  for (const [name, check] of Object.entries(FIGURES)) {
    const rounds = [];
    for (const take of [of.ours[name], of.peer[name]]) await take(1);
    for (let round = 0; round < ROUNDS; round += 1) {
      const figures = {};
      const order = ['ours', 'peer'];
      for (const who of round % 2 === 0 ? order : order.toReversed()) {
        figures[who] = await of[who][name](SECONDS);
        check(figures[who].sample);
        if (figures[who].failures > 0)
          throw new Error(`${figures[who].failures} requests failed: ${name}, ${who}`);
      }
      rounds.push(figures);
    }
    const middle = (one) => median(rounds.map(one));
    const least = (who) => Math.min(...rounds.map((round) => round[who].cpu));
    line(
      name,
      '',
      count(middle(({ ours: one }) => one.perSecond)),
      middle(({ ours: one }) => one.p50).toFixed(2),
      middle(({ ours: one }) => one.p99).toFixed(2),
      least('ours').toFixed(0),
      `oidc-provider ${version} ${count(middle(({ peer: one }) => one.perSecond))}/s`,
      middle((one) => one.ours.perSecond / one.peer.perSecond).toFixed(2),
      (least('peer') / least('ours')).toFixed(2),
      'printed',
    );
  }
  await stop(peer.child);
}
