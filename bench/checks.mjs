// What an answer must be for its figure to be printed: a refusal can be faster than the thing that was asked for, and a
// token may be signed with another algorithm than the line says.

/** @typedef {{ status: number, header: string, body: string }} Answer */

function fail(wanted, { status, body }) {
  throw new Error(`measured something else: wanted ${wanted}, got ${status} ${body.slice(0, 300)}`);
}

/** @returns {(answer: Answer) => void} throws unless the answer has `status` and, of its JSON, `holds` */
function json(wanted, holds, status = 200) {
  return (answer) => {
    let body;
    try {
      body = JSON.parse(answer.body);
    } catch {
      fail(wanted, answer);
    }
    if (answer.status !== status || !holds(body)) fail(wanted, answer);
  };
}

function algorithmOf(token) {
  const parts = String(token).split('.');
  if (parts.length !== 3) return undefined;
  return JSON.parse(Buffer.from(parts[0], 'base64url').toString()).alg;
}

export const isDiscovery = json('a discovery document', ({ token_endpoint: url }) => URL.canParse(url));
export const isKeySet = json('a key set', ({ keys }) => keys.length > 0);
export const isActive = json('an active token', ({ active }) => active === true);
export const isUserinfo = json(
  "a user's claims",
  ({ sub, email }) => sub !== undefined && email !== undefined,
);
export const isSubject = json('a subject', ({ sub }) => sub !== undefined);
export const isPushed = json(
  'a pushed request',
  ({ request_uri: uri }) => uri?.startsWith('urn:') === true,
  201,
);
export const isBoundToken = json('a bound token', ({ token_type: type }) => type === 'DPoP');
export const isImported = json('an imported user', ({ userId }) => userId !== undefined);
export const isOpaqueToken = json(
  'an opaque token',
  ({ access_token: token }) => token?.length > 20 && algorithmOf(token) === undefined,
);

export function isJwt(alg) {
  return json(`a JWT by ${alg}`, ({ access_token: token }) => algorithmOf(token) === alg);
}

/** Tokens of a user: an access token, and an ID token that was signed for it. */
export function hasIdToken(alg) {
  return json(
    `an ID token by ${alg}`,
    ({ access_token: token, id_token: idToken }) => token !== undefined && algorithmOf(idToken) === alg,
  );
}

/** RFC 7009 §2.2: revocation says no more than this. */
export function isRevoked(answer) {
  if (answer.status !== 200) fail('a revocation', answer);
}

/** Back at the application with a code. */
export function bringsCode(answer) {
  const location = /^location: ([^\r]+)/im.exec(answer.header)?.[1];
  if (location === undefined || !URL.canParse(location) || !new URL(location).searchParams.has('code')) {
    fail('a redirect with a code', answer);
  }
}
