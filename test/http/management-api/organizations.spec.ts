import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { TxtRecords } from '../../../src/domain/organizations/txt-records.js';
import { useApi, useReplica } from '../../support/api.js';
import { anApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  obtainTokens,
  redirected,
  refreshTokens,
  TestBrowser,
  userinfo,
} from '../../support/browser-flow.js';
import { call, errorBody, type Method } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, type World } from '../../support/world.js';

let world: World;
let owner: ServiceUser;
/** What the domain name system says: name → records. */
const published = new Map<string, string[]>();

const api = useApi();
const replica = useReplica(api);
beforeAll(async () => {
  for (const { app } of [api, replica]) {
    vi.spyOn(app.get(TxtRecords), 'find').mockImplementation((name) =>
      Promise.resolve(published.get(name) ?? []),
    );
  }
});
const home = given(() => anOrganization(api));
const root = given(() => aServiceUser(home, 'IAM_OWNER'));

beforeEach(async () => {
  world = await anOrganization(api);
  owner = await aServiceUser(world, 'ORG_OWNER');
});

const asRoot = (method: Method, path: string, body?: unknown, orgId = home.orgId) =>
  root.call(method, path, body, { headers: { 'x-zitadel-orgid': orgId } });

const details = (sequence: string) => ({
  sequence,
  changeDate: expect.stringMatching(/Z$/) as string,
  resourceOwner: world.orgId,
});

let counter = 0;
const freshDomain = () => `d${(counter += 1)}.example`;

describe('organizations', () => {
  it('are made by whoever runs the instance, with a domain of their own', async () => {
    const domain = freshDomain();
    const made = await asRoot('POST', 'orgs', { name: 'Acme', domain: domain.toUpperCase() });
    const { id } = made.json<{ id: string }>();
    expect(made.json()).toEqual({
      id,
      details: { sequence: '1', creationDate: expect.any(String) as string, resourceOwner: id },
    });
    expect((await asRoot('GET', 'orgs/me', undefined, id as World['orgId'])).json()).toMatchObject({
      org: { id, name: 'Acme', state: 'ORG_STATE_ACTIVE', primaryDomain: domain },
    });
    const again = await asRoot('POST', '/admin/v1/orgs', { name: 'Other', domain });
    expect(again.statusCode).toBe(409);
    const plain = await asRoot('POST', '/admin/v1/orgs', { name: 'Søme Thing & Co.' });
    const listed = await asRoot('POST', '/admin/v1/orgs/_search', {
      queries: [{ nameQuery: { name: 'Søme', method: 'TEXT_QUERY_METHOD_STARTS_WITH' } }],
    });
    expect(listed.json()).toMatchObject({
      details: { totalResult: '1' },
      result: [{ id: plain.json<{ id: string }>().id, primaryDomain: 's-me-thing-co.id.test' }],
    });
    for (const body of [
      { name: '日本' },
      { name: 'X', domain: 'localhost' },
      { name: 'X', domain: '10.0.0.1' },
    ]) {
      expect((await asRoot('POST', 'orgs', body)).statusCode).toBe(400);
    }
  });

  it('are renamed', async () => {
    expect((await owner.call('PUT', 'orgs/me', { name: 'New name' })).json()).toEqual({
      details: details('2'),
    });
    expect((await owner.call('GET', 'orgs/me')).json()).toMatchObject({ org: { name: 'New name' } });
  });

  it.each(['_deactivate', 'removal'])('end everything of theirs by %s, on every replica', async (how) => {
    const client = await anApplication(world);
    const user = await aUser(world);
    const browser = new TestBrowser(api);
    const tokens = await obtainTokens(api, client, user, {}, browser);
    // an application of another organization, and a user of it
    const elsewhere = await anApplication(home);
    const outside = await obtainTokens(api, elsewhere, user);
    const done =
      how === 'removal'
        ? await asRoot('DELETE', 'orgs/me', undefined, world.orgId)
        : await asRoot('POST', 'orgs/me/_deactivate', {}, world.orgId);
    expect(done.json()).toEqual({ details: details('2') });
    for (const { access_token: token } of [tokens, outside]) {
      expect((await userinfo(replica, token)).statusCode).toBe(401);
    }
    expect((await refreshTokens(replica, elsewhere, outside)).statusCode).toBe(400);
    expect((await new TestBrowser(replica).get(authorizeUrl(codeRequest(client)))).statusCode).toBe(400);
    const silent = await browser.get(authorizeUrl(codeRequest(elsewhere, { prompt: 'none' })));
    expect(redirected(silent).get('error')).toBe('login_required');
    const signIn = await new TestBrowser(replica).signIn(codeRequest(elsewhere), user);
    expect(signIn.headers.location ?? '').not.toContain('code=');
    expect((await owner.call('GET', 'orgs/me')).statusCode).toBe(401);
    const listed = await asRoot('GET', 'orgs/me', undefined, world.orgId);
    if (how === 'removal') {
      expect(listed.statusCode).toBe(403);
      expect((await asRoot('POST', 'orgs/me/_reactivate', {}, world.orgId)).statusCode).toBe(403);
      expect(
        (await asRoot('POST', '/admin/v1/orgs', { name: 'Heir', domain: world.domain })).statusCode,
      ).toBe(200);
    } else {
      expect(listed.json()).toMatchObject({ org: { state: 'ORG_STATE_INACTIVE' } });
      expect((await asRoot('POST', 'orgs/me/_deactivate', {}, world.orgId)).statusCode).toBe(400);
      expect((await asRoot('POST', 'orgs/me/_reactivate', {}, world.orgId)).statusCode).toBe(200);
      expect((await asRoot('POST', 'orgs/me/_reactivate', {}, world.orgId)).statusCode).toBe(400);
      expect((await owner.call('GET', 'orgs/me')).statusCode).toBe(200);
    }
  });

  it('that run the instance stay', async () => {
    for (const response of [await asRoot('DELETE', 'orgs/me'), await asRoot('POST', 'orgs/me/_deactivate')]) {
      expect(response.statusCode).toBe(400);
      expect(response.json()).toMatchObject({ code: 9, details: [{ id: 'COMMAND-wdH2x' }] });
    }
  });
});

describe('domains of an organization', () => {
  const add = async (domain: string) =>
    (await owner.call('POST', 'orgs/me/domains', { domain })).json<Added>();
  interface Added {
    readonly dnsRecord: { readonly name: string; readonly value: string };
  }

  it('are proven by a TXT record', async () => {
    const domain = freshDomain();
    const { dnsRecord } = await add(domain);
    expect(dnsRecord).toEqual({
      name: `_service-challenge.${domain}`,
      value: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) as string,
    });
    const missing = await owner.call('POST', `orgs/me/domains/${domain}/_validate`);
    expect(missing.statusCode).toBe(400);
    published.set(dnsRecord.name, ['something else', `${dnsRecord.value}x`]);
    expect((await owner.call('POST', `orgs/me/domains/${domain}/_validate`)).statusCode).toBe(400);
    expect((await owner.call('POST', `orgs/me/domains/${domain}/_set_primary`)).json()).toEqual(
      errorBody(9, 'Domain is not verified', 'ORG-Ggd32'),
    );
    published.set(dnsRecord.name, ['v=spf1 -all', dnsRecord.value]);
    expect((await owner.call('POST', `orgs/me/domains/${domain}/_validate`)).json()).toEqual({
      details: details('2'),
    });
    const search = { query: { asc: true } };
    expect((await owner.call('POST', 'orgs/me/domains/_search', search)).json()).toMatchObject({
      result: [
        { domainName: world.domain, isVerified: true, isPrimary: true },
        { domainName: domain, isVerified: true },
      ],
    });
    expect((await owner.call('POST', `orgs/me/domains/${domain}/_validate`)).statusCode).toBe(400);
    expect((await owner.call('DELETE', `orgs/me/domains/${domain}`)).statusCode).toBe(200);
    expect((await owner.call('DELETE', `orgs/me/domains/${domain}`)).statusCode).toBe(404);
    expect((await owner.call('DELETE', `orgs/me/domains/${world.domain}`)).json()).toEqual(
      errorBody(9, 'The primary domain cannot be removed', 'ORG-Sjdi3'),
    );
  });

  it('need no proof of whoever runs the instance', async () => {
    const domain = freshDomain();
    const added = await asRoot('POST', 'orgs/me/domains', { domain }, world.orgId);
    expect(added.json()).not.toHaveProperty('dnsRecord');
    expect((await owner.call('POST', `orgs/me/domains/${domain}/_set_primary`)).statusCode).toBe(200);
  });

  it('are verified by one organization, also when two prove the same one at once', async () => {
    const domain = freshDomain();
    const other = await anOrganization(api);
    const rival = await aServiceUser(other, 'ORG_OWNER');
    const claims = [
      { at: api, pat: owner.pat },
      { at: replica, pat: rival.pat },
    ];
    for (const { at, pat } of claims) {
      const { dnsRecord } = (
        await call(at, 'POST', 'orgs/me/domains', { pat, body: { domain } })
      ).json<Added>();
      published.set(dnsRecord.name, [...(published.get(dnsRecord.name) ?? []), dnsRecord.value]);
    }
    const both = await Promise.all(
      claims.map(({ at, pat }) => call(at, 'POST', `orgs/me/domains/${domain}/_validate`, { pat })),
    );
    expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const third = await anOrganization(api);
    const late = await aServiceUser(third, 'ORG_OWNER');
    for (const { pat, orgId } of [
      { pat: late.pat, orgId: third.orgId },
      { pat: root.pat, orgId: third.orgId },
    ]) {
      const headers = { 'x-zitadel-orgid': orgId };
      expect(
        (await call(api, 'POST', 'orgs/me/domains', { pat, body: { domain }, headers })).statusCode,
      ).toBe(409);
    }
  });

  it('of another organization are not found', async () => {
    const other = await anOrganization(api);
    for (const [method, tail] of [
      ['DELETE', ''],
      ['POST', '/_validate'],
      ['POST', '/_set_primary'],
    ] as const) {
      const response = await owner.call(method, `orgs/me/domains/${other.domain}${tail}`);
      expect(response.statusCode).toBe(404);
    }
  });

  it('end login names, and names that end with the new one lose that', async () => {
    const domain = freshDomain();
    await asRoot('POST', 'orgs/me/domains', { domain }, world.orgId);
    const ada = await aUser(world, {
      userName: `Ada@${domain}`,
      email: { address: 'ada@mail.test', verified: true },
    });
    const bob = await aUser(world, { userName: 'bob' });
    expect((await owner.call('POST', `orgs/me/domains/${domain}/_set_primary`)).statusCode).toBe(200);
    const nameOf = async (id: string) =>
      (await owner.call('GET', `users/${id}`)).json<{ user: { preferredLoginName: string } }>().user
        .preferredLoginName;
    expect(await nameOf(ada.userId)).toBe(`Ada@${domain}`);
    expect(await nameOf(bob.userId)).toBe(`bob@${domain}`);
    const client = await anApplication(world);
    for (const user of [ada, bob]) {
      const loginName = `${user === ada ? 'ada' : 'bob'}@${domain}`;
      const answered = await new TestBrowser(api).signIn(codeRequest(client), { ...user, loginName });
      expect(answered.headers.location).toBeDefined();
      expect(
        (await userinfo(api, (await obtainTokens(api, client, { ...user, loginName })).access_token)).json(),
      ).toMatchObject({
        sub: user.userId,
      });
    }
    expect((await owner.call('POST', `orgs/me/domains/${domain}/_set_primary`)).statusCode).toBe(400);
  });

  it('do not become primary where two users would have one name', async () => {
    const domain = freshDomain();
    await asRoot('POST', 'orgs/me/domains', { domain }, world.orgId);
    await aUser(world, { userName: `eve@${domain}`, email: { address: 'e@mail.test', verified: false } });
    await aUser(world, { userName: 'eve' });
    expect((await owner.call('POST', `orgs/me/domains/${domain}/_set_primary`)).statusCode).toBe(409);
    expect((await owner.call('GET', 'orgs/me')).json()).toMatchObject({
      org: { primaryDomain: world.domain },
    });
  });
});
