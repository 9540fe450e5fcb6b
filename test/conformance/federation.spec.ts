import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyFreePort } from '../../scripts/ports.mjs';
import { Stage, type Registered } from '../interop/support/stage.js';
import { WebBrowser, type Page } from '../interop/support/web-browser.js';
import { unescapeHtml } from '../support/browser-flow.js';
import { given } from '../support/given.js';
import { aServiceUser } from '../support/service-users.js';
import { aUser, PASSWORD } from '../support/users.js';
import { useWorld } from '../support/world.js';

// This service twice, each with a database of its own: people of one sign in to the other, and out of both.

const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

// another host than the first one's: cookies know no ports
const { api: elsewhere, world } = useWorld(async () => ({
  PUBLIC_URL: `http://127.0.0.1:${await anyFreePort()}`,
}));
const user = given(() => aUser(world));
let stage: Stage;
let app: Server;
let appOrigin: string;
let application: Registered;
let idpId: string;

beforeAll(async () => {
  app = createServer((_request, response) => response.end('arrived'));
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  appOrigin = `http://localhost:${(app.address() as AddressInfo).port}`;
  const issuer = elsewhere.config.issuer.url;
  await elsewhere.app.listen(Number(new URL(issuer).port), '127.0.0.1');
  stage = await Stage.build({ OUTBOUND_PRIVATE_ADDRESSES: 'allow' });
  const owner = await aServiceUser(world, 'ORG_OWNER');
  const settings = { kind: 'oidc', name: 'Elsewhere', issuer, allowCreation: true, signOutAtProvider: true };
  const client = { clientId: 'not-known-yet', clientSecret: 'not-known-yet' };
  const added = await stage.manage<{ id: string; callbackUrl: string }>('idps', { ...settings, ...client });
  idpId = added.id;
  const registered = await owner.call('POST', `projects/${world.projectId}/apps/oidc`, {
    name: 'The other one',
    redirectUris: [added.callbackUrl],
    postLogoutRedirectUris: [added.callbackUrl.replace(/callback$/, 'signed_out')],
    devMode: true,
  });
  const { clientId, clientSecret } = registered.json<Registered>();
  await stage.manage(`idps/${idpId}`, { ...settings, clientId, clientSecret }, 'PUT');
  await stage.manage(`idps/${idpId}/_activate`, {});
  application = await stage.addApplication({
    name: 'My app',
    redirectUris: [`${appOrigin}/callback`],
    postLogoutRedirectUris: [`${appOrigin}/bye`],
    devMode: true,
  });
});
afterAll(async () => {
  app.close();
  await stage.close();
});

async function toProvider(browser: WebBrowser): Promise<Page> {
  const url = new URL(`${stage.issuer}/oauth/v2/authorize`);
  url.search = new URLSearchParams({
    client_id: application.clientId,
    redirect_uri: `${appOrigin}/callback`,
    response_type: 'code',
    scope: 'openid profile email',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  }).toString();
  const page = await browser.open(url);
  const way = new RegExp(`href="([^"]*/login/idps/${idpId}\\?[^"]*)"`).exec(page.text)?.[1] ?? '';
  return await browser.open(new URL(unescapeHtml(way), stage.issuer));
}

async function signIn(browser: WebBrowser): Promise<{ id_token: string; access_token: string }> {
  const page = await toProvider(browser);
  const form = page.forms.find(({ fields }) => fields.some(({ name }) => name === 'loginName'));
  if (form === undefined) throw new Error(`no form: ${page.url.href}`);
  const back = await browser.submit(page, form, { loginName: user.loginName, password: PASSWORD });
  const code = back.url.searchParams.get('code');
  expect(code, back.url.href).not.toBeNull();
  const response = await fetch(`${stage.issuer}/oauth/v2/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: code ?? '',
      redirect_uri: `${appOrigin}/callback`,
      code_verifier: VERIFIER,
      client_id: application.clientId,
      client_secret: application.clientSecret,
    }),
  });
  return (await response.json()) as { id_token: string; access_token: string };
}

const userinfo = async (token: string): Promise<Response> =>
  await fetch(`${stage.issuer}/oidc/v1/userinfo`, { headers: { authorization: `Bearer ${token}` } });

describe('this service as the provider of another one', () => {
  it('signs its people in there, and out at both', async () => {
    const browser = new WebBrowser();
    const tokens = await signIn(browser);
    const claims = (await (await userinfo(tokens.access_token)).json()) as Record<string, unknown>;
    expect(claims).toMatchObject({ email_verified: true });
    const identities = await stage.api.sql.query<{ subject: string; user_id: string }>(
      'SELECT subject, user_id FROM user_identities',
    );
    expect(identities.rows).toEqual([{ subject: user.userId, user_id: claims['sub'] }]);
    const bye = new URL(`${stage.issuer}/oidc/v1/end_session`);
    bye.search = new URLSearchParams({
      id_token_hint: tokens.id_token,
      post_logout_redirect_uri: `${appOrigin}/bye`,
    }).toString();
    const page = await browser.open(bye);
    const back = await browser.open(unescapeHtml(/id="go-on" href="([^"]*)"/.exec(page.text)?.[1] ?? ''));
    expect(back.url.href).toBe(`${appOrigin}/bye`);
    expect((await userinfo(tokens.access_token)).status).toBe(401);
    const { rows } = await elsewhere.sql.query('SELECT FROM sessions WHERE ended_at IS NULL');
    expect(rows).toEqual([]);
    // the same person once more
    const again = await signIn(browser);
    expect(await (await userinfo(again.access_token)).json()).toMatchObject({ sub: claims['sub'] });
  });
});
