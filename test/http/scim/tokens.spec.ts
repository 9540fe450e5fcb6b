import { describe, expect, it } from 'vitest';
import { call, errorBody } from '../../support/calls.js';
import { eventsOf } from '../../support/events.js';
import { given } from '../../support/given.js';
import { aDirectory, scim } from '../../support/scim.js';
import { aServiceUser } from '../../support/service-users.js';
import { anOrganization, useWorld } from '../../support/world.js';

// Tokens of directories, by /management/v1, and what SCIM tells of itself.

const { api, world } = useWorld({ RATE_LIMIT_API: '40' });
const other = given(() => anOrganization(api));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

describe('/management/v1/orgs/me/scim_tokens', () => {
  it('makes one that is shown once, lists and finds it without itself, and ends it', async () => {
    const expirationDate = '2100-01-31T12:00:00Z';
    const body = { name: 'Entra ID', projectId: world.projectId, trustsEmails: true, expirationDate };
    const added = (await owner.call('POST', 'orgs/me/scim_tokens', body)).json<{
      tokenId: string;
      token: string;
    }>();
    expect(added.token).toMatch(/^scim_[\w-]{43}$/);
    const read = await owner.call('GET', `orgs/me/scim_tokens/${added.tokenId}`);
    expect(read.json()).toMatchObject({
      scimToken: {
        id: added.tokenId,
        name: 'Entra ID',
        projectId: world.projectId,
        trustsEmails: true,
        expirationDate: '2100-01-31T12:00:00.000Z',
      },
    });
    expect(read.body).not.toContain(added.token);
    expect(read.json().scimToken).not.toHaveProperty('lastUsed');
    expect((await scim(api, 'GET', `${world.orgId}/Users`, added.token)).statusCode).toBe(200);
    const list = await owner.call('GET', 'orgs/me/scim_tokens');
    expect(list.json()).toMatchObject({ result: [{ id: added.tokenId, lastUsed: expect.any(String) }] });
    expect(list.body).not.toContain(added.token);
    const { rows } = await api.sql.query<{ row: string }>(`SELECT t::text AS row FROM scim_tokens t`);
    expect(rows[0]?.row).not.toContain(added.token.slice(5));
    expect((await owner.call('DELETE', `orgs/me/scim_tokens/${added.tokenId}`)).statusCode).toBe(200);
    expect((await owner.call('DELETE', `orgs/me/scim_tokens/${added.tokenId}`)).statusCode).toBe(404);
    expect((await owner.call('GET', 'orgs/me/scim_tokens')).json()).toMatchObject({ result: [] });
    const events = await eventsOf(api, added.tokenId, 'type', 'actor_id');
    expect(events).toEqual([
      { type: 'scim_token.added', actor_id: owner.userId },
      { type: 'scim_token.removed', actor_id: owner.userId },
    ]);
  });

  it('refuses an end that is past, and a project of another organization', async () => {
    const past = { name: 'Past', expirationDate: '2001-01-31T12:00:00Z' };
    expect((await owner.call('POST', 'orgs/me/scim_tokens', past)).statusCode).toBe(400);
    const foreign = { name: 'Foreign', projectId: other.projectId };
    expect((await owner.call('POST', 'orgs/me/scim_tokens', foreign)).statusCode).toBe(404);
  });

  it('lets an organization have five', async () => {
    const busy = await anOrganization(api);
    const theirs = await aServiceUser(busy, 'ORG_OWNER');
    for (let index = 0; index < 5; index += 1) await aDirectory(busy);
    const response = await theirs.call('POST', 'orgs/me/scim_tokens', { name: 'Sixth' });
    expect(response.json()).toEqual(
      errorBody(9, 'An organization can have 5 SCIM tokens: remove one first', 'LIMITS-6Mo2w'),
    );
  });

  it('is for owners: whoever manages users makes none', async () => {
    const manager = await aServiceUser(world, 'ORG_USER_MANAGER');
    expect((await manager.call('POST', 'orgs/me/scim_tokens', { name: 'Mine' })).statusCode).toBe(403);
    expect((await call(api, 'GET', 'orgs/me/scim_tokens', {})).statusCode).toBe(401);
  });
});

describe('a project that goes', () => {
  it('leaves the token without groups, and users as they are', async () => {
    const { projectId } = await anOrganization(api);
    expect(projectId).toEqual(expect.any(String));
    const gone = await anOrganization(api);
    const directory = await aDirectory(gone);
    const theirs = await aServiceUser(gone, 'ORG_OWNER');
    expect((await theirs.call('DELETE', `projects/${gone.projectId}`)).statusCode).toBe(200);
    expect((await directory.call('GET', 'Groups')).json()).toMatchObject({ totalResults: 0 });
    expect((await directory.call('GET', 'Users')).statusCode).toBe(200);
  });
});

describe('what SCIM tells of itself', () => {
  it('is a provider, two types and two schemas, each by itself, too', async () => {
    const directory = await aDirectory(other);
    const provider = (await directory.call('GET', 'ServiceProviderConfig')).json<object>();
    expect(provider).toMatchObject({
      patch: { supported: true },
      bulk: { supported: true },
      filter: { supported: true, maxResults: 200 },
      etag: { supported: true },
      sort: { supported: false },
      authenticationSchemes: [{ type: 'oauthbearertoken' }],
    });
    for (const path of ['ResourceTypes', 'Schemas']) {
      const list = (await directory.call('GET', path)).json<{
        totalResults: number;
        Resources: { id: string }[];
      }>();
      expect(list.totalResults).toBe(2);
      for (const one of list.Resources) {
        expect((await directory.call('GET', `${path}/${one.id}`)).json()).toEqual(one);
      }
      expect((await directory.call('GET', `${path}/nothing`)).statusCode).toBe(404);
      expect((await directory.call('GET', `${path}?filter=id%20pr`)).statusCode).toBe(403);
    }
  });

  it('is told to who has a token alone', async () => {
    for (const path of ['ServiceProviderConfig', 'Schemas', 'ResourceTypes']) {
      expect((await scim(api, 'GET', `${other.orgId}/${path}`, undefined)).statusCode).toBe(401);
    }
  });
});

describe('too many calls', () => {
  it('of one token are told to wait, also those within a bulk request', async () => {
    const directory = await aDirectory(await anOrganization(api));
    const many = Array.from({ length: 50 }, () => ({ method: 'DELETE', path: '/Users/nobodys' }));
    const bulk = await directory.call('POST', 'Bulk', { Operations: many });
    const statuses = bulk.json<{ Operations: { status: string }[] }>().Operations.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set(['404', '429']));
    const response = await directory.call('GET', 'Users');
    expect(response.statusCode).toBe(429);
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    expect(response.json()).toMatchObject({ status: '429' });
  });
});
