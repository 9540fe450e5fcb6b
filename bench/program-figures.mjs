import {
  hasIdToken,
  isActive,
  isDiscovery,
  isJwt,
  isKeySet,
  isOpaqueToken,
  isRevoked,
  isUserinfo,
} from './checks.mjs';
import { rsaSignatures } from './floors.mjs';
import { CONNECTIONS, wanted } from './knobs.mjs';
import { drive, requestBytes } from './load.mjs';
import { assertionOf, basic, tokensOf } from './programs.mjs';
import { measure } from './table.mjs';

// The programs' side: tokens for them, and what they ask about tokens.

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:';
/** Name of the figure. */
export const ELLIPTIC_CURVE = 'client_credentials, JWT ES256';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

export function formRequest(port, path, client, parameters) {
  const headers = client === undefined ? FORM : { ...FORM, Authorization: basic(client) };
  return requestBytes(port, 'POST', path, headers, new URLSearchParams(parameters).toString());
}

function tokenRequest(port, client, parameters) {
  return formRequest(port, '/oauth/v2/token', client, parameters);
}

/** Callers that send the same again and again, each its own. */
function repeating(server, requests) {
  const next = (caller) => requests[caller % requests.length];
  return (seconds) => drive({ server, connections: CONNECTIONS, seconds, next });
}

/** The same figure on every instance. */
async function onEach(instances, make) {
  return await Promise.all(
    instances.map(async (instance) => ({ users: instance.users, take: await make(instance) })),
  );
}

export async function benchDocuments(instances, floors) {
  const documents = [
    { what: 'discovery', path: '/.well-known/openid-configuration', check: isDiscovery },
    { what: 'keys (JWKS)', path: '/oauth/v2/keys', check: isKeySet },
  ];
  for (const [number, { what, path, check }] of documents.entries()) {
    if (!wanted(what)) continue;
    const on = await onEach(instances, ({ port, api }) => repeating(api, [requestBytes(port, 'GET', path)]));
    await measure({ what, floor: floors.bytes(number), aim: 0.8, check, on });
  }
}

function secrets(api, robots) {
  const bySecret = { grant_type: 'client_credentials', scope: 'openid profile' };
  return repeating(
    api,
    robots.map((robot) => tokenRequest(api.port, robot, bySecret)),
  );
}

/**
 * @param {object[]} instances that were bootstrapped with ES256: where another algorithm is chosen later, its key is
 *   published for a day before it signs
 */
export async function benchEllipticCurve(instances, floors) {
  const on = await onEach(instances, ({ api, jwtRobots }) => secrets(api, jwtRobots));
  const what = ELLIPTIC_CURVE;
  // such a signature is cheaper than the request that asks for it
  await measure({ what, floor: floors.select, aim: 0.5, check: isJwt('ES256'), on });
}

export async function benchServiceUsers(instances, floors) {
  if (wanted('client_credentials, opaque')) {
    const on = await onEach(instances, ({ api, opaqueRobots }) => secrets(api, opaqueRobots));
    await measure({
      what: 'client_credentials, opaque',
      floor: floors.select,
      aim: 0.5,
      check: isOpaqueToken,
      on,
    });
  }
  if (wanted('client_credentials, JWT RS256')) {
    const on = await onEach(instances, ({ api, jwtRobots }) => secrets(api, jwtRobots));
    await measure({
      what: 'client_credentials, JWT RS256',
      floor: rsaSignatures,
      aim: 0.7,
      check: isJwt('RS256'),
      on,
    });
  }
  const assertions = ({ port, api, issuer }, robots) =>
    repeating(
      api,
      robots.map((robot) =>
        tokenRequest(port, undefined, {
          grant_type: JWT_BEARER,
          scope: 'openid profile',
          assertion: assertionOf(robot, issuer),
        }),
      ),
    );
  if (wanted('JWT profile, opaque')) {
    const on = await onEach(instances, (instance) => assertions(instance, instance.opaqueRobots));
    await measure({ what: 'JWT profile, opaque', floor: floors.select, check: isOpaqueToken, on });
  }
  if (wanted('JWT profile, JWT RS256')) {
    const on = await onEach(instances, (instance) => assertions(instance, instance.jwtRobots));
    await measure({ what: 'JWT profile, JWT RS256', floor: rsaSignatures, check: isJwt('RS256'), on });
  }
}

export async function benchTokenChecks(instances, floors) {
  const tokens = { opaque: 'opaqueApplication', JWT: 'jwtApplication' };
  for (const [form, application] of Object.entries(tokens)) {
    const [introspect, userinfo] = [`introspection, ${form}`, `userinfo, ${form}`];
    if (!wanted(introspect, userinfo)) continue;
    const held = new Map();
    for (const instance of instances) {
      const got = await tokensOf(instance, instance[application], CONNECTIONS);
      held.set(
        instance,
        got.map(({ access_token: token }) => token),
      );
    }
    if (wanted(introspect)) {
      const on = await onEach(instances, (instance) => {
        const { port, resourceServer } = instance;
        const ask = (token) => formRequest(port, '/oauth/v2/introspect', resourceServer, { token });
        return repeating(instance.api, held.get(instance).map(ask));
      });
      await measure({
        what: introspect,
        floor: floors.select,
        aim: 0.6,
        check: isActive,
        grows: true,
        on,
      });
    }
    if (wanted(userinfo)) {
      const on = await onEach(instances, (instance) => {
        const { port } = instance;
        const ask = (token) =>
          requestBytes(port, 'GET', '/oidc/v1/userinfo', { Authorization: `Bearer ${token}` });
        return repeating(instance.api, held.get(instance).map(ask));
      });
      await measure({
        what: userinfo,
        floor: floors.select,
        aim: 0.6,
        check: isUserinfo,
        grows: true,
        on,
      });
    }
  }
}

export async function benchRefresh(instances) {
  const what = 'refresh grant (signatures made)';
  if (!wanted(what)) return;
  const on = await onEach(instances, async (instance) => {
    const { port, opaqueApplication } = instance;
    const got = await tokensOf(instance, opaqueApplication, CONNECTIONS);
    const chains = got.map((tokens) => tokens.refresh_token);
    const seen = (caller, { status, body }) => {
      if (status === 200) chains[caller] = JSON.parse(body).refresh_token;
    };
    const next = (caller) =>
      tokenRequest(port, opaqueApplication, {
        grant_type: 'refresh_token',
        refresh_token: chains[caller],
      });
    return (seconds) => drive({ server: instance.api, connections: CONNECTIONS, seconds, next, seen });
  });
  await measure({ what, floor: rsaSignatures, aim: 0.7, check: hasIdToken('RS256'), on });
}

/** Exchanged tokens are then what is revoked: each can be, once. */
export async function benchExchange(instances, floors) {
  const [exchange, exchangeJwt, revocation] = [
    'token exchange, opaque',
    'token exchange, JWT RS256',
    'revocation',
  ];
  if (!wanted(exchange, exchangeJwt, revocation)) return;
  const exchanging = new Map();
  for (const instance of instances) {
    const { port, opaqueApplication } = instance;
    const got = await tokensOf(instance, opaqueApplication, CONNECTIONS);
    const requests = (type) =>
      got.map(({ access_token: token }) =>
        tokenRequest(port, opaqueApplication, {
          grant_type: TOKEN_EXCHANGE,
          subject_token: token,
          subject_token_type: `${TOKEN_TYPE}access_token`,
          requested_token_type: `${TOKEN_TYPE}${type}`,
          // no ID token beside it
          scope: 'profile',
        }),
      );
    exchanging.set(instance, { opaque: requests('access_token'), jwt: requests('jwt') });
  }
  if (wanted(exchange)) {
    const on = await onEach(instances, (one) => repeating(one.api, exchanging.get(one).opaque));
    await measure({ what: exchange, floor: floors.select, aim: 0.3, check: isOpaqueToken, on });
  }
  if (wanted(exchangeJwt)) {
    const on = await onEach(instances, (one) => repeating(one.api, exchanging.get(one).jwt));
    await measure({ what: exchangeJwt, floor: rsaSignatures, check: isJwt('RS256'), on });
  }
  if (!wanted(revocation)) return;
  const on = await onEach(instances, (instance) => {
    const { port, opaqueApplication } = instance;
    const stock = [];
    const fill = async (seconds) => {
      const { opaque } = exchanging.get(instance);
      const seen = (_caller, { status, body }) => {
        if (status === 200) stock.push(JSON.parse(body).access_token);
      };
      await drive({
        server: instance.api,
        connections: CONNECTIONS,
        seconds,
        next: (caller) => opaque[caller],
        seen,
      });
    };
    const next = () => {
      const token = stock.pop();
      return token && formRequest(port, '/oauth/v2/revoke', opaqueApplication, { token });
    };
    return async (seconds) => {
      // the figure ends early if these are used up
      await fill(seconds);
      return await drive({ server: instance.api, connections: CONNECTIONS, seconds, next });
    };
  });
  await measure({ what: revocation, floor: floors.select, check: isRevoked, on });
}
