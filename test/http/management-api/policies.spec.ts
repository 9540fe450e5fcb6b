import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../../src/domain/permissions/permissions.js';
import { LoginPolicies } from '../../../src/domain/policies/login-policies.js';
import { aReplica } from '../../support/api.js';
import { call, errorBody } from '../../support/calls.js';
import { jpeg, png, webp } from '../../support/pictures.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { anOrganization, useWorld, type World } from '../../support/world.js';

const FORBIDDEN = errorBody(7, 'No matching permissions found', 'AUTH-5mWD2');
const LARGEST = 131_072;

/** The default organization, which one test here changes. */
const { api, world: home } = useWorld();

interface Org {
  readonly world: World;
  readonly owner: ServiceUser;
}

/** An organization that has set no policy yet. */
async function freshOrg(): Promise<Org> {
  const world = await anOrganization(api);
  return { world, owner: await aServiceUser(world, 'ORG_OWNER') };
}

type Kind = 'branding' | 'login';
const get = ({ owner }: Org, kind: Kind) => call(api, 'GET', `policies/${kind}`, { pat: owner.pat });
const put = ({ owner }: Org, kind: Kind, body: unknown, headers = {}) =>
  call(api, 'PUT', `policies/${kind}`, { pat: owner.pat, body, headers });

const changed = (org: Org, sequence: string) => ({
  details: {
    sequence,
    changeDate: expect.stringMatching(/Z$/) as string,
    resourceOwner: org.world.orgId,
  },
});

async function rowsOf(world: World): Promise<unknown> {
  const { rows } = await api.sql.query(
    `SELECT (SELECT to_jsonb(b) FROM branding_policies b WHERE org_id = $1) AS branding,
            (SELECT to_jsonb(l) FROM login_policies l WHERE org_id = $1) AS login,
            (SELECT count(*) FROM events WHERE org_id = $1) AS events`,
    [world.orgId],
  );
  return rows[0];
}

describe('an organization that has set nothing', () => {
  it.each([
    ['branding', {}],
    [
      'login',
      {
        allowRegister: false,
        requireLoginName: false,
        allowAccountDeletion: false,
        allowExternalIdps: true,
        instanceIdps: [],
      },
    ],
  ] as const)('has the default %s policy', async (kind, policy) => {
    const org = await freshOrg();
    const response = await get(org, kind);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      policy,
      // branding has no more than what is the organization's own
      ...(kind === 'login' && { inherited: policy }),
      details: { sequence: '0', resourceOwner: org.world.orgId },
      isDefault: true,
    });
    expect(response.headers['cache-control']).toBe('no-store');
  });
});

const LOGO = png();
const BRANDING = {
  displayName: 'Acme',
  accentColor: '#ff8800',
  logo: LOGO.toString('base64'),
  defaultLanguage: 'de',
  helpUrl: 'https://acme.test/help?a=b#c',
  privacyUrl: 'https://acme.test/privacy',
};

describe('PUT policies/branding', () => {
  it('sets every field, and GET gives them back as they may be put again', async () => {
    const org = await freshOrg();
    const response = await put(org, 'branding', {
      ...BRANDING,
      displayName: ' Acme ',
      accentColor: '#FF8800',
    });
    expect(response.statusCode, response.body).toBe(200);
    expect(response.json()).toEqual(changed(org, '1'));
    const first = (await get(org, 'branding')).json<{ policy: object; details: object }>();
    expect(first).toEqual({
      policy: BRANDING,
      logoUrl: `https://id.test/logos/${createHash('sha256').update(LOGO).digest('hex')}.png`,
      details: {
        sequence: '1',
        creationDate: expect.any(String) as string,
        changeDate: expect.any(String) as string,
        resourceOwner: org.world.orgId,
      },
      isDefault: false,
    });
    expect((await put(org, 'branding', first.policy)).json()).toEqual(changed(org, '2'));
    expect((await get(org, 'branding')).json()).toMatchObject({
      policy: BRANDING,
      details: { sequence: '2', creationDate: (first.details as { creationDate: string }).creationDate },
    });
  });

  it('replaces the policy as a whole: what is absent, null or empty is the default again', async () => {
    const org = await freshOrg();
    await put(org, 'branding', BRANDING);
    const body = { display_name: 'Other', accent_color: '', helpUrl: null };
    expect((await put(org, 'branding', body)).json()).toEqual(changed(org, '2'));
    expect((await get(org, 'branding')).json()).toMatchObject({ policy: { displayName: 'Other' } });
    await put(org, 'branding', {});
    const { policy, isDefault } = (await get(org, 'branding')).json<Record<string, unknown>>();
    expect({ policy, isDefault }).toEqual({ policy: {}, isDefault: false });
    expect(await rowsOf(org.world)).toMatchObject({ branding: { logo: null, logo_name: null } });
  });

  it('tells the audit log which fields changed, and no value', async () => {
    const org = await freshOrg();
    await put(org, 'branding', BRANDING);
    await put(org, 'branding', { ...BRANDING, logo: png('x').toString('base64'), helpUrl: undefined });
    await put(org, 'branding', { ...BRANDING, logo: png('x').toString('base64'), helpUrl: undefined });
    const { rows } = await api.sql.query(
      `SELECT aggregate_type, sequence, type, actor_id, fields, data FROM events
       WHERE aggregate_id = $1 AND aggregate_type LIKE '%policy' ORDER BY sequence`,
      [org.world.orgId],
    );
    const event = {
      aggregate_type: 'branding_policy',
      type: 'organization.branding_policy.changed',
      actor_id: org.owner.userId,
      data: {},
    };
    expect(rows).toEqual([
      { ...event, sequence: '1', fields: Object.keys(BRANDING).sort() },
      { ...event, sequence: '2', fields: ['helpUrl', 'logo'] },
      { ...event, sequence: '3', fields: [] },
    ]);
  });

  it.each([
    ['image/png', png()],
    ['image/jpeg', jpeg],
    ['image/webp', webp],
    ['image/png', Buffer.concat([png(), Buffer.alloc(LARGEST - png().length)])],
  ])('takes a logo that is %s', async (contentType, logo) => {
    const org = await freshOrg();
    expect((await put(org, 'branding', { logo: logo.toString('base64') })).statusCode).toBe(200);
    const { logoUrl } = (await get(org, 'branding')).json<{ logoUrl: string }>();
    const served = await api.app.inject({ url: new URL(logoUrl).pathname });
    expect(served.headers['content-type']).toBe(contentType);
    expect(served.rawPayload.equals(logo)).toBe(true);
  });

  const encoded = (text: string) => Buffer.from(text, 'latin1').toString('base64');
  const picture = 'logo must be a PNG, JPEG or WebP picture';
  const tooLarge = 'logo must have at most 131072 bytes';
  it.each([
    [{ displayName: '   ' }, 'displayName must have 1 to 200 characters'],
    [{ displayName: 'x'.repeat(201) }, 'displayName must have 1 to 200 characters'],
    [{ displayName: 'a\nb' }, 'displayName must not contain control characters'],
    [{ displayName: 7 }, 'displayName must be a string'],
    [{ accentColor: 'red' }, 'accentColor must be a colour such as'],
    [{ accentColor: '#fff' }, 'accentColor must be a colour such as'],
    [{ accentColor: '#ffffff;}' }, 'accentColor must be a colour such as'],
    [{ accentColor: '#ffffff\n' }, 'accentColor must be a colour such as'],
    [{ accentColor: 'url(//evil.test)' }, 'accentColor must be a colour such as'],
    [{ defaultLanguage: 'sv' }, 'defaultLanguage must be one of en, de'],
    [{ defaultLanguage: 'toString' }, 'defaultLanguage must be one of'],
    [{ defaultLanguage: 'DE' }, 'defaultLanguage must be one of'],
    [{ helpUrl: 'javascript:alert(1)' }, 'helpUrl must be a URL with https://'],
    [{ helpUrl: 'javascript://https://acme.test/%0aalert(1)' }, 'helpUrl must be a URL with https://'],
    [{ helpUrl: ' https://acme.test' }, 'helpUrl has characters'],
    [{ helpUrl: 'java\tscript:alert(1)' }, 'helpUrl has characters'],
    [{ helpUrl: 'http://acme.test' }, 'helpUrl must be a URL with https://'],
    [{ helpUrl: 'https:acme.test' }, 'helpUrl must be a URL with https://'],
    [{ helpUrl: 'https://' }, 'helpUrl must be a URL with https://'],
    [{ helpUrl: '/help' }, 'helpUrl must be a URL with https://'],
    [{ helpUrl: '//acme.test' }, 'helpUrl must be a URL with https://'],
    [{ helpUrl: 'https://acme.test\\@evil.test' }, 'helpUrl has characters'],
    [{ helpUrl: `https://acme.test/${'x'.repeat(2048)}` }, 'helpUrl is longer than 2048 characters'],
    [{ privacyUrl: 'data:text/html,<script>alert(1)</script>' }, 'privacyUrl must be a URL with https://'],
    [{ privacyUrl: 'https://ada:pw@acme.test' }, 'privacyUrl must not contain credentials'],
    [{ privacyUrl: 7 }, 'privacyUrl must be a string'],
    [{ logo: encoded('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>') }, picture],
    [{ logo: encoded('<!doctype html><script>alert(1)</script>') }, picture],
    [{ logo: encoded('GIF89a\x01\0\x01\0') }, picture],
    [{ logo: encoded('x\x89PNG\r\n\x1a\n\0\0\0\rIHDR') }, picture],
    [{ logo: `data:image/png;base64,${png().toString('base64')}` }, 'logo must be base64'],
    [{ logo: 'not base64' }, 'logo must be base64'],
    [{ logo: { data: 'x' } }, 'logo must be a string'],
    [{ logo: Buffer.concat([png(), Buffer.alloc(LARGEST)]).toString('base64') }, tooLarge],
    [{ logo: Buffer.concat([png(), Buffer.alloc(LARGEST + 1 - png().length)]).toString('base64') }, tooLarge],
    [{ logo: 'A'.repeat(3_000_000) }, tooLarge],
    [{ logoUrl: 'https://evil.test/logo.png' }, 'unknown field "logoUrl"'],
    [{ primaryColor: '#ffffff' }, 'unknown field "primaryColor"'],
    [{ displayName: 'a', display_name: 'b' }, 'given twice'],
    [[], 'must be a JSON object'],
  ])('refuses %.80j', async (body, message) => {
    const before = await rowsOf(shared.world);
    const response = await put(shared, 'branding', body);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ code: 3, message: expect.stringContaining(message) as string });
    expect(await rowsOf(shared.world)).toEqual(before);
  });

  let shared: Org;
  beforeAll(async () => {
    shared = await freshOrg();
  });
});

describe('PUT policies/login', () => {
  it('opens and closes registration, which is off unless set (S203)', async () => {
    const org = await freshOrg();
    const allowed = async () => (await api.app.get(LoginPolicies).find(org.world.orgId)).allowRegister;
    expect((await get(org, 'login')).json()).toMatchObject({
      policy: { allowRegister: false },
      isDefault: true,
    });
    expect(await allowed()).toBe(false);
    expect((await put(org, 'login', { allowRegister: true })).json()).toEqual(changed(org, '1'));
    expect((await get(org, 'login')).json()).toMatchObject({
      policy: { allowRegister: true },
      isDefault: false,
    });
    expect(await allowed()).toBe(true);
    expect((await put(org, 'login', { allow_register: false })).json()).toEqual(changed(org, '2'));
    expect(await allowed()).toBe(false);
  });

  it('S203: opens the default organization for an instance owner alone', async () => {
    const org = { world: home, owner: await aServiceUser(home, 'ORG_OWNER') };
    const open = await put(org, 'login', { allowRegister: true });
    expect([open.statusCode, open.json()]).toMatchObject([403, { code: 7 }]);
    expect((await get(org, 'login')).json()).toMatchObject({ policy: { allowRegister: false } });
    const root = { ...org, owner: await aServiceUser(home, 'IAM_OWNER') };
    expect((await put(root, 'login', { allowRegister: true })).statusCode).toBe(200);
    // what is open may be written again, and closed
    expect((await put(org, 'login', { allowRegister: true })).statusCode).toBe(200);
    expect((await put(org, 'login', { allowRegister: false })).statusCode).toBe(200);
    expect((await put(org, 'login', { allowRegister: true })).statusCode).toBe(403);
  });

  it('is closed again when the field is absent', async () => {
    const org = await freshOrg();
    await put(org, 'login', { allowRegister: true });
    await put(org, 'login', {});
    expect((await get(org, 'login')).json()).toMatchObject({ policy: { allowRegister: false } });
    const { rows } = await api.sql.query(
      `SELECT type, fields, data FROM events WHERE aggregate_id = $1 AND aggregate_type = 'login_policy'
       ORDER BY sequence`,
      [org.world.orgId],
    );
    const type = 'organization.login_policy.changed';
    expect(rows).toEqual([
      {
        type,
        fields: ['allowRegister'],
        data: {
          allowRegister: true,
          requireLoginName: false,
          allowAccountDeletion: false,
          allowExternalIdps: true,
          instanceIdps: '',
        },
      },
      {
        type,
        fields: ['allowRegister'],
        data: {
          allowRegister: false,
          requireLoginName: false,
          allowAccountDeletion: false,
          allowExternalIdps: true,
          instanceIdps: '',
        },
      },
    ]);
  });

  it.each([
    [{ allowRegister: 'false' }, 'allowRegister must be true or false'],
    [{ allowRegister: 0 }, 'allowRegister must be true or false'],
    [{ allowExternalIdp: true }, 'unknown field "allowExternalIdp"'],
    [undefined, 'must be a JSON object'],
  ])('refuses %j', async (body, message) => {
    const org = await freshOrg();
    const response = await put(org, 'login', body);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toMatchObject({ code: 3, message: expect.stringContaining(message) as string });
  });
});

describe('who may', () => {
  const MAY: readonly (readonly [Role, boolean, boolean])[] = [
    ['IAM_OWNER', true, true],
    ['ORG_OWNER', true, true],
    ['IAM_OWNER_VIEWER', true, false],
    ['ORG_OWNER_VIEWER', true, false],
    ['ORG_USER_MANAGER', true, false],
    ['IAM_ADMIN_IMPERSONATOR', false, false],
    ['ORG_END_USER_IMPERSONATOR', false, false],
  ];

  it.each(MAY)('%s: read %s, write %s', async (role, reads, writes) => {
    const org = await freshOrg();
    const { pat } = await aServiceUser(org.world, role);
    const before = await rowsOf(org.world);
    for (const path of ['policies/branding', 'policies/login']) {
      expect((await call(api, 'GET', path, { pat })).statusCode).toBe(reads ? 200 : 403);
      const written = await call(api, 'PUT', path, { pat, body: {} });
      expect(written.statusCode).toBe(writes ? 200 : 403);
      if (!writes) expect(written.json()).toEqual(FORBIDDEN);
    }
    if (!writes) expect(await rowsOf(org.world)).toEqual(before);
  });

  it('not the owner of another organization, whatever the body', async () => {
    const [org, other] = [await freshOrg(), await freshOrg()];
    await put(org, 'login', { allowRegister: false });
    const before = await rowsOf(org.world);
    for (const name of ['x-zitadel-orgid', 'x-org-id']) {
      const headers = { [name]: org.world.orgId };
      for (const kind of ['branding', 'login'] as const) {
        const path = `policies/${kind}`;
        const read = await call(api, 'GET', path, { pat: other.owner.pat, headers });
        expect(read.json()).toEqual(FORBIDDEN);
        for (const body of [{}, '{']) {
          const written = await call(api, 'PUT', path, { pat: other.owner.pat, headers, body });
          expect(written.json()).toEqual(FORBIDDEN);
        }
      }
    }
    expect(await rowsOf(org.world)).toEqual(before);
    expect((await get(other, 'login')).json()).toMatchObject({ isDefault: true });
  });

  it('an instance owner, in the organization that the header names', async () => {
    const [org, elsewhere] = [await freshOrg(), await anOrganization(api)];
    const { pat } = await aServiceUser(elsewhere, 'IAM_OWNER');
    const headers = { 'x-zitadel-orgid': org.world.orgId };
    const written = await call(api, 'PUT', 'policies/branding', {
      pat,
      headers,
      body: { displayName: 'New' },
    });
    expect(written.json()).toEqual(changed(org, '1'));
    expect((await get(org, 'branding')).json()).toMatchObject({ policy: { displayName: 'New' } });
    expect(await rowsOf(elsewhere)).toMatchObject({ branding: null });
  });

  it('nobody without a token', async () => {
    for (const path of ['policies/branding', 'policies/login']) {
      expect((await call(api, 'GET', path)).statusCode).toBe(401);
      expect((await call(api, 'PUT', path, { body: {} })).statusCode).toBe(401);
    }
  });
});

describe('more than once', () => {
  it('the same Idempotency-Key replaces once', async () => {
    const org = await freshOrg();
    const headers = { 'idempotency-key': 'key-1' };
    const first = await put(org, 'login', { allowRegister: false }, headers);
    const again = await put(org, 'login', { allowRegister: false }, headers);
    expect(again.json()).toEqual(first.json());
    expect((await put(org, 'login', { allowRegister: true }, headers)).statusCode).toBe(422);
    expect((await get(org, 'login')).json()).toMatchObject({
      policy: { allowRegister: false },
      details: { sequence: '1' },
    });
  });

  it('at once, on two replicas: each counts, and the last one holds', async () => {
    const org = await freshOrg();
    const replica = await aReplica(api);
    const names = Array.from({ length: 8 }, (_, index) => `Name ${index}`);
    const answers = await Promise.all(
      names.map(async (displayName, index) => {
        const at = index % 2 === 0 ? api : replica;
        const response = await call(at, 'PUT', 'policies/branding', {
          pat: org.owner.pat,
          body: { displayName },
        });
        return { displayName, ...response.json<{ details: { sequence: string } }>().details };
      }),
    );
    const bySequence = answers.toSorted((a, b) => Number(a.sequence) - Number(b.sequence));
    expect(bySequence.map(({ sequence }) => Number(sequence))).toEqual(names.map((_, index) => index + 1));
    expect((await call(replica, 'GET', 'policies/branding', { pat: org.owner.pat })).json()).toMatchObject({
      policy: { displayName: bySequence.at(-1)?.displayName },
      details: { sequence: '8' },
    });
    const { rows } = await api.sql.query(
      `SELECT fields FROM events WHERE aggregate_id = $1 AND aggregate_type = 'branding_policy'`,
      [org.world.orgId],
    );
    // each saw what the one before it had left
    expect(rows).toEqual(names.map(() => ({ fields: ['displayName'] })));
  });
});
