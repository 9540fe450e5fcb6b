import { CONNECTIONS, ROUNDS, SECONDS, wanted } from '../knobs.mjs';
import { drive } from '../load.mjs';
import { stop } from '../process.mjs';
import { formRequest } from '../program-figures.mjs';
import { tokensOf } from '../programs.mjs';
import { count, line, median } from '../table.mjs';
import { keycloak } from './keycloak/peer.mjs';
import { oidcProvider } from './oidc-provider/peer.mjs';

// `peer: …`: the same requests to another OpenID provider, on the same core and the same PostgreSQL, in turn with
// ours. Each is downloaded into .data/peers the first time; where one cannot be had, a line says so.

/**
 * @typedef {object} Peer
 * @property {string} name
 * @property {() => Promise<string | undefined>} install gives the version; undefined where it could not be downloaded
 * @property {(postgres: object) => Promise<Service>} start
 * @property {'opaque' | 'jwt'} tokens its access tokens, so that ours are of the same kind
 * @property {number} warmUpSeconds before each figure
 * @property {Record<string, (answer: import('../checks.mjs').Answer) => void>} figures introspection, client credentials
 * and refresh in this order, by the names of their lines, with what their answers must be
 *
 * @typedef {{ child: object, port: number, application: object, paths: { token: string, introspect: string }, chains: string[] }} Service
 * with a refresh token for each connection
 */

const PEERS = [oidcProvider, keycloak];

async function ours(instance, tokens) {
  const { api, port } = instance;
  const application = instance[`${tokens}Application`];
  const held = await tokensOf(instance, application, CONNECTIONS);
  return {
    child: api.child,
    port,
    application,
    robots: instance[`${tokens}Robots`],
    paths: { token: '/oauth/v2/token', introspect: '/oauth/v2/introspect' },
    chains: held.map((one) => one.refresh_token),
  };
}

/** What to drive, by the figure's name. */
async function figuresOf(service, names) {
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
  // a cold JVM answers few in its first seconds
  for (let second = 0; second < 30 && Object.keys(tokens).length < CONNECTIONS; second += 1)
    await refreshing(1);
  if (Object.keys(tokens).length === 0) throw new Error('no refresh token was taken');
  tokens = tokens.filter((token) => token !== undefined);
  const introspections = tokens.map((token) => formRequest(port, paths.introspect, application, { token }));
  const own = { grant_type: 'client_credentials', scope: robots.length > 1 ? 'openid profile' : 'profile' };
  const [introspection, credentials, refreshed] = names;
  return {
    [introspection]: repeat(introspections),
    [credentials]: repeat(robots.map((robot) => formRequest(port, paths.token, robot, own))),
    [refreshed]: refreshing,
  };
}

/** @param {import('../instances.mjs').Instance} instance */
export async function benchPeers(instance, postgres) {
  for (const peer of PEERS) {
    // by this word alone: figures of our own have the same names
    if (wanted('peer')) await benchPeer(peer, instance, postgres);
  }
}

async function benchPeer(
  { name: called, install, start, tokens, warmUpSeconds, figures },
  instance,
  postgres,
) {
  const version = await install();
  if (version === undefined) {
    line(`peer: ${called}`, '', 'not downloaded: no package registry can be reached');
    return;
  }
  const peer = await start(postgres);
  const names = Object.keys(figures);
  const of = {
    ours: await figuresOf(await ours(instance, tokens), names),
    peer: await figuresOf(peer, names),
  };
  for (const [name, check] of Object.entries(figures)) {
    const rounds = [];
    await of.ours[name](1);
    await of.peer[name](warmUpSeconds);
    for (let round = 0; round < ROUNDS; round += 1) {
      const taken = {};
      const order = ['ours', 'peer'];
      for (const who of round % 2 === 0 ? order : order.toReversed()) {
        taken[who] = await of[who][name](SECONDS);
        check(taken[who].sample);
        if (taken[who].failures > 0)
          throw new Error(`${taken[who].failures} requests failed: ${name}, ${who} of ${called}`);
      }
      rounds.push(taken);
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
      `${called} ${version} ${count(middle(({ peer: one }) => one.perSecond))}/s`,
      middle((one) => one.ours.perSecond / one.peer.perSecond).toFixed(2),
      (least('peer') / least('ours')).toFixed(2),
      'printed',
    );
  }
  await stop(peer.child);
}
