import type { Kind } from './applications.ts';
import type { Block, Ids } from './quickstart.ts';

/** What curl and openid-client need, as docs/examples.md has it. */

export type Caller = Kind | 'machine';

/** A secret that is not known here, in the place of one. */
const secretOf = ({ clientSecret }: Ids): string => clientSecret ?? '…';

/** Names and addresses may have quotes in them. */
const inShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const inScript = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;

/** RFC 6749 §2.3.1: both halves of a Basic header are form-encoded. */
function basic({ clientId, clientSecret }: Ids): string {
  return inShell(
    `${encodeURIComponent(clientId)}:${clientSecret === undefined ? '…' : encodeURIComponent(clientSecret)}`,
  );
}

function authorizeUrl(ids: Ids, more: Readonly<Record<string, string>>): string {
  const url = new URL(`${ids.issuer}/oauth/v2/authorize`);
  url.search = new URLSearchParams({
    client_id: ids.clientId,
    redirect_uri: ids.redirectUris[0] ?? '',
    response_type: 'code',
    scope: 'openid profile email',
    ...more,
  }).toString();
  return url.href;
}

function node(ids: Ids, rest: string, authentication: string): Block {
  const isPlain = ids.issuer.startsWith('http:');
  return {
    language: 'js',
    file: 'example.mjs',
    code: `// npm install openid-client@6
import * as client from 'openid-client';

const config = await client.discovery(
  new URL(${inScript(ids.issuer)}),
  ${inScript(ids.clientId)},
  undefined,
  ${authentication},${isPlain ? '\n  // plain http is for your own machine only\n  { execute: [client.allowInsecureRequests] },' : ''}
);
${rest}`,
  };
}

const SECRET = "client.ClientSecretBasic(process.env.CLIENT_SECRET ?? '')";

/** By curl, and by Node. */
export function requestsOf(caller: Caller, ids: Ids): readonly Block[] {
  if (caller === 'api') return introspection(ids);
  if (caller === 'machine') return clientCredentials(ids);
  return signIn(ids, caller === 'web');
}

function introspection(ids: Ids): readonly Block[] {
  return [
    {
      language: 'sh',
      code: `# TOKEN is what a caller sent as "Authorization: Bearer …"
curl -u ${basic(ids)} ${ids.issuer}/oauth/v2/introspect -d token="$TOKEN"`,
    },
    node(
      ids,
      `const { active, sub, scope } = await client.tokenIntrospection(config, process.env.TOKEN);
console.log({ active, sub, scope });`,
      SECRET,
    ),
    { language: 'sh', code: `CLIENT_SECRET=${inShell(secretOf(ids))} TOKEN=… node example.mjs` },
  ];
}

function clientCredentials(ids: Ids): readonly Block[] {
  return [
    {
      language: 'sh',
      code: `curl -u ${basic(ids)} ${ids.issuer}/oauth/v2/token \\
  -d grant_type=client_credentials -d scope=openid`,
    },
    node(
      ids,
      `const { access_token } = await client.clientCredentialsGrant(config, { scope: 'openid' });
console.log(access_token);`,
      SECRET,
    ),
    { language: 'sh', code: `CLIENT_SECRET=${inShell(secretOf(ids))} node example.mjs` },
  ];
}

function signIn(ids: Ids, withSecret: boolean): readonly Block[] {
  const redirectUri = ids.redirectUris[0] ?? '…';
  const exchange = withSecret
    ? `curl -u ${basic(ids)} ${ids.issuer}/oauth/v2/token -d grant_type=authorization_code`
    : `curl ${ids.issuer}/oauth/v2/token -d grant_type=authorization_code -d client_id=${inShell(ids.clientId)}`;
  return [
    {
      language: 'sh',
      code: `VERIFIER=$(node -p "require('crypto').randomBytes(32).toString('base64url')")
CHALLENGE=$(node -p "require('crypto').createHash('sha256').update('$VERIFIER').digest('base64url')")

# open this address, sign in, and copy the code from the address that you come back to
echo "${authorizeUrl(ids, { code_challenge_method: 'S256' })}&code_challenge=$CHALLENGE"
read -r CODE

${exchange} \\
  -d redirect_uri=${inShell(redirectUri)} -d code_verifier="$VERIFIER" -d code="$CODE"`,
    },
    node(
      ids,
      `const redirectUri = ${inScript(redirectUri)};
const verifier = client.randomPKCECodeVerifier();
const state = client.randomState();

// send the browser here
const url = client.buildAuthorizationUrl(config, {
  redirect_uri: redirectUri,
  scope: 'openid profile email',
  code_challenge: await client.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
  state,
});

// and call this with the address that it comes back to
export async function finish(address) {
  const tokens = await client.authorizationCodeGrant(config, new URL(address), {
    pkceCodeVerifier: verifier,
    expectedState: state,
  });
  return await client.fetchUserInfo(config, tokens.access_token, tokens.claims().sub);
}
console.log(url.href);`,
      withSecret ? SECRET : 'client.None()',
    ),
    {
      language: 'sh',
      code: `${withSecret ? `CLIENT_SECRET=${inShell(secretOf(ids))} ` : ''}node example.mjs`,
    },
  ];
}
