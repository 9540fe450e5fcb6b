import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, it } from 'vitest';
import { useReplica } from '../../support/api.js';
import { anOwnApplication } from '../../support/applications.js';
import { Authenticator } from '../../support/authenticator.js';
import { obtainTokens, TestBrowser, userinfo } from '../../support/browser-flow.js';
import { call, errorBody, type Method } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { aServiceUser } from '../../support/service-users.js';
import { aUser, type TestUser } from '../../support/users.js';
import { useWorld } from '../../support/world.js';

const { api, world } = useWorld();
const replica = useReplica(api);
const client = given(() => anOwnApplication(world));
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));

const HOME = { origin: 'https://id.test', rpId: 'id.test' };
const NOT_GOOD = errorBody(3, 'The passkey was not accepted: start again', 'COMMAND-Pk4b8');
const AUDIENCE = 'openid urn:zitadel:iam:org:project:id:zitadel:aud';

interface Options {
  readonly publicKey: {
    readonly challenge: string;
    readonly user: { readonly id: string };
    readonly excludeCredentials: readonly { readonly id: string }[];
    readonly authenticatorSelection: object;
  };
}

async function signedIn(user: TestUser, browser = new TestBrowser(api)) {
  const { access_token: pat } = await obtainTokens(api, client, user, { scope: AUDIENCE }, browser);
  const me = (method: Method, path = '', body?: unknown, at = api): Promise<LightMyRequestResponse> =>
    call(at, method, `/auth/v1/users/me/passkeys${path}`, { pat, body });
  const begin = async (body?: object) => (await me('POST', '/_begin', body)).json<Options>().publicKey;
  return { me, begin, pat };
}
type SignedIn = Awaited<ReturnType<typeof signedIn>>;

async function aPasskey({ me, begin }: SignedIn, name = 'Key'): Promise<{ id: string; key: Authenticator }> {
  const key = new Authenticator(HOME);
  const credential = key.register(await begin());
  const { id } = (await me('POST', '/_finish', { name, credential })).json<{ id: string }>();
  return { id, key };
}

async function rowsOf(user: TestUser) {
  const { rows } = await api.sql.query(
    `SELECT (SELECT count(*)::int FROM passkeys WHERE user_id = $1) AS passkeys,
       (SELECT array_agg(template ORDER BY created_at) FROM notifications WHERE user_id = $1) AS mails,
       (SELECT array_agg(type ORDER BY position) FROM events
        WHERE aggregate_id = $1 AND type LIKE 'user.human.passkey.%') AS events`,
    [user.userId],
  );
  return rows[0] as object;
}

describe('the own passkeys', () => {
  it('are added, listed, named and removed, each told by mail and in the log', async () => {
    const user = await aUser(world);
    const mine = await signedIn(user);
    const options = await mine.begin({ passwordless: true });
    expect(options).toMatchObject({
      rp: { id: 'id.test' },
      user: { name: user.loginName },
      attestation: 'none',
      excludeCredentials: [],
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
    });
    // the handle is shown to whoever holds the device: it says nothing of the user
    expect(Buffer.from(options.user.id, 'base64url')).toHaveLength(32);
    expect(Buffer.from(options.user.id, 'base64url').toString('latin1')).not.toContain(user.userId);
    const key = new Authenticator(HOME);
    const added = await mine.me('POST', '/_finish', {
      name: 'Work laptop',
      passwordless: true,
      credential: key.register(options),
    });
    expect(added.statusCode).toBe(200);
    const { id } = added.json<{ id: string }>();

    const second = await mine.begin();
    expect(second.excludeCredentials).toEqual([
      { type: 'public-key', id: key.id, transports: ['hybrid', 'internal'] },
    ]);
    expect(second.user.id).toBe(options.user.id);
    const other = new Authenticator(HOME);
    const touched = other.register(second, { verified: false, rk: false });
    expect((await mine.me('POST', '/_finish', { credential: touched })).statusCode).toBe(200);

    const { result } = (await mine.me('GET')).json<{ result: object[] }>();
    expect(result).toEqual([
      {
        id,
        name: 'Work laptop',
        passwordless: true,
        backupEligible: true,
        backedUp: true,
        details: {
          sequence: '1',
          creationDate: expect.any(String) as string,
          changeDate: expect.any(String) as string,
          resourceOwner: world.orgId,
        },
      },
      expect.objectContaining({ name: 'Passkey', passwordless: false }),
    ]);
    expect((await mine.me('PUT', `/${id}`, { name: 'Old laptop' })).json()).toMatchObject({
      details: { sequence: '2' },
    });
    expect((await mine.me('PUT', `/${id}`, { name: ' ' })).statusCode).toBe(400);
    expect((await mine.me('DELETE', `/${id}`)).statusCode).toBe(200);
    expect((await mine.me('DELETE', `/${id}`)).json()).toEqual(
      errorBody(5, 'Passkey could not be found', 'QUERY-Pk7f2'),
    );
    expect(await rowsOf(user)).toEqual({
      passkeys: 1,
      mails: ['passkey_added', 'passkey_added', 'passkey_removed'],
      events: ['added', 'added', 'renamed', 'removed'].map((what) => `user.human.passkey.${what}`),
    });
    // the own sessions go on
    expect((await userinfo(api, mine.pat)).statusCode).toBe(200);
  });

  it('need a fresh sign-in to be added or removed', async () => {
    const mine = await signedIn(await aUser(world));
    const { id } = await aPasskey(mine);
    await api.advance(601);
    for (const [method, path, body] of [
      ['POST', '/_begin', {}],
      ['POST', '/_finish', { credential: {} }],
      ['DELETE', `/${id}`, undefined],
    ] as const) {
      const response = await mine.me(method, path, body);
      expect(response.statusCode).toBe(401);
      expect(response.headers['www-authenticate']).toContain('insufficient_user_authentication');
    }
  });

  it("are nobody else's: not to be seen, named or removed", async () => {
    const mine = await signedIn(await aUser(world));
    const theirs = await signedIn(await aUser(world));
    const { id } = await aPasskey(theirs);
    expect((await mine.me('GET')).json()).toEqual({ result: [] });
    expect((await mine.me('PUT', `/${id}`, { name: 'Mine' })).statusCode).toBe(404);
    expect((await mine.me('DELETE', `/${id}`)).statusCode).toBe(404);
    expect((await theirs.me('GET')).json<{ result: object[] }>().result).toHaveLength(1);
  });

  it('stay where nothing else would be left to sign in with; a manager takes the last one (S350)', async () => {
    const user = await aUser(world);
    const mine = await signedIn(user);
    const { id } = await aPasskey(mine);
    await api.sql.query('DELETE FROM user_passwords WHERE user_id = $1', [user.userId]);
    expect((await mine.me('DELETE', `/${id}`)).json()).toEqual(
      errorBody(
        9,
        'The last way to sign in cannot be removed: add a password or a passkey first',
        'IDP-Lw4in',
      ),
    );
    // an identity where nobody may sign in is no way in (S495)
    const provider = {
      kind: 'oidc',
      name: 'Off',
      clientId: 'here',
      clientSecret: 'one',
      issuer: 'https://idp.example.com',
    };
    const { id: idpId } = (await owner.call('POST', 'idps', provider)).json<{ id: string }>();
    await owner.call('POST', `users/${user.userId}/idps`, { idpId, externalUserId: 'mine' });
    expect((await mine.me('DELETE', `/${id}`)).statusCode).toBe(400);
    expect(await rowsOf(user)).toMatchObject({ passkeys: 1 });
    expect((await owner.call('DELETE', `users/${user.userId}/passkeys/${id}`)).statusCode).toBe(200);
    expect(await rowsOf(user)).toMatchObject({ passkeys: 0 });
  });

  it('of which none signs in by itself go from somebody who can no longer sign in at all', async () => {
    const user = await aUser(world);
    const mine = await signedIn(user);
    const { id } = await aPasskey(mine);
    await api.sql.query('UPDATE passkeys SET passwordless = false WHERE user_id = $1', [user.userId]);
    await api.sql.query('DELETE FROM user_passwords WHERE user_id = $1', [user.userId]);
    expect((await mine.me('DELETE', `/${id}`)).statusCode).toBe(200);
  });

  it('are at most fifty', async () => {
    const user = await aUser(world);
    const mine = await signedIn(user);
    await aPasskey(mine);
    await api.sql.query(
      `INSERT INTO passkeys (org_id, user_id, credential_id, public_key, user_handle, name)
       SELECT org_id, user_id, convert_to($1 || n, 'UTF8'), public_key, user_handle, 'Copy'
       FROM passkeys, generate_series(1, 49) AS n WHERE user_id = $1`,
      [user.userId],
    );
    const credential = new Authenticator(HOME).register(await mine.begin());
    expect((await mine.me('POST', '/_finish', { credential })).json()).toEqual(
      errorBody(9, 'A user can have 50 passkeys: remove one first', 'LIMITS-6Mo2w'),
    );
  });
});

describe('a registration', () => {
  it('is good once, also at the same time on two replicas', async () => {
    const user = await aUser(world);
    const mine = await signedIn(user);
    const key = new Authenticator(HOME);
    const credential = key.register(await mine.begin());
    const both = await Promise.all([
      mine.me('POST', '/_finish', { credential }),
      mine.me('POST', '/_finish', { credential }, replica),
    ]);
    expect(both.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 400]);
    expect((await mine.me('POST', '/_finish', { credential })).json()).toEqual(NOT_GOOD);
    // the same credential again, by a challenge of its own
    const again = key.register(await mine.begin());
    expect((await mine.me('POST', '/_finish', { credential: again })).statusCode).toBe(409);
    expect(await rowsOf(user)).toMatchObject({ passkeys: 1, mails: ['passkey_added'] });
  });

  it('takes no credential that somebody else has', async () => {
    const { key } = await aPasskey(await signedIn(await aUser(world)));
    const mine = await signedIn(await aUser(world));
    const stolen = key.register(await mine.begin());
    expect((await mine.me('POST', '/_finish', { credential: stolen })).statusCode).toBe(409);
  });

  it('is refused for another user, another session, another page, without its user, and late', async () => {
    const user = await aUser(world);
    const mine = await signedIn(user);
    const elsewhere = await signedIn(user);
    const other = await signedIn(await aUser(world));
    const attack = async (
      changes: Parameters<Authenticator['register']>[1],
      by: SignedIn = mine,
      body: object = {},
    ) => {
      const credential = new Authenticator(HOME).register(await mine.begin(body), changes);
      return (await by.me('POST', '/_finish', { ...body, credential })).json<object>();
    };
    expect(await attack({}, other)).toEqual(NOT_GOOD);
    expect(await attack({}, elsewhere)).toEqual(NOT_GOOD);
    expect(await attack({ origin: 'https://id.test.evil.test' })).toEqual(NOT_GOOD);
    expect(await attack({ origin: 'http://id.test' })).toEqual(NOT_GOOD);
    expect(await attack({ rpId: 'evil.test' })).toEqual(NOT_GOOD);
    expect(await attack({ challenge: 'AAAA' })).toEqual(NOT_GOOD);
    expect(await attack({ type: 'webauthn.get' })).toEqual(NOT_GOOD);
    expect(await attack({ present: false })).toEqual(NOT_GOOD);
    expect(await attack({ verified: false }, mine, { passwordless: true })).toEqual(NOT_GOOD);
    const late = new Authenticator(HOME).register(await mine.begin());
    await api.advance(301);
    expect((await mine.me('POST', '/_finish', { credential: late })).json()).toEqual(NOT_GOOD);
    expect(await rowsOf(user)).toMatchObject({ passkeys: 0 });
  });

  it('follows no certificate: nobody was asked for one', async () => {
    const mine = await signedIn(await aUser(world));
    const certificate = new Map([['x5c', [new Uint8Array([48, 0])]]]);
    for (const [format, statement] of [
      ['packed', new Map<string, unknown>([...certificate, ['alg', -7], ['sig', new Uint8Array(8)]])],
      ['fido-u2f', new Map<string, unknown>([...certificate, ['sig', new Uint8Array(8)]])],
      ['tpm', new Map<string, unknown>(certificate)],
    ] as const) {
      const credential = new Authenticator(HOME).register(await mine.begin(), { format, statement });
      expect((await mine.me('POST', '/_finish', { credential })).json()).toEqual(NOT_GOOD);
    }
  });
});

describe('the passkeys of a user of the organization', () => {
  it('are listed and removed by a manager, which signs the user out', async () => {
    const user = await aUser(world);
    const mine = await signedIn(user);
    const { id } = await aPasskey(mine, 'Lost phone');
    const path = `users/${user.userId}/passkeys`;
    expect((await owner.call('GET', path)).json()).toMatchObject({ result: [{ id, name: 'Lost phone' }] });
    expect((await owner.call('GET', 'users/nobody/passkeys')).statusCode).toBe(404);
    expect((await owner.call('DELETE', `${path}/${id}`)).statusCode).toBe(200);
    expect((await owner.call('DELETE', `${path}/${id}`)).statusCode).toBe(404);
    expect((await owner.call('DELETE', `users/${owner.userId}/passkeys/${id}`)).json()).toEqual(
      errorBody(9, 'Somebody else must reset your factors', 'COMMAND-Fr3s1'),
    );
    expect((await userinfo(api, mine.pat)).statusCode).toBe(401);
    expect(await rowsOf(user)).toMatchObject({ passkeys: 0, mails: ['passkey_added', 'passkey_removed'] });
  });

  it('go with the user', async () => {
    const user = await aUser(world);
    const mine = await signedIn(user);
    await aPasskey(mine);
    await mine.begin();
    expect((await owner.call('DELETE', `users/${user.userId}`)).statusCode).toBe(200);
    const { rows } = await api.sql.query(
      `SELECT user_id FROM passkeys WHERE user_id = $1 UNION ALL
       SELECT user_id FROM passkey_challenges WHERE user_id = $1`,
      [user.userId],
    );
    expect(rows).toEqual([]);
  });
});
