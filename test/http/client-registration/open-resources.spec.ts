import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import type { TestClient } from '../../support/applications.js';
import {
  authorizeUrl,
  basic,
  codeRequest,
  hiddenFields,
  pkce,
  redemption,
  redirected,
  refreshRequest,
  requestToken,
  TestBrowser,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { aRegistered, useOpenRegistration } from '../../support/client-registration.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization } from '../../support/world.js';
import { expectRedirectedError } from '../oidc/support/answers.js';

// An agent that registered itself asks for tokens for the API of a project whose owner opened it (RFC 8707; security S281).

const { api, world } = useOpenRegistration({ RESOURCE_INDICATORS: 'on' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const user = given(() => aUser(world));

const PUBLIC = {
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
};

async function anAgent(): Promise<TestClient> {
  const { client_id: clientId } = await aRegistered(api, undefined, PUBLIC);
  return { id: '', clientId, clientSecret: '' };
}

async function aProject(name: string, settings: object): Promise<string> {
  const response = await owner.call('POST', 'projects', { name, ...settings });
  if (response.statusCode !== 200) throw new Error(response.body);
  return response.json<{ id: string }>().id;
}

/** A resource server, which asks about tokens. */
async function anApi(projectId: string): Promise<TestClient> {
  const response = await owner.call('POST', `projects/${projectId}/apps/api`, { name: 'Server' });
  const { appId, clientId, clientSecret } = response.json<{
    appId: string;
    clientId: string;
    clientSecret: string;
  }>();
  return { id: appId, clientId, clientSecret };
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** Signs the user in at the agent, up to the page that asks them. */
async function asking(agent: TestClient, resource: string) {
  const { verifier, challenge } = pkce();
  const browser = new TestBrowser(api);
  const answered = await browser.signIn({ ...codeRequest(agent), ...challenge, resource }, user);
  const page = await browser.get(answered.headers.location ?? '');
  const allow = async (): Promise<Tokens> => {
    const agreed = await browser.post('/login/consent', { ...hiddenFields(page.body), decision: 'allow' });
    const code = redirected(agreed).get('code') ?? '';
    const redeemed = await requestToken(
      api,
      redemption(code, { client_id: agent.clientId, code_verifier: verifier, resource }),
    );
    return redeemed.json<Tokens>();
  };
  return { browser, page, allow };
}

async function introspected(token: string, by: TestClient) {
  const answer = await postForm(api, '/oauth/v2/introspect', new URLSearchParams({ token }), basic(by));
  return answer.json<{ active: boolean; sub?: string; client_id?: string }>();
}

describe('a project that is open to applications that nobody vouches for', () => {
  it('is named to the user, and its API knows the token by introspection', async () => {
    const projectId = await aProject('Order desk', {
      resourceUri: 'https://desk.test/mcp',
      openResource: true,
    });
    const server = await anApi(projectId);
    const agent = await anAgent();
    const { browser, page, allow } = await asking(agent, 'https://desk.test/mcp');
    expect(page.body).toContain('Order desk');
    expect(page.body).toContain('in your name');
    const { access_token: token, refresh_token: refreshToken } = await allow();
    expect(await introspected(token, server)).toMatchObject({
      active: true,
      sub: user.userId,
      client_id: agent.clientId,
    });
    const again = { client_id: agent.clientId, resource: 'https://desk.test/mcp' };
    const refreshed = await requestToken(api, refreshRequest(refreshToken, again));
    expect(await introspected(refreshed.json<Tokens>().access_token, server)).toMatchObject({ active: true });

    // agreed to, so not asked about again; what else is open is asked about
    const silently = (resource: string) =>
      browser.get(authorizeUrl({ ...codeRequest(agent), ...pkce().challenge, prompt: 'none', resource }));
    expect(redirected(await silently('https://desk.test/mcp')).get('code')).toEqual(expect.any(String));
    await aProject('Other desk', { resourceUri: 'https://other-desk.test', openResource: true });
    expectRedirectedError(await silently('https://other-desk.test'), 'interaction_required');
  });

  it('can be the one that has the agent, too', async () => {
    await owner.call('PUT', `projects/${world.projectId}`, {
      name: 'Home',
      resourceUri: 'https://home.test',
      openResource: true,
    });
    const agent = await anAgent();
    const server = await anApi(world.projectId);
    const { page, allow } = await asking(agent, 'https://home.test');
    expect(page.body).toContain('Home');
    const { access_token: token } = await allow();
    expect(await introspected(token, server)).toMatchObject({ active: true });
    await owner.call('PUT', `projects/${world.projectId}`, { name: 'Home' });
  });

  it('gives nothing to whoever did not name it', async () => {
    const projectId = await aProject('Quiet desk', {
      resourceUri: 'https://quiet.test',
      openResource: true,
    });
    const server = await anApi(projectId);
    const agent = await anAgent();
    const { verifier, challenge } = pkce();
    const browser = new TestBrowser(api);
    const answered = await browser.signIn({ ...codeRequest(agent), ...challenge }, user);
    const page = await browser.get(answered.headers.location ?? '');
    expect(page.body).not.toContain('Quiet desk');
    const agreed = await browser.post('/login/consent', { ...hiddenFields(page.body), decision: 'allow' });
    const redeemed = await requestToken(
      api,
      redemption(redirected(agreed).get('code') ?? '', {
        client_id: agent.clientId,
        code_verifier: verifier,
      }),
    );
    const { access_token: token } = redeemed.json<Tokens>();
    expect(await introspected(token, server)).toEqual({ active: false });
  });
});

describe('what is not open', () => {
  it.each(['by its address', 'by its audience scope'])('cannot be asked for %s', async (how) => {
    const resourceUri = how === 'by its address' ? 'https://shut.test' : 'https://shut-too.test';
    const projectId = await aProject(how, { resourceUri });
    const agent = await anAgent();
    const request = { ...codeRequest(agent), ...pkce().challenge };
    const audience = `urn:zitadel:iam:org:project:id:${projectId}:aud`;
    const asked =
      how === 'by its address'
        ? { ...request, resource: resourceUri }
        : { ...request, scope: `openid ${audience}` };
    const answer = await new TestBrowser(api).signIn(asked, user).catch((error: unknown) => error);
    const begun = await new TestBrowser(api).get(authorizeUrl(asked));
    expect(answer).toBeDefined();
    const refused = redirectedErrorOf(begun.headers.location) ?? redirectedErrorOf(locationOf(answer));
    expect(refused).toBe(how === 'by its address' ? 'invalid_target' : 'invalid_scope');
  });

  it('is also what another organization opened', async () => {
    const other = await anOrganization(api);
    const theirs = await aServiceUser(other, 'ORG_OWNER');
    await theirs.call('PUT', `projects/${other.projectId}`, {
      name: 'Theirs',
      resourceUri: 'https://foreign.test',
      openResource: true,
    });
    const agent = await anAgent();
    const begun = await new TestBrowser(api).get(
      authorizeUrl({ ...codeRequest(agent), ...pkce().challenge, resource: 'https://foreign.test' }),
    );
    expectRedirectedError(begun, 'invalid_target');
  });

  it('is what was open at the sign-in page, and is shut before the user agrees', async () => {
    const projectId = await aProject('Closing', { resourceUri: 'https://closing.test', openResource: true });
    const agent = await anAgent();
    const { browser, page } = await asking(agent, 'https://closing.test');
    await owner.call('PUT', `projects/${projectId}`, {
      name: 'Closing',
      resourceUri: 'https://closing.test',
    });
    const agreed = await browser.post('/login/consent', { ...hiddenFields(page.body), decision: 'allow' });
    expectRedirectedError(agreed, 'invalid_scope');
  });

  it('needs an address to be open', async () => {
    const answer = await owner.call('POST', 'projects', { name: 'Nowhere', openResource: true });
    expect(answer.statusCode).toBe(400);
    expect(answer.json<{ message: string }>().message).toContain('openResource');
  });

  it('says in a JWT whom it is for', async () => {
    const projectId = await aProject('Signed desk', {
      resourceUri: 'https://signed.test',
      openResource: true,
    });
    const server = await anApi(projectId);
    const agent = await anAgent();
    await api.sql.query(`UPDATE applications SET access_token_type = 'jwt' WHERE client_id = $1`, [
      agent.clientId,
    ]);
    const { allow } = await asking(agent, 'https://signed.test');
    const { aud } = decodeJwt((await allow()).access_token);
    expect(aud).toEqual(expect.arrayContaining([projectId, server.clientId]));
    expect(aud).not.toContain(agent.clientId);
  });
});

function redirectedErrorOf(location: string | undefined): string | null | undefined {
  return location === undefined ? undefined : new URL(location, 'https://rp.test').searchParams.get('error');
}

function locationOf(answer: unknown): string | undefined {
  return (answer as { headers?: { location?: string } }).headers?.location;
}
