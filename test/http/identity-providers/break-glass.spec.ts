// SQL by hand: nothing but a provider makes owners without a password, and one is not needed for the rest
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anApplication } from '../../support/applications.js';
import {
  authorizeUrl,
  codeRequest,
  hiddenFields,
  redirected,
  TestBrowser,
  unescapeHtml,
} from '../../support/browser-flow.js';
import { CLIENT_SECRET, ForeignProvider } from '../../support/foreign-provider.js';
import { given } from '../../support/given.js';
import { collectMails } from '../../support/mailbox.js';
import { aServiceUser } from '../../support/service-users.js';
import { aManager, PASSWORD, type TestUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

// Owners get in while the provider that their addresses lead to is away.

let foreign: ForeignProvider;
beforeAll(async () => {
  foreign = await ForeignProvider.start();
});
afterAll(async () => {
  await foreign.stop();
});

const { api, world } = useWorld({ OUTBOUND_PRIVATE_ADDRESSES: 'allow', RATE_LIMIT_MAIL: '1000' });
const root = given(() => aServiceUser(world, 'IAM_OWNER'));
const client = given(() => anApplication(world));

let idp: string;
beforeEach(async () => {
  await api.sql.query('DELETE FROM identity_providers');
  const body = {
    kind: 'oidc',
    name: 'Directory',
    clientId: foreign.clientId,
    clientSecret: CLIENT_SECRET,
    issuer: foreign.issuer,
    allowCreation: true,
    homeRealm: true,
  };
  ({ id: idp } = (await root.call('POST', 'idps', body)).json<{ id: string }>());
  await root.call('POST', `idps/${idp}/_activate`);
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

  it('of an organization are told of, until one of them has', async () => {
    const other = await anOrganization(api);
    const owner = await aManager(other, 'ORG_OWNER');
    expect(await rely('idps/_search', other.orgId)).toBe(false);
    await withoutPassword(owner);
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
    await withoutPassword(owner);
    expect(await rely('/admin/v1/idps/_search')).toBe(true);
    await aManager(world, 'IAM_OWNER');
    expect(await rely('/admin/v1/idps/_search')).toBe(false);
  });

  it('get a mail by "Forgotten password?"', async () => {
    const owner = await aManager(world, 'ORG_OWNER');
    await withoutPassword(owner);
    const browser = new TestBrowser(api);
    const fields = await browser.openSignIn(codeRequest(client));
    const page = await browser.get(`/password/forgotten?flow=${fields['flow']}`);
    await browser.post('/password/forgotten', { ...hiddenFields(page.body), loginName: owner.loginName });
    await expect
      .poll(async () => JSON.stringify(await collectMails(api)))
      .toContain(`${owner.userName}@mail.test`);
  });
});
