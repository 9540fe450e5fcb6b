// SQL by hand: identities that nobody here could have made, and none that an attack must not leave
import type { LightMyRequestResponse } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { ExternalUser } from '../../../src/domain/identity-providers/external-user.js';
import type { IdentityProviderId } from '../../../src/domain/shared/ids.js';
import { UnitOfWork } from '../../../src/domain/shared/unit-of-work.js';
import { anApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  hiddenFields,
  redirected,
  TestBrowser,
  tokensOf,
  unescapeHtml,
  userinfo,
} from '../../support/browser-flow.js';
import { useForeignProvider } from '../../support/foreign-provider.js';
import { given } from '../../support/given.js';
import { anIdentityProvider, usersBySubject } from '../../support/identity-providers.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { aManager, aUser, PASSWORD } from '../../support/users.js';
import { anOrganization, useWorld, type World } from '../../support/world.js';

// A provider of the instance that organizations send the addresses of their domains to. The application is of none of them.

const foreign = useForeignProvider();

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow', RATE_LIMIT_MAIL: '1000' });
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const client = given(() => anApplication(world));

const OIDC = () => ({
  ...foreign.settings,
  name: 'Of all',
  allowCreation: true,
});

let idp: string;
let acme: World;
let owner: ServiceUser;
beforeEach(async () => {
  foreign.broken = false;
  const added = await anIdentityProvider(root, OIDC(), '/admin/v1/idps');
  idp = added.id;
  foreign.serve(added.callbackUrl);
  acme = await anOrganization(api);
  owner = await aServiceUser(acme, 'ORG_OWNER');
});

async function name(by = owner, changes: object = {}): Promise<LightMyRequestResponse> {
  return await by.call('PUT', 'policies/login', { instanceIdps: [idp], homeRealmIdpId: idp, ...changes });
}

async function policyOf(by = owner): Promise<Record<string, unknown>> {
  return (await by.call('GET', 'policies/login')).json<Record<string, unknown>>();
}

let people = 0;
/** Nobody has it yet. */
function address(domain = acme.domain): string {
  people += 1;
  return `person-${people}@${domain}`;
}

/** What the sign-in page of an application of another organization answers to a name alone. */
async function type(browser: TestBrowser, loginName: string): Promise<string> {
  const fields = await browser.openSignIn(codeRequest(client));
  return (await browser.post('/login', { ...fields, loginName, password: '' })).body;
}

function wayIn(body: string): string {
  return unescapeHtml(/id="send-on" href="([^"]*)"/.exec(body)?.[1] ?? '');
}

/** At the provider, as who the test says, and not back yet. */
async function come(
  browser: TestBrowser,
  typed: string,
  subject: string,
  claims: Readonly<Record<string, unknown>> = { email: typed, email_verified: true },
): Promise<URL> {
  foreign.subject = subject;
  foreign.claims = claims;
  const way = wayIn(await type(browser, typed));
  expect(way).toContain(`/login/idps/${idp}?hint=`);
  return await foreign.visit((await browser.get(way)).headers.location ?? '');
}

async function back(browser: TestBrowser, url: URL): Promise<LightMyRequestResponse> {
  return await browser.get(url);
}

async function whoIs(answered: LightMyRequestResponse): Promise<string> {
  const { access_token: token } = await tokensOf(api, client, answered);
  return (await userinfo(api, token)).json<{ sub: string }>().sub;
}

async function organizationOf(userId: string): Promise<string> {
  const found = await root.call('GET', `users/${userId}`, undefined, {
    headers: { 'x-zitadel-orgid': acme.orgId },
  });
  return found.statusCode === 200 ? acme.orgId : 'another one';
}

describe('an organization whose policy names a provider of the instance', () => {
  it('has people with an address of its domains sent there, and their accounts made in it', async () => {
    expect(await type(new TestBrowser(api), address())).toContain('Enter your password');
    expect((await name()).statusCode).toBe(200);
    expect(await policyOf()).toMatchObject({ policy: { homeRealmIdpId: idp }, homeRealmIdpState: 'active' });
    const typed = address();
    const browser = new TestBrowser(api);
    const first = await whoIs(await back(browser, await come(browser, typed, `of ${typed}`)));
    expect(await organizationOf(first)).toBe(acme.orgId);
    // the organization of the application knows nothing of the provider, and its page has no button
    const begun = await new TestBrowser(api).get(authorizeUrl(codeRequest(client)));
    expect((await new TestBrowser(api).get(begun.headers.location ?? '')).body).not.toContain(idp);
    const again = new TestBrowser(api);
    expect(await whoIs(await back(again, await come(again, typed, `of ${typed}`)))).toBe(first);
  });

  it('has them sent there where the application asks for its users and names an address', async () => {
    await name();
    const scope = `openid urn:zitadel:iam:org:id:${acme.orgId}`;
    const browser = new TestBrowser(api);
    const hinted = await browser.get(authorizeUrl(codeRequest(client, { scope, login_hint: address() })));
    expect((await browser.get(hinted.headers.location ?? '')).headers.location).toContain(
      `/login/idps/${idp}?hint=`,
    );
  });

  it('finds the account of the address in it, whose owner signs in once more', async () => {
    await name();
    const typed = address();
    const user = await aUser(acme, { email: { address: typed, verified: true }, proven: true });
    const browser = new TestBrowser(api);
    const sent = await back(browser, await come(browser, typed, `of ${typed}`));
    expect(sent.headers.location).toContain('/login?flow=');
    const page = await browser.get(sent.headers.location ?? '');
    const form = { ...hiddenFields(page.body), loginName: user.loginName, password: PASSWORD };
    expect(await whoIs(await browser.post('/login', form))).toBe(user.userId);
    const next = new TestBrowser(api);
    expect(await whoIs(await back(next, await come(next, typed, `of ${typed}`)))).toBe(user.userId);
  });

  it('lets an owner in by a password, also while the provider is away', async () => {
    await name();
    foreign.broken = true;
    const keeper = await aManager(acme, 'ORG_OWNER');
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const form = { ...fields, loginName: keeper.loginName, password: PASSWORD };
    expect(redirected(await browser.post('/login', form)).get('code')).not.toBeNull();
  });

  it('goes on without the provider once that is switched off or removed, and says so', async () => {
    await name();
    const browser = new TestBrowser(api);
    const typed = address();
    const meanwhile = await come(browser, typed, `of ${typed}`);
    await root.call('POST', `/admin/v1/idps/${idp}/_deactivate`);
    // whoever is there right now is signed in by nobody
    expect(redirected(await back(browser, meanwhile)).get('idp')).toBe('idp-refused');
    expect(await type(new TestBrowser(api), address())).toContain('Enter your password');
    expect(await policyOf()).toMatchObject({ homeRealmIdpState: 'inactive' });
    // and the rest of the policy can be changed
    expect((await name(owner, { allowAccountDeletion: true })).statusCode).toBe(200);
    await root.call('POST', `/admin/v1/idps/${idp}/_activate`);
    expect(wayIn(await type(new TestBrowser(api), address()))).not.toBe('');
    const late = new TestBrowser(api);
    const gone = await come(late, typed, `of ${typed}`);
    await root.call('DELETE', `/admin/v1/idps/${idp}`);
    expect((await back(late, gone)).statusCode).toBe(400);
    expect(await type(new TestBrowser(api), address())).toContain('Enter your password');
    expect(await policyOf()).toMatchObject({ policy: { homeRealmIdpId: idp }, homeRealmIdpState: 'removed' });
    expect((await name(owner, { allowAccountDeletion: false })).statusCode).toBe(200);
    expect((await owner.call('PUT', 'policies/login', {})).statusCode).toBe(200);
    expect(await policyOf()).not.toHaveProperty('homeRealmIdpState');
  });

  it('leads nobody there while its policy lets nobody in by providers', async () => {
    expect((await name(owner, { allowExternalIdps: false })).statusCode).toBe(200);
    expect(await type(new TestBrowser(api), address())).toContain('Enter your password');
    await name();
    expect(wayIn(await type(new TestBrowser(api), address()))).toContain(idp);
  });
});

describe('what a policy may name', () => {
  it('is a provider of the instance that is active and that the policy lets people in by', async () => {
    expect((await name(owner, { instanceIdps: [] })).json()).toMatchObject({
      code: 3,
      message: 'homeRealmIdpId must be one of instanceIdps',
    });
    await root.call('POST', `/admin/v1/idps/${idp}/_deactivate`);
    const refused = { code: 9, message: expect.stringContaining('provider of the instance that is active') };
    expect((await name()).json()).toMatchObject(refused);
    // nor another organization's, nor one's own, which has a field for it
    for (const keeper of [await aServiceUser(await anOrganization(api), 'ORG_OWNER'), owner]) {
      const { id } = await anIdentityProvider(keeper, OIDC());
      const body = { instanceIdps: [id], homeRealmIdpId: id };
      expect((await owner.call('PUT', 'policies/login', body)).json()).toMatchObject(refused);
    }
  });

  it("is refused beside a home realm of the organization's own, and the other way round", async () => {
    const own = (await owner.call('POST', 'idps', { ...OIDC(), homeRealm: true })).json<{ id: string }>().id;
    expect((await name()).json()).toMatchObject({ code: 6, message: expect.stringContaining('homeRealm') });
    const { clientSecret: _, ...kept } = OIDC();
    expect((await owner.call('PUT', `idps/${own}`, { ...kept, homeRealm: false })).statusCode).toBe(200);
    expect((await name()).statusCode).toBe(200);
    for (const [method, path, body] of [
      ['PUT', `idps/${own}`, { ...kept, homeRealm: true }],
      ['POST', 'idps', { ...OIDC(), homeRealm: true }],
    ] as const) {
      expect((await owner.call(method, path, body)).json()).toMatchObject({
        code: 6,
        message: expect.stringContaining('homeRealmIdpId'),
      });
    }
    // no other organization is kept from anything
    const other = await aServiceUser(await anOrganization(api), 'ORG_OWNER');
    expect((await other.call('POST', 'idps', { ...OIDC(), homeRealm: true })).statusCode).toBe(200);
    expect((await owner.call('DELETE', 'policies/login')).statusCode).toBe(200);
    expect((await owner.call('PUT', `idps/${own}`, { ...kept, homeRealm: true })).statusCode).toBe(200);
  });

  it('is one of the two, where both are asked for at once', async () => {
    const answers = await Promise.all([
      name(),
      owner.call('POST', 'idps', { ...OIDC(), homeRealm: true }),
      name(),
      owner.call('POST', 'idps', { ...OIDC(), homeRealm: true }),
    ]);
    const [first, second, third, fourth] = answers.map(({ statusCode }) => statusCode === 200);
    expect(first || third).not.toBe(second || fourth);
  });
});

describe('attacks', () => {
  it('S483: an organization that names the provider leads there no address of a domain that it has not verified', async () => {
    await name();
    const mallory = await anOrganization(api);
    const other = await aServiceUser(mallory, 'ORG_OWNER');
    const claimed = `unverified-${mallory.domain}`;
    expect((await other.call('POST', 'orgs/me/domains', { domain: claimed })).statusCode).toBe(200);
    // nor one that is another's
    await other.call('POST', 'orgs/me/domains', { domain: acme.domain });
    expect((await name(other)).statusCode).toBe(200);
    expect(await type(new TestBrowser(api), `ada@${claimed}`)).toContain('Enter your password');
    const typed = address();
    const browser = new TestBrowser(api);
    const user = await whoIs(await back(browser, await come(browser, typed, `of ${typed}`)));
    expect(await organizationOf(user)).toBe(acme.orgId);
  });

  it('S484: whoever comes by the domain of one organization with an address of another gets no account, nor a sign-in there', async () => {
    await name();
    const mallory = await anOrganization(api);
    const other = await aServiceUser(mallory, 'ORG_OWNER');
    await name(other);
    const victim = address();
    await aUser(acme, { email: { address: victim, verified: true }, proven: true });
    const browser = new TestBrowser(api);
    const claims = { email: victim, email_verified: true };
    const answered = await back(
      browser,
      await come(browser, address(mallory.domain), `of ${victim}`, claims),
    );
    expect(redirected(answered).get('idp')).toBe('idp-no-account');
    // and the identity is nobody's: the owner connects it where their own address leads
    expect(await usersBySubject(api, `of ${victim}`)).toEqual([]);
  });

  // there is no account that would be in the way of another: what refuses them is the owner of the domain alone
  it('S484: nor with one that nobody has yet, and no code is sent to it', async () => {
    await name();
    const mallory = await anOrganization(api);
    await name(await aServiceUser(mallory, 'ORG_OWNER'));
    for (const verified of [true, false]) {
      const victim = address();
      const browser = new TestBrowser(api);
      const claims = { email: victim, email_verified: verified };
      const typed = address(mallory.domain);
      const answered = await back(browser, await come(browser, typed, `of ${victim}`, claims));
      expect(redirected(answered).get('idp')).toBe('idp-no-account');
      const user = await api.sql.query('SELECT FROM login_identifiers WHERE canonical = $1', [victim]);
      expect(user.rows).toEqual([]);
    }
  });

  it('S484: nor where the domain gets its owner between the two looks at it', async () => {
    const mallory = await anOrganization(api);
    const email = address();
    const newcomer = {
      identity: {
        orgId: mallory.orgId,
        providerId: idp as IdentityProviderId,
        providerName: 'Of all',
        subject: `of ${email}`,
        displayName: email,
      },
      mapped: { email, emailVerified: true, profile: {}, metadata: [], roles: [] },
      email,
      isOwnerVerified: true,
      locale: 'en',
    };
    const create = api.app
      .get(UnitOfWork)
      .run(async (tx) => await api.app.get(ExternalUser).create(tx, newcomer, []));
    await expect(create).rejects.toMatchObject({ kind: 'invalid-argument', id: 'COMMAND-SFd21' });
  });

  it('S485: a link names no organization: what is typed leads to one, and only to the provider of its domain', async () => {
    const unasked = { ...OIDC(), name: 'Unasked' };
    const { id: other } = await anIdentityProvider(root, unasked, '/admin/v1/idps');
    // the organization of the domain lets people in by both, and that of the application by none
    expect((await name(owner, { instanceIdps: [idp, other] })).statusCode).toBe(200);
    const browser = new TestBrowser(api);
    const way = wayIn(await type(browser, address()));
    // no button of the application's organization, no address of the domain, another provider
    for (const altered of [
      way.replace(/hint=[^&]*&?/, ''),
      way.replace(encodeURIComponent(acme.domain), 'nobodys.test'),
      `${way.replace(/hint=[^&]*&?/, '')}&realmOrgId=${acme.orgId}&orgId=${acme.orgId}`,
      way.replace(idp, other),
    ]) {
      expect(altered).not.toBe(way);
      expect((await browser.get(altered)).headers.location).toContain('idp=idp-refused');
    }
  });

  it('S486: the user of an organization that does not let the provider in stays out, whichever domain was typed', async () => {
    await name();
    const elsewhere = await anOrganization(api);
    const user = await aUser(elsewhere);
    const subject = `theirs ${user.userId}`;
    await api.sql.query(
      `INSERT INTO user_identities (provider_id, subject, org_id, user_id) VALUES ($1, $2, $3, $4)`,
      [idp, subject, elsewhere.orgId, user.userId],
    );
    const browser = new TestBrowser(api);
    const claims = { email: address(), email_verified: true };
    const answered = await back(browser, await come(browser, address(), subject, claims));
    expect(redirected(answered).get('idp')).toBe('idp-no-account');
    const theirs = await aServiceUser(elsewhere, 'ORG_OWNER');
    await theirs.call('PUT', 'policies/login', { instanceIdps: [idp] });
    const again = new TestBrowser(api);
    expect(await whoIs(await back(again, await come(again, address(), subject, claims)))).toBe(user.userId);
  });
});
