// SQL by hand: no answer tells the subject that an identity is kept by
import { generateKeyPairSync } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import type { JWTPayload } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import { makeSigner } from '../../support/assertions.js';
import { authorizeUrl, codeRequest, redirected, TestBrowser, whoIs } from '../../support/browser-flow.js';
import { given, givenRunning } from '../../support/given.js';
import { anIdentityProvider, chooseProvider } from '../../support/identity-providers.js';
import { aServiceUser } from '../../support/service-users.js';
import { VendorProvider } from '../../support/vendor-provider.js';
import { useWorld } from '../../support/world.js';

// The presets from one end to the other, at a double that stands in for the vendors' servers.

const vendor = givenRunning(() => VendorProvider.start());
let goOut: () => void;

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow', RATE_LIMIT_MAIL: '1000' });
const owner = given(() => aServiceUser(world, 'ORG_OWNER'));
const client = given(() => anApplication(world));

let id: string;
async function addProvider(settings: object): Promise<void> {
  const body = { name: 'Vendor', clientId: vendor.clientId, allowCreation: true, ...settings };
  ({ id } = await anIdentityProvider(owner, body));
}

beforeEach(async () => {
  goOut = vendor.standIn();
  vendor.person = {};
  vendor.forger = undefined;
  await api.sql.query('DELETE FROM identity_providers');
});
afterEach(() => goOut());

let people = 0;
const somebody = (): string => `person-${(people += 1)}`;

/** Where the browser was sent, and how it came back. */
async function signIn(
  claims: JWTPayload,
  person: Readonly<Record<string, unknown>> = {},
  browser = new TestBrowser(api),
): Promise<{ readonly asked: URL; readonly answered: LightMyRequestResponse }> {
  vendor.claims = claims;
  vendor.person = person;
  const begun = await browser.get(authorizeUrl(codeRequest(client)));
  const asked = new URL(await chooseProvider(browser, begun, id));
  const back = await vendor.visit(asked.href);
  if (back.method === 'GET') {
    return { asked, answered: await browser.get(back.url) };
  }
  // a form that another site posts comes without the cookie of this browser
  const posted = await new TestBrowser(api).post(back.url.pathname, Object.fromEntries(back.form));
  expect(posted.statusCode).toBe(303);
  return { asked, answered: await browser.get(posted.headers.location ?? '') };
}

const problemOf = (answered: LightMyRequestResponse): string | null => redirected(answered).get('idp');

async function subjects(): Promise<readonly string[]> {
  const { rows } = await api.sql.query<{ subject: string }>(
    'SELECT subject FROM user_identities ORDER BY created_at',
  );
  return rows.map(({ subject }) => subject);
}

describe('Microsoft', () => {
  const A = '11111111-1111-4111-8111-111111111111';
  const B = '22222222-2222-4222-8222-222222222222';
  const issuerOf = (tenant: string): string => `https://login.microsoftonline.com/${tenant}/v2.0`;
  const settings = (tenant: string) => ({ kind: 'microsoft', clientSecret: vendor.clientSecret, tenant });
  /** A vouched address, so that an account is made at once; Entra itself vouches for none. */
  const of = (tenant: string, sub: string): JWTPayload => ({
    iss: issuerOf(tenant),
    tid: tenant,
    sub,
    email: `${sub}@${tenant}.test`,
    email_verified: true,
  });

  it('signs in people of every directory, and one subject of two of them is two people (S490)', async () => {
    await addProvider(settings('organizations'));
    const sub = somebody();
    const { asked, answered } = await signIn(of(A, sub), { given_name: 'Grace' });
    expect(`${asked.origin}${asked.pathname}`).toBe(
      'https://login.microsoftonline.com/organizations/oauth2/v2.0/authorize',
    );
    expect(asked.searchParams.get('code_challenge_method')).toBe('S256');
    const first = await whoIs(api, client, answered);
    expect(first).toMatchObject({ email: `${sub}@${A}.test`, given_name: 'Grace' });
    const other = await whoIs(api, client, (await signIn(of(B, sub))).answered);
    expect(other['sub']).not.toBe(first['sub']);
    expect((await whoIs(api, client, (await signIn(of(A, sub))).answered))['sub']).toBe(first['sub']);
    expect(await subjects()).toEqual([`${A}/${sub}`, `${B}/${sub}`]);
  });

  it('lets no directory assert a subject of another one (S490)', async () => {
    await addProvider(settings('organizations'));
    const sub = somebody();
    const victim = await whoIs(api, client, (await signIn(of(A, sub))).answered);
    // the name of one in a token of the other: neither is believed
    for (const claims of [
      { ...of(A, sub), iss: issuerOf(B) },
      { ...of(B, sub), tid: A },
    ]) {
      expect(problemOf((await signIn(claims)).answered)).toBe('idp-refused');
    }
    // a subject that is written as the other directory's is one of its own
    const written = `${A}/${sub}`;
    const impostor = { ...of(B, written), email: `${somebody()}@${B}.test` };
    expect((await whoIs(api, client, (await signIn(impostor)).answered))['sub']).not.toBe(victim['sub']);
    vendor.forger = makeSigner('RS256');
    expect(problemOf((await signIn(of(A, sub))).answered)).toBe('idp-refused');
  });

  it.each([
    ['none', undefined, issuerOf('undefined')],
    ['none, under the template', undefined, issuerOf('{tenantid}')],
    ['an empty one', '', issuerOf('')],
    ['a number', 7, issuerOf('7')],
    ['a list', [A], issuerOf(A)],
  ])('refuses a token whose directory is %s (S490)', async (_, tid, iss) => {
    await addProvider(settings('organizations'));
    expect(problemOf((await signIn({ ...of(A, somebody()), tid, iss })).answered)).toBe('idp-refused');
    expect(await subjects()).toEqual([]);
  });

  it('asks for the password again where an application wants a new sign-in, whichever way it says so', async () => {
    await addProvider(settings(A));
    for (const parameters of [{ prompt: 'login' }, { max_age: '60' }]) {
      const browser = new TestBrowser(api);
      const begun = await browser.get(authorizeUrl(codeRequest(client, parameters)));
      const asked = new URL(await chooseProvider(browser, begun, id));
      expect(asked.searchParams.get('prompt')).toBe('login');
    }
  });

  it('of one directory lets in nobody of another one', async () => {
    await addProvider(settings(A));
    const sub = somebody();
    expect(problemOf((await signIn(of(B, sub))).answered)).toBe('idp-refused');
    expect(await whoIs(api, client, (await signIn(of(A, sub))).answered)).toMatchObject({
      email: `${sub}@${A}.test`,
    });
    expect(await subjects()).toEqual([sub]);
  });
});

describe('Google', () => {
  const settings = () => ({ kind: 'google', clientSecret: vendor.clientSecret });
  const of = (sub: string): JWTPayload => ({
    iss: 'https://accounts.google.com',
    sub,
    email: `${sub}@gmail.test`,
    email_verified: true,
  });

  /** Where the sign-in page, or what came before it, leads by the button. */
  async function wayOf(parameters: Record<string, string>): Promise<URL> {
    const browser = new TestBrowser(api);
    const begun = await browser.get(authorizeUrl(codeRequest(client, parameters)));
    return new URL(await chooseProvider(browser, begun, id), 'https://id.test');
  }

  it('is asked for an account to be chosen, and for nothing that it does not know', async () => {
    await addProvider(settings());
    expect((await wayOf({ prompt: 'select_account' })).searchParams.get('prompt')).toBe('select_account');
    const usual = await wayOf({});
    expect(usual.searchParams.has('prompt')).toBe(false);
    expect(usual.searchParams.has('max_age')).toBe(false);
    const sub = somebody();
    expect(await whoIs(api, client, (await signIn(of(sub))).answered)).toMatchObject({
      email: `${sub}@gmail.test`,
    });
  });

  it.each([{ prompt: 'login' }, { max_age: '60' }])(
    'is none for an application that wants a new sign-in: %o (S497)',
    async (parameters) => {
      await addProvider(settings());
      const { pathname, searchParams } = await wayOf(parameters);
      expect(pathname).toBe('/login');
      expect(searchParams.get('idp')).toBe('idp-refused');
    },
  );
});

describe('Apple', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const team = { teamId: 'A1B2C3D4E5', keyId: 'F6G7H8I9J0' };
  const settings = (key = privateKey) => ({
    kind: 'apple',
    ...team,
    clientSecret: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    updateOnSignIn: true,
  });
  const of = (sub: string): JWTPayload => ({
    iss: 'https://appleid.apple.com',
    sub,
    email: `${sub}@privaterelay.test`,
    email_verified: true,
  });
  beforeEach(() => {
    vendor.apple = { ...team, publicKey };
    vendor.shown = undefined;
  });

  it('is shown a secret that the key signs, and takes the name of the first answer', async () => {
    await addProvider(settings());
    const sub = somebody();
    const { asked, answered } = await signIn(of(sub), {
      name: { firstName: 'Grace', lastName: 'Hopper' },
    });
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      response_mode: 'form_post',
      scope: 'openid name email',
    });
    expect(asked.searchParams.has('code_challenge')).toBe(false);
    const first = await whoIs(api, client, answered);
    expect(first).toMatchObject({
      given_name: 'Grace',
      family_name: 'Hopper',
      email: `${sub}@privaterelay.test`,
    });
    expect(vendor.shown?.header).toEqual({ alg: 'ES256', kid: team.keyId });
    expect(vendor.shown?.payload).toEqual({
      iss: team.teamId,
      sub: vendor.clientId,
      aud: 'https://appleid.apple.com',
      iat: expect.any(Number) as number,
      exp: (vendor.shown?.payload.iat ?? 0) + 600,
    });
    // the name comes once, and stays
    expect(await whoIs(api, client, (await signIn(of(sub))).answered)).toMatchObject({
      sub: first['sub'],
      given_name: 'Grace',
      family_name: 'Hopper',
    });
  });

  it('believes nothing but names of what a browser brings along (S491)', async () => {
    await addProvider(settings());
    const [sub, victim] = [somebody(), somebody()];
    const forged = {
      name: { firstName: 'Grace' },
      sub: victim,
      email: `${victim}@privaterelay.test`,
      email_verified: true,
      given_name: 'Mallory',
    };
    expect(await whoIs(api, client, (await signIn(of(sub), forged)).answered)).toMatchObject({
      given_name: 'Grace',
      email: `${sub}@privaterelay.test`,
    });
    expect(await subjects()).toEqual([sub]);
    // what the token says itself comes before
    const named = { ...of(somebody()), given_name: 'Ada' };
    expect(await whoIs(api, client, (await signIn(named, forged)).answered)).toMatchObject({
      given_name: 'Ada',
    });
  });

  it('refuses a secret of another key, of another team, and by another name', async () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    for (const changes of [
      settings(other),
      { ...settings(), teamId: 'ZZZZZZZZZZ' },
      { ...settings(), keyId: 'ZZZZZZZZZZ' },
    ]) {
      await api.sql.query('DELETE FROM identity_providers');
      await addProvider(changes);
      expect(problemOf((await signIn(of(somebody()))).answered)).toBe('idp-refused');
    }
    expect(await subjects()).toEqual([]);
  });
});
