// SQL by hand: passwords go away by nothing that a test could call, and passkeys need a browser
import { beforeEach, describe, expect, it } from 'vitest';
import { errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

// Something is left that lets the user in as things are now, not just a row that says who they are somewhere.

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const root = given(() => aServiceUser(world, 'IAM_OWNER'));

const LAST = errorBody(
  9,
  'The last way to sign in cannot be removed: add a password or a passkey first',
  'IDP-Lw4in',
);

async function aProvider(path: 'idps' | '/admin/v1/idps', name: string, isActive = true): Promise<string> {
  const body = {
    kind: 'oidc',
    name,
    clientId: 'here',
    clientSecret: 'a secret that nobody asks for',
    issuer: `https://${name.toLowerCase()}.example.com`,
  };
  const added = await root.call('POST', path, body);
  const { id } = added.json<{ id: string }>();
  if (isActive) await root.call('POST', `${path}/${id}/_activate`);
  return id;
}

/** By the provider; of somebody who was there before it lost its say, too. */
async function anIdentity({ orgId, userId }: TestUser, providerId: string): Promise<string> {
  const { rows } = await api.sql.query<{ id: string }>(
    `INSERT INTO user_identities (provider_id, subject, org_id, user_id) VALUES ($1, $2, $3, $4) RETURNING id`,
    [providerId, `${userId} there`, orgId, userId],
  );
  return rows[0]?.id ?? '';
}

const withoutPassword = async ({ userId }: TestUser) =>
  await api.sql.query('DELETE FROM user_passwords WHERE user_id = $1', [userId]);

const remove = async ({ userId }: TestUser, id: string) =>
  await owner.call('DELETE', `users/${userId}/idps/${id}`);

async function countOf(table: 'user_identities' | 'passkeys', { userId }: TestUser): Promise<number> {
  const { rows } = await api.sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${table} WHERE user_id = $1`,
    [userId],
  );
  return rows[0]?.count ?? 0;
}

describe('the last identity that signs somebody in stays (S495)', () => {
  let user: TestUser;
  let here: string;
  let identity: string;
  beforeEach(async () => {
    await api.sql.query('DELETE FROM identity_providers');
    await root.call('DELETE', 'policies/login');
    user = await aUser(world);
    here = await aProvider('idps', 'Here');
    identity = await anIdentity(user, here);
    await withoutPassword(user);
  });

  /** What is there besides it does not count until `serve` has run. */
  async function expectCountsOnce(serve: () => Promise<unknown>): Promise<void> {
    const refused = await remove(user, identity);
    expect(refused.json()).toEqual(LAST);
    expect(await countOf('user_identities', user)).toBe(2);
    await serve();
    expect((await remove(user, identity)).statusCode).toBe(200);
  }

  it('while the provider of another one is not active', async () => {
    const other = await aProvider('idps', 'Never', false);
    await anIdentity(user, other);
    await expectCountsOnce(async () => await root.call('POST', `idps/${other}/_activate`));
  });

  it("while the provider of another one is the instance's and the organization does not name it", async () => {
    const other = await aProvider('/admin/v1/idps', 'Everybody');
    await anIdentity(user, other);
    await expectCountsOnce(async () => await root.call('PUT', 'policies/login', { instanceIdps: [other] }));
  });

  it('while the provider of another one has no say over whoever holds a role elsewhere', async () => {
    const elsewhere = await anOrganization(api);
    // by its own organization's provider alone: that of the instance signs in whoever holds a role anywhere
    const everybody = await aProvider('/admin/v1/idps', 'Everybody');
    await root.call('PUT', 'policies/login', { instanceIdps: [everybody] });
    const known = await anIdentity(user, everybody);
    await api.sql.query(
      `INSERT INTO memberships (org_id, user_org_id, user_id, role) VALUES ($1, $2, $3, 'ORG_OWNER_VIEWER')`,
      [elsewhere.orgId, world.orgId, user.userId],
    );
    const refused = await root.call('DELETE', `users/${user.userId}/idps/${known}`);
    expect(refused.json()).toEqual(LAST);
    // the other one lets nobody in: without it nothing is lost
    expect((await root.call('DELETE', `users/${user.userId}/idps/${identity}`)).statusCode).toBe(200);
  });

  it('until the organization lets nobody in by a provider: then no removal takes a way in', async () => {
    expect((await remove(user, identity)).json()).toEqual(LAST);
    // it was refused here, too, for a password that was not there before the removal either: nobody gained by that
    await root.call('PUT', 'policies/login', { allowExternalIdps: false });
    expect((await remove(user, identity)).statusCode).toBe(200);
    expect(await countOf('user_identities', user)).toBe(0);
  });

  it('until its provider is switched off: it lets nobody in, and may go from somebody who has nothing else', async () => {
    expect((await remove(user, identity)).json()).toEqual(LAST);
    await root.call('POST', `idps/${here}/_deactivate`);
    expect((await remove(user, identity)).statusCode).toBe(200);
  });

  it.each([
    ['ORG_OWNER', 'its provider is switched off', 'off'],
    ['ORG_OWNER', 'the policy lets nobody in by a provider', 'policy'],
    ['ORG_USER_MANAGER', 'its provider is switched off', 'off'],
  ] as const)(
    'of a user with %s while %s: an owner keeps what lets them in again (S508)',
    async (role, _while, by) => {
      await api.sql.query(
        'INSERT INTO memberships (org_id, user_org_id, user_id, role) VALUES ($1, $1, $2, $3)',
        [world.orgId, user.userId, role],
      );
      const owns = role === 'ORG_OWNER';
      if (by === 'off') await root.call('POST', `idps/${here}/_deactivate`);
      else await root.call('PUT', 'policies/login', { allowExternalIdps: false });
      const tried = await root.call('DELETE', `users/${user.userId}/idps/${identity}`);
      if (!owns) return expect(tried.statusCode, tried.body).toBe(200);
      expect(tried.json()).toEqual(LAST);
      // another one that would let them in is enough, and so is a password
      await anIdentity(user, await aProvider('idps', 'Off', false));
      expect((await root.call('DELETE', `users/${user.userId}/idps/${identity}`)).statusCode).toBe(200);
      return expect(await countOf('user_identities', user)).toBe(1);
    },
  );

  it('of an owner who has another one besides whose provider is switched off: that is no way in now (S508)', async () => {
    await api.sql.query(
      `INSERT INTO memberships (org_id, user_org_id, user_id, role) VALUES ($1, $1, $2, 'ORG_OWNER')`,
      [world.orgId, user.userId],
    );
    await anIdentity(user, await aProvider('idps', 'Off', false));
    // what is switched off is no way in now
    const tried = await root.call('DELETE', `users/${user.userId}/idps/${identity}`);
    expect(tried.json()).toEqual(LAST);
  });

  it('beside a passkey that does not sign in by itself, and not beside one that does', async () => {
    await api.sql.query(
      `INSERT INTO passkeys (org_id, user_id, credential_id, public_key, user_handle, name, passwordless)
       VALUES ($1, $2, convert_to($2, 'UTF8'), 'k', 'h', 'Key', false)`,
      [user.orgId, user.userId],
    );
    expect((await remove(user, identity)).json()).toEqual(LAST);
    await api.sql.query('UPDATE passkeys SET passwordless = true WHERE user_id = $1', [user.userId]);
    expect((await remove(user, identity)).statusCode).toBe(200);
  });

  it('of two that are removed at once, whichever is second', async () => {
    const second = await anIdentity(user, await aProvider('idps', 'Another'));
    const both = await Promise.all([remove(user, identity), remove(user, second)]);
    expect(both.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 400]);
    expect(await countOf('user_identities', user)).toBe(1);
  });
});
