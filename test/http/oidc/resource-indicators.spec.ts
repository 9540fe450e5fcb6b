import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import type { ProjectId } from '../../../src/domain/shared/ids.js';
import { useReplica } from '../../support/api.js';
import { anApplication, type TestClient } from '../../support/applications.js';
import {
  aSignedInBrowser,
  authorizeUrl,
  basic,
  codeRequest,
  redemption,
  redirected,
  refreshRequest,
  requestToken,
} from '../../support/browser-flow.js';
import { postForm } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aRobot, aServiceUser, assertionOf, byAssertion, bySecret } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld, World } from '../../support/world.js';
import { expectOAuthError, expectRedirectedError } from './support/answers.js';
import { EXCHANGE, EXCHANGING, TYPES } from './support/exchanges.js';

// Whom tokens are for, by the addresses of projects (RFC 8707; security S286, S390).

const { api, world } = useWorld({ RESOURCE_INDICATORS: 'on' });
const off = useReplica(api, { RESOURCE_INDICATORS: 'off' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const user = given(() => aUser(world));
const client = given(() =>
  anApplication(world, { accessTokenType: 'jwt', grantTypes: [...EXCHANGING], name: 'Resources' }),
);
const orders = given(() => aProject('Orders', 'https://orders.test/api'));
const stock = given(() => aProject('Stock', 'https://stock.test'));

async function aProject(name: string, resourceUri: string): Promise<{ id: string }> {
  const response = await owner.call('POST', 'projects', { name, resourceUri });
  if (response.statusCode !== 200) throw new Error(response.body);
  return response.json<{ id: string }>();
}

function request(...resources: readonly string[]): string {
  const parameters = new URLSearchParams(codeRequest(client));
  for (const resource of resources) parameters.append('resource', resource);
  return `/oauth/v2/authorize?${parameters.toString()}`;
}

async function codeFor(...resources: readonly string[]): Promise<string> {
  const browser = await aSignedInBrowser(api, client, user);
  return redirected(await browser.get(request(...resources))).get('code') ?? '';
}

async function tokens(
  form: Record<string, string>,
  resources: readonly string[] = [],
  by: TestClient = client,
) {
  const parameters = new URLSearchParams(form);
  for (const resource of resources) parameters.append('resource', resource);
  return await postForm(api, '/oauth/v2/token', parameters, basic(by));
}

function audienceOf(token: string): string[] {
  return [decodeJwt(token).aud ?? []].flat();
}

interface Answer {
  readonly access_token: string;
  readonly id_token: string;
  readonly refresh_token: string;
}

describe('at the authorization endpoint', () => {
  it('resources add their projects to the audience', async () => {
    const code = await codeFor('https://orders.test/api', 'https://stock.test/');
    const answer = (await tokens(redemption(code))).json<Answer>();
    expect(audienceOf(answer.access_token)).toEqual(
      expect.arrayContaining([orders.id, stock.id, world.projectId, client.clientId]),
    );
  });

  it('the resource of the application’s own project asks for nothing more', async () => {
    await owner.call('PUT', `projects/${world.projectId}`, { name: 'Own', resourceUri: 'https://own.test' });
    const code = await codeFor('https://own.test');
    const answer = (await tokens(redemption(code))).json<Answer & { scope: string }>();
    expect(answer.scope).toBe('openid profile email offline_access');
  });

  it.each([
    ['nobody has', 'https://nobody.test'],
    ['is written another way', 'https://orders.test/api/'],
    ['has a fragment', 'https://orders.test/api#x'],
    ['is relative', '/api'],
    ['has credentials', 'https://a:b@orders.test/api'],
  ])('one that %s is invalid_target, also beside a good one', async (_name, resource) => {
    const browser = await aSignedInBrowser(api, client, user);
    expectRedirectedError(await browser.get(request(resource)), 'invalid_target');
    expectRedirectedError(await browser.get(request('https://orders.test/api', resource)), 'invalid_target');
    const pushed = new URLSearchParams(codeRequest(client));
    pushed.append('resource', 'https://stock.test');
    pushed.append('resource', resource);
    expectOAuthError(await postForm(api, '/oauth/v2/par', pushed, basic(client)), 400, 'invalid_target');
  });

  it('another organization’s, one at rest, and the service’s own look like nobody’s', async () => {
    const other = await anOrganization(api);
    const theirs = await aServiceUser(other, 'ORG_OWNER');
    await theirs.call('PUT', `projects/${other.projectId}`, {
      name: 'Theirs',
      resourceUri: 'https://theirs.test',
    });
    const { id: resting } = await aProject('Resting', 'https://resting.test');
    await owner.call('POST', `projects/${resting}/_deactivate`, {});
    await api.sql.query(
      `UPDATE projects SET resource_uri = 'https://service.test' WHERE id = (SELECT api_project_id FROM instance)`,
    );
    const browser = await aSignedInBrowser(api, client, user);
    const texts = new Set<string>();
    for (const resource of [
      'https://theirs.test',
      'https://resting.test',
      'https://service.test',
      'https://no.test',
    ]) {
      texts.add(expectRedirectedError(await browser.get(request(resource)), 'invalid_target'));
    }
    expect(texts.size).toBe(1);
  });

  it('a pushed request carries them', async () => {
    const pushed = new URLSearchParams(codeRequest(client));
    pushed.append('resource', 'https://orders.test/api');
    pushed.append('resource', 'https://stock.test');
    const { request_uri: requestUri } = (await postForm(api, '/oauth/v2/par', pushed, basic(client))).json<{
      request_uri: string;
    }>();
    const browser = await aSignedInBrowser(api, client, user);
    const answered = await browser.get(authorizeUrl({ client_id: client.clientId, request_uri: requestUri }));
    const answer = (await tokens(redemption(redirected(answered).get('code') ?? ''))).json<Answer>();
    expect(audienceOf(answer.access_token)).toEqual(expect.arrayContaining([orders.id, stock.id]));
  });
});

describe('an address that several organizations wrote down (security S390)', () => {
  const contested = 'https://contested.test/api';

  async function written(organization: World, name: string, resourceUri: string): Promise<string> {
    const by = await aServiceUser(organization, 'ORG_OWNER');
    const response = await by.call('POST', 'projects', { name, resourceUri });
    expect(response.statusCode, response.body).toBe(200);
    return response.json<{ id: string }>().id;
  }

  async function granted(from: World, projectId: string): Promise<void> {
    const by = await aServiceUser(from, 'ORG_OWNER');
    const response = await by.call('POST', `projects/${projectId}/grants`, { grantedOrgId: world.orgId });
    expect(response.statusCode, response.body).toBe(200);
  }

  async function meant(resource: string): Promise<string[]> {
    const answer = (await tokens(redemption(await codeFor(resource)))).json<Answer>();
    return audienceOf(answer.access_token);
  }

  it('means their own project to each, also where the other granted theirs', async () => {
    const squatter = await anOrganization(api);
    const theirs = await written(squatter, 'Squatted', contested);
    await granted(squatter, theirs);
    expect(await meant(contested)).toContain(theirs);
    const { id: own } = await aProject('Contested', contested);
    const audience = await meant(contested);
    expect(audience).toContain(own);
    expect(audience).not.toContain(theirs);
    const code = await codeFor(contested);
    const narrowed = (await tokens(redemption(code), [contested])).json<Answer>();
    expect(audienceOf(narrowed.access_token)).toEqual([own]);
    const again = await owner.call('POST', 'projects', { name: 'Contested too', resourceUri: contested });
    expect(again.statusCode).toBe(409);
    // switched off, it still is whom the address means
    expect((await owner.call('POST', `projects/${own}/_deactivate`, {})).statusCode).toBe(200);
    const browser = await aSignedInBrowser(api, client, user);
    expectRedirectedError(await browser.get(request(contested)), 'invalid_target');
  });

  it('means, of those that were granted, the one of whoever has verified its domain, then the oldest', async () => {
    const uri = 'https://api.proven.test:8443/v1';
    const [first, second, proven] = [
      await anOrganization(api),
      await anOrganization(api),
      await anOrganization(api),
    ];
    const ids: string[] = [];
    for (const organization of [first, second, proven]) {
      const id = await written(organization, 'Asked for', uri);
      await granted(organization, id);
      ids.push(id);
    }
    const [oldest = '', younger = '', best = ''] = ids;
    const before = await meant(uri);
    expect(before).toContain(oldest);
    expect(before).not.toContain(younger);
    await api.sql.query(
      `INSERT INTO organization_domains (org_id, domain, is_verified, is_primary) VALUES ($1, 'proven.test', true, false)`,
      [proven.orgId],
    );
    const after = await meant(uri);
    expect(after).toContain(best);
    expect(after).not.toContain(oldest);
  });
});

describe('at the token endpoint', () => {
  it('an access token is for the part that is named, and the ID token for its client as ever', async () => {
    const code = await codeFor('https://orders.test/api', 'https://stock.test');
    const answer = (await tokens(redemption(code), ['https://orders.test/api'])).json<Answer>();
    expect(audienceOf(answer.access_token)).toEqual([orders.id]);
    expect(audienceOf(answer.id_token)).toContain(client.clientId);
    const other = (await tokens(refreshRequest(answer.refresh_token), ['https://stock.test'])).json<Answer>();
    expect(audienceOf(other.access_token)).toEqual([stock.id]);
    const whole = (await tokens(refreshRequest(other.refresh_token))).json<Answer>();
    expect(audienceOf(whole.access_token)).toEqual(expect.arrayContaining([orders.id, stock.id]));
  });

  it('more than was granted is invalid_target, and a refresh token is not used up by that', async () => {
    const code = await codeFor('https://orders.test/api');
    for (const beyond of ['https://nobody.test', 'https://stock.test']) {
      expectOAuthError(await tokens(redemption(code), [beyond]), 400, 'invalid_target');
    }
    const answer = (await tokens(redemption(code))).json<Answer>();
    const refresh = refreshRequest(answer.refresh_token);
    for (const resource of ['https://stock.test', 'https://nobody.test']) {
      expectOAuthError(await tokens(refresh, [resource]), 400, 'invalid_target');
    }
    await api.advance(60);
    expect((await tokens(refresh)).statusCode).toBe(200);
  });

  it('an opaque token is for that part as well, which introspection tells', async () => {
    const opaque = await anApplication(world, { grantTypes: ['authorization_code', 'refresh_token'] });
    const browser = await aSignedInBrowser(api, opaque, user);
    const wanted = { ...codeRequest(opaque), resource: 'https://orders.test/api' };
    const code = redirected(await browser.get(authorizeUrl(wanted))).get('code') ?? '';
    const answer = (await tokens(redemption(code), ['https://orders.test/api'], opaque)).json<Answer>();
    const own = await postForm(api, '/oauth/v2/introspect', { token: answer.access_token }, basic(opaque));
    expect(own.json()).toEqual({ active: false });
    const reader = await anApplication(new World(api, world.orgId, world.domain, orders.id as ProjectId));
    const theirs = await postForm(api, '/oauth/v2/introspect', { token: answer.access_token }, basic(reader));
    expect(theirs.json()).toMatchObject({ active: true });
  });
});

describe('at token exchange', () => {
  it('a resource is an audience by its address', async () => {
    const code = await codeFor('https://orders.test/api', 'https://stock.test');
    const { access_token: token } = (await tokens(redemption(code))).json<Answer>();
    const exchange = {
      grant_type: EXCHANGE,
      subject_token: token,
      subject_token_type: TYPES.access,
      requested_token_type: TYPES.jwt,
    };
    const part = (await tokens(exchange, ['https://stock.test'])).json<Answer>();
    expect(audienceOf(part.access_token)).toContain(stock.id);
    expect(audienceOf(part.access_token)).not.toContain(orders.id);
    const narrow = { ...exchange, subject_token: part.access_token };
    expectOAuthError(await tokens(narrow, ['https://orders.test/api']), 400, 'invalid_target');
    expectOAuthError(await tokens(exchange, ['https://nobody.test']), 400, 'invalid_target');
  });
});

describe('the address of a project', () => {
  it('is read, replaced, and of one project of its organization alone', async () => {
    const read = async () =>
      (await owner.call('GET', `projects/${stock.id}`)).json<{ project: object }>().project;
    expect(await read()).toMatchObject({ resourceUri: 'https://stock.test' });
    const taken = await owner.call('POST', 'projects', { name: 'Mine', resourceUri: 'https://stock.test/' });
    expect(taken.statusCode).toBe(409);
    for (const resourceUri of [
      'stock',
      'https://a b',
      'https://x.test/#y',
      `https://x.test/${'y'.repeat(500)}`,
    ]) {
      expect((await owner.call('POST', 'projects', { name: 'Bad', resourceUri })).statusCode).toBe(400);
    }
    const { id } = await aProject('Passing', 'urn:example:passing');
    await owner.call('PUT', `projects/${id}`, { name: 'Passing' });
    const without = (await owner.call('GET', `projects/${id}`)).json<{ project: object }>().project;
    expect(without).not.toHaveProperty('resourceUri');
  });
});

describe('an instance where resources are off', () => {
  it('ignores them, and refuses them at token exchange as it did', async () => {
    const browser = await aSignedInBrowser(off, client, user);
    const answered = await browser.get(request('https://nobody.test'));
    const code = redirected(answered).get('code') ?? '';
    const form = { ...redemption(code), resource: 'https://nobody.test' };
    const answer = (await requestToken(off, form, basic(client))).json<Answer>();
    expect(audienceOf(answer.access_token)).toContain(world.projectId);
    const exchange = {
      grant_type: EXCHANGE,
      subject_token: answer.access_token,
      subject_token_type: TYPES.access,
      resource: 'https://orders.test/api',
    };
    const refused = await requestToken(off, exchange, basic(client));
    expect(expectOAuthError(refused, 400, 'invalid_target')).toBe('resource parameter not supported');
    expectRedirectedError(await browser.get(request('https://a.test', 'https://b.test')), 'invalid_request');
  });
});

describe('where projects are named by scope alone', () => {
  const RESOURCE = { resource: 'https://orders.test/api' };
  const television = given(() =>
    anApplication(world, {
      authMethod: 'none',
      grantTypes: ['urn:ietf:params:oauth:grant-type:device_code'],
      redirectUris: [],
    }),
  );

  it('is refused rather than passed over, by a device and by a service user (S489)', async () => {
    const device = { client_id: television.clientId, scope: 'openid', ...RESOURCE };
    expectOAuthError(await postForm(api, '/oauth/v2/device_authorization', device), 400, 'invalid_target');
    const robot = await aRobot(world);
    expectOAuthError(await bySecret(api, robot, RESOURCE), 400, 'invalid_target');
    expectOAuthError(await byAssertion(api, await assertionOf(robot), RESOURCE), 400, 'invalid_target');
    // not served, it means nothing
    expect((await postForm(off, '/oauth/v2/device_authorization', device)).statusCode).toBe(200);
    expect((await bySecret(off, robot, RESOURCE)).statusCode).toBe(200);
  });
});
