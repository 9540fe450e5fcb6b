import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { isBoundToken, isPushed, isSubject } from './checks.mjs';
import { CONNECTIONS, wanted } from './knobs.mjs';
import { drive, requestBytes } from './load.mjs';
import { formRequest } from './program-figures.mjs';
import { basic } from './programs.mjs';
import { measure } from './table.mjs';

// What applications ask for who push their requests (RFC 9126) and bind their tokens to a key (RFC 9449): a proof is made for
// one request, so each is signed while the load runs, on the load's own core.

const PUSHED = 'pushed authorization request';
const BOUND = 'client_credentials, DPoP';
const BOUND_USERINFO = 'userinfo, DPoP';
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const part = (json) => Buffer.from(JSON.stringify(json)).toString('base64url');
const HEAD = part({ typ: 'dpop+jwt', alg: 'ES256', jwk: publicKey.export({ format: 'jwk' }) });

function proofOf(issuer, method, path, accessToken) {
  const ath = accessToken && createHash('sha256').update(accessToken).digest('base64url');
  const iat = Math.floor(Date.now() / 1000);
  const input = `${HEAD}.${part({ jti: randomUUID(), htm: method, htu: `${issuer}${path}`, iat, ath })}`;
  const signature = sign('sha256', input, { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

export async function benchBound(instances, floors) {
  if (wanted(PUSHED)) await benchPushed(instances, floors);
  if (wanted(BOUND)) await benchBoundTokens(instances, floors);
  if (wanted(BOUND_USERINFO)) await benchBoundUserinfo(instances, floors);
}

async function benchPushed(instances, floors) {
  const on = instances.map(({ port, api, users, opaqueApplication: application }) => {
    const request = formRequest(port, '/oauth/v2/par', application, {
      client_id: application.clientId,
      redirect_uri: application.redirectUri,
      response_type: 'code',
      scope: 'openid profile email offline_access',
      state: randomUUID(),
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    });
    const take = (seconds) => drive({ server: api, connections: CONNECTIONS, seconds, next: () => request });
    return { users, take };
  });
  await measure({ what: PUSHED, floor: floors.select, check: isPushed, on });
}

function boundTokenRequest({ port, issuer }, robot) {
  const headers = { ...FORM, Authorization: basic(robot), DPoP: proofOf(issuer, 'POST', '/oauth/v2/token') };
  const body = 'grant_type=client_credentials&scope=openid+profile';
  return requestBytes(port, 'POST', '/oauth/v2/token', headers, body);
}

async function benchBoundTokens(instances, floors) {
  const on = instances.map((instance) => {
    const { api, users, opaqueRobots: robots } = instance;
    const next = (caller) => boundTokenRequest(instance, robots[caller % robots.length]);
    return { users, take: (seconds) => drive({ server: api, connections: CONNECTIONS, seconds, next }) };
  });
  await measure({ what: BOUND, floor: floors.select, check: isBoundToken, on });
}

async function benchBoundUserinfo(instances, floors) {
  const on = [];
  for (const instance of instances) {
    const { port, api, issuer, users, opaqueRobots: robots } = instance;
    const tokens = await Promise.all(robots.map((robot) => boundToken(instance, robot)));
    const next = (caller) => {
      const token = tokens[caller % tokens.length];
      const DPoP = proofOf(issuer, 'GET', '/oidc/v1/userinfo', token);
      return requestBytes(port, 'GET', '/oidc/v1/userinfo', { Authorization: `DPoP ${token}`, DPoP });
    };
    on.push({ users, take: (seconds) => drive({ server: api, connections: CONNECTIONS, seconds, next }) });
  }
  await measure({ what: BOUND_USERINFO, floor: floors.select, check: isSubject, on });
}

async function boundToken({ issuer }, robot) {
  const response = await fetch(`${issuer}/oauth/v2/token`, {
    method: 'POST',
    headers: { authorization: basic(robot), dpop: proofOf(issuer, 'POST', '/oauth/v2/token') },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'openid profile' }),
  });
  if (!response.ok) throw new Error(`the token endpoint answered ${response.status}`);
  return (await response.json()).access_token;
}
