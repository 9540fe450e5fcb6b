// SQL by hand: nothing but a provider makes owners without a password, and one is not needed for the rest
import { beforeEach, describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  hiddenFields,
  redirected,
  TestBrowser,
  unescapeHtml,
} from '../../support/browser-flow.js';
import { useForeignProvider } from '../../support/foreign-provider.js';
import { given } from '../../support/given.js';
import { anIdentityProvider, usersBySubject } from '../../support/identity-providers.js';
import { collectMails, linkIn } from '../../support/mailbox.js';
import { aServiceUser } from '../../support/service-users.js';
import { aManager, PASSWORD, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

// Owners get in while the provider that their addresses lead to is away.

const foreign = useForeignProvider();

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow', RATE_LIMIT_MAIL: '1000' });
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const client = given(() => anApplication(world));

const aDirectory = () => ({
  ...foreign.settings,
  name: 'Directory',
  allowCreation: true,
  homeRealm: true,
});

let idp: string;
beforeEach(async () => {
  await api.sql.query('DELETE FROM identity_providers');
  const added = await anIdentityProvider(root, aDirectory());
  idp = added.id;
  foreign.serve(added.callbackUrl);
  foreign.broken = true;
});

describe.each(['ORG_OWNER', 'IAM_OWNER'] as const)(
  'an %s, while the provider of their domain is away',
  (role) => {
    async function anOwner(): Promise<TestUser> {
      const userName = `owner-${Math.random().toString(36).slice(2)}`;
      const address = `${userName}@${world.domain}`;
      return await aManager(world, role, { userName, email: { address, verified: true }, proven: true });
    }

    /** From the way to the provider to the page that says what is wrong, and in by the password. */
    async function comeIn(browser: TestBrowser, way: string, owner: TestUser): Promise<string | null> {
      expect(way).toContain(`/login/idps/${idp}?`);
      const problem = (await browser.get(way)).headers.location ?? '';
      expect(problem).toContain('idp=idp-unavailable');
      const page = await browser.get(problem);
      // it leads nobody there again by itself
      expect(page.headers.location).toBeUndefined();
      expect(page.body).toContain('The other service does not answer');
      const form = { ...hiddenFields(page.body), loginName: owner.loginName, password: PASSWORD };
      return redirected(await browser.post('/login', form)).get('code');
    }

    it('gets in where the application names their address', async () => {
      const owner = await anOwner();
      const browser = new TestBrowser(api);
      const begun = await browser.get(authorizeUrl(codeRequest(client, { login_hint: owner.loginName })));
      const sent = await browser.get(begun.headers.location ?? '');
      expect(await comeIn(browser, sent.headers.location ?? '', owner)).not.toBeNull();
    });

    it('gets in after their name alone led to it', async () => {
      const owner = await anOwner();
      const browser = new TestBrowser(api);
      const fields = await browser.openSignIn(codeRequest(client));
      const sent = await browser.post('/login', { ...fields, loginName: owner.loginName, password: '' });
      const way = unescapeHtml(/id="send-on" href="([^"]*)"/.exec(sent.body)?.[1] ?? '');
      expect(await comeIn(browser, way, owner)).not.toBeNull();
    });

    it('gets in by name and password without a way there', async () => {
      const owner = await anOwner();
      const browser = new TestBrowser(api);
      const fields = await browser.openSignIn(codeRequest(client));
      const { calls } = foreign;
      const form = { ...fields, loginName: owner.loginName, password: PASSWORD };
      expect(redirected(await browser.post('/login', form)).get('code')).not.toBeNull();
      expect(foreign.calls).toBe(calls);
    });
  },
);

describe('owners who have neither password nor passkey', () => {
  const rely = async (path: string, orgId = world.orgId): Promise<boolean> => {
    const answer = await root.call('POST', path, {}, { headers: { 'x-zitadel-orgid': orgId } });
    expect(answer.statusCode, answer.body).toBe(200);
    return answer.json<{ ownersRelyOnProviders: boolean }>().ownersRelyOnProviders;
  };
  const withoutPassword = async ({ userId }: TestUser) =>
    await api.sql.query('DELETE FROM user_passwords WHERE user_id = $1', [userId]);

  it('of an organization are told of where a provider is used, until one of them has', async () => {
    const other = await anOrganization(api);
    const inOther = { headers: { 'x-zitadel-orgid': other.orgId } };
    const owner = await aManager(other, 'ORG_OWNER');
    expect(await rely('idps/_search', other.orgId)).toBe(false);
    await withoutPassword(owner);
    // there is none to rely on, nor one that is used
    expect(await rely('idps/_search', other.orgId)).toBe(false);
    const { id } = (await root.call('POST', 'idps', aDirectory(), inOther)).json<{ id: string }>();
    expect(await rely('idps/_search', other.orgId)).toBe(false);
    await root.call('POST', `idps/${id}/_activate`, undefined, inOther);
    expect(await rely('idps/_search', other.orgId)).toBe(true);
    await root.call('PUT', 'policies/login', { allowExternalIdps: false }, inOther);
    expect(await rely('idps/_search', other.orgId)).toBe(false);
    await root.call('DELETE', 'policies/login', undefined, inOther);
    expect(await rely('idps/_search', other.orgId)).toBe(true);
    // neither a robot nor somebody of lower rank helps
    await aServiceUser(other, 'ORG_OWNER');
    await aManager(other, 'ORG_USER_MANAGER');
    expect(await rely('idps/_search', other.orgId)).toBe(true);
    const second = await aManager(other, 'ORG_OWNER');
    expect(await rely('idps/_search', other.orgId)).toBe(false);
    await api.sql.query(`UPDATE users SET state = 'inactive' WHERE id = $1`, [second.userId]);
    expect(await rely('idps/_search', other.orgId)).toBe(true);
    await api.sql.query(
      `INSERT INTO passkeys (org_id, user_id, credential_id, public_key, user_handle, name, passwordless)
       VALUES ($1, $2, 'c', 'k', 'h', 'Key', true)`,
      [other.orgId, owner.userId],
    );
    expect(await rely('idps/_search', other.orgId)).toBe(false);
    expect(await rely('idps/_search')).toBe(false);
  });

  it('of the instance are told of, whatever those of organizations have', async () => {
    await api.sql.query(
      `DELETE FROM memberships m USING users u WHERE u.id = m.user_id AND u.kind = 'human'`,
    );
    expect(await rely('/admin/v1/idps/_search')).toBe(false);
    const owner = await aManager(world, 'IAM_OWNER');
    await aManager(world, 'ORG_OWNER');
    const elsewhere = await anOrganization(api);
    await withoutPassword(await aManager(elsewhere, 'ORG_OWNER'));
    await withoutPassword(owner);
    // what an organization has signs in nobody who holds a role in the instance
    expect(await rely('/admin/v1/idps/_search')).toBe(false);
    const directory = { ...aDirectory(), homeRealm: false };
    const { id } = await anIdentityProvider(root, directory, '/admin/v1/idps');
    expect(await rely('/admin/v1/idps/_search')).toBe(true);
    // organizations that let their people in by it are told as well
    expect(await rely('idps/_search', elsewhere.orgId)).toBe(false);
    await root.call(
      'PUT',
      'policies/login',
      { instanceIdps: [id] },
      { headers: { 'x-zitadel-orgid': elsewhere.orgId } },
    );
    expect(await rely('idps/_search', elsewhere.orgId)).toBe(true);
    await aManager(world, 'IAM_OWNER');
    expect(await rely('/admin/v1/idps/_search')).toBe(false);
  });

  it('get in by "Forgotten password?" while the provider that made their account is away', async () => {
    const address = `owner-${Math.random().toString(36).slice(2)}@mail.test`;
    foreign.broken = false;
    foreign.subject = address;
    foreign.claims = { email: address, email_verified: true, given_name: 'Ada', family_name: 'Lovelace' };
    const first = new TestBrowser(api);
    const { flow } = await first.openSignIn(codeRequest(client));
    const way = (await first.get(`/login/idps/${idp}?flow=${flow}`)).headers.location ?? '';
    const back = await foreign.visit(way);
    expect(redirected(await first.get(back)).get('code')).not.toBeNull();
    const [userId] = await usersBySubject(api, address);
    const member = { userId, roles: ['ORG_OWNER'] };
    expect((await root.call('POST', 'orgs/me/members', member)).statusCode).toBe(200);

    foreign.broken = true;
    await collectMails(api);
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const forgotten = await browser.get(`/password/forgotten?flow=${fields['flow']}`);
    await browser.post('/password/forgotten', { ...hiddenFields(forgotten.body), loginName: address });
    const mails = await collectMails(api);
    expect(mails.map(({ to }) => to)).toEqual([address]);
    const { url, code } = linkIn(mails[0], '/password/reset');
    const passwords = { newPassword: PASSWORD, repeatPassword: PASSWORD };
    const form = { ...hiddenFields((await browser.get(url)).body), code, ...passwords };
    const { calls } = foreign;
    expect((await browser.post('/password/reset', form)).statusCode).toBeLessThan(400);

    const next = new TestBrowser(api);
    const typed = { loginName: address, password: PASSWORD };
    const entered = await next.post('/login', { ...(await next.openSignIn(codeRequest(client))), ...typed });
    expect(redirected(entered).get('code')).not.toBeNull();
    expect(foreign.calls).toBe(calls);
  });
});
