import { describe, expect, it } from 'vitest';
import { anOwnApplication } from '../../support/applications.js';
import { obtainTokens } from '../../support/browser-flow.js';
import { call, errorBody } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { collectMails } from '../../support/mailbox.js';
import { API_SCOPE, aServiceUser } from '../../support/service-users.js';
import { aUser } from '../../support/users.js';
import { anOrganization, useWorld } from '../../support/world.js';

// A message to whoever writes its words: what stands in their form, to their own verified address alone.

const { api, world: home } = useWorld({ RATE_LIMIT_MAIL: '1000' });
const world = given(() => anOrganization(api));
const root = given(() => aServiceUser(home, 'IAM_OWNER'));

interface Writer {
  readonly address: string;
  readonly test: (path: string, body?: unknown, headers?: Record<string, string>) => ReturnType<typeof call>;
}

/** Somebody who signs in and has a role, with an address of their own. */
async function aWriter(role: string, { verified = true, of = world } = {}): Promise<Writer> {
  const address = `writer-${Math.random().toString(36).slice(2)}@post.example`;
  const user = await aUser(of, { email: { address, verified: true } });
  const isOfInstance = role.startsWith('IAM_');
  const path = isOfInstance ? '/admin/v1/members' : 'orgs/me/members';
  const headers = { 'x-zitadel-orgid': of.orgId };
  const given = await root.call('POST', path, { userId: user.userId, roles: [role] }, { headers });
  expect(given.statusCode, given.body).toBe(200);
  const { access_token: pat } = await obtainTokens(api, await anOwnApplication(of), user, {
    scope: `openid ${API_SCOPE}`,
  });
  if (!verified)
    await api.sql.query('UPDATE user_humans SET email_verified = false WHERE user_id = $1', [user.userId]);
  return {
    address,
    test: (template, body, more = {}) =>
      call(api, 'POST', template.startsWith('/') ? template : `templates/${template}/_test`, {
        pat,
        body,
        headers: more,
      }),
  };
}

const TEXTS = { subject: 'Ahoy {{displayName}}', title: 'Come aboard', text: 'The gangway is down.' };

describe('a test of the texts of a message', () => {
  it('goes to the caller as it is being edited, marked as a test, and nothing is stored', async () => {
    const { address, test } = await aWriter('ORG_OWNER');
    const response = await test('initialise/en', TEXTS);
    expect(response.statusCode, response.body).toBe(200);
    expect(response.json()).toEqual({ sentTo: address });
    const mails = (await collectMails(api)).filter(({ to }) => to === address);
    expect(mails).toMatchObject([{ to: address, subject: '[Test] Ahoy Ada Lovelace' }]);
    expect(mails[0]?.text).toContain('The gangway is down');
    expect(mails[0]?.html).toContain('Come aboard');
    const { rows } = await api.sql.query('SELECT FROM message_templates WHERE org_id = $1', [world.orgId]);
    expect(rows).toEqual([]);
    // what was sealed with it is gone
    const { rows: notifications } = await api.sql.query(
      `SELECT state, content_sealed FROM notifications WHERE template = 'template_test' AND org_id = $1`,
      [world.orgId],
    );
    expect(notifications).toContainEqual({ state: 'sent', content_sealed: null });
    const { rows: events } = await api.sql.query(
      `SELECT data FROM events WHERE type = 'organization.message_template.tested' AND org_id = $1`,
      [world.orgId],
    );
    expect(events).toContainEqual({ data: { template: 'initialise', language: 'en' } });
  });

  it('says what holds now where nothing is given', async () => {
    const { address, test } = await aWriter('ORG_OWNER');
    expect((await test('password_changed/de')).statusCode).toBe(200);
    const mails = (await collectMails(api)).filter(({ to }) => to === address);
    expect(mails).toMatchObject([{ subject: expect.stringMatching(/^\[Test\] \S/) as string }]);
  });

  it('of the instance goes to an owner of the instance, whoever’s organization they are of', async () => {
    const { address, test } = await aWriter('IAM_OWNER');
    const response = await test('/admin/v1/templates/reset_choice/ja/_test', { title: 'Which one?' });
    expect(response.json()).toEqual({ sentTo: address });
    const mails = (await collectMails(api)).filter(({ to }) => to === address);
    expect(mails).toHaveLength(1);
    expect(mails[0]?.html).toContain('Which one?');
  });

  it('of an organization may be asked for by an owner of the instance who is of another', async () => {
    const elsewhere = await anOrganization(api);
    const { address, test } = await aWriter('IAM_OWNER');
    const response = await test('initialise/en', TEXTS, { 'x-zitadel-orgid': elsewhere.orgId });
    expect(response.json()).toEqual({ sentTo: address });
    expect((await collectMails(api)).filter(({ to }) => to === address)).toHaveLength(1);
  });

  it('is for those who may write texts: nobody else, and nobody of another organization', async () => {
    for (const role of ['ORG_OWNER_VIEWER', 'ORG_USER_MANAGER']) {
      const { test } = await aWriter(role);
      expect((await test('initialise/en', TEXTS)).statusCode, role).toBe(403);
    }
    const { test } = await aWriter('ORG_OWNER');
    const elsewhere = await anOrganization(api);
    const other = await test('initialise/en', TEXTS, { 'x-zitadel-orgid': elsewhere.orgId });
    expect(other.json()).toEqual(errorBody(7, 'No matching permissions found', 'AUTH-5mWD2'));
    expect((await test('/admin/v1/templates/initialise/en/_test', TEXTS)).statusCode).toBe(403);
    expect((await collectMails(api)).filter(({ subject }) => subject.startsWith('[Test]'))).toEqual([]);
  });

  it('takes no address, and sends none where the caller has no verified one', async () => {
    const { test } = await aWriter('ORG_OWNER');
    const addressed = await test('initialise/en', { ...TEXTS, to: 'victim@post.example' });
    expect(addressed.statusCode).toBe(400);
    const unproven = await aWriter('ORG_OWNER', { verified: false });
    const refused = await unproven.test('initialise/en', TEXTS);
    expect(refused.statusCode).toBe(400);
    expect(refused.json()).toMatchObject({ code: 9, details: [{ id: 'TEMPLATE-v9Rk3' }] });
    const machine = await aServiceUser(world, 'ORG_OWNER');
    const ofMachine = await machine.call('POST', 'templates/initialise/en/_test', TEXTS);
    expect(ofMachine.json()).toMatchObject({ code: 9, details: [{ id: 'TEMPLATE-v9Rk3' }] });
  });

  it.each([
    ['a web address', 'initialise/en', { text: 'Look at https://evil.example' }, 3],
    ['a text that is too long', 'initialise/en', { text: 'x'.repeat(4001) }, 3],
    ['a short message', 'verify_phone/en', { smsText: 'Your code: {{code}}' }, 9],
    ['no such message', 'welcome/en', TEXTS, 5],
  ])('is refused: %s', async (_what, path, body, code) => {
    const { test } = await aWriter('ORG_OWNER');
    expect((await test(path, body)).json()).toMatchObject({ code });
  });

  it('is refused where the body is too large', async () => {
    const { test } = await aWriter('ORG_OWNER');
    const response = await test('initialise/en', { text: 'x'.repeat(4 * 1024 * 1024) });
    expect(response.statusCode).toBe(413);
  });

  it('is sent once for one key, also when asked twice at once', async () => {
    const { address, test } = await aWriter('ORG_OWNER');
    const headers = { 'idempotency-key': `test-${address}` };
    const answers = await Promise.all([1, 2].map(() => test('initialise/en', TEXTS, headers)));
    const again = await test('initialise/en', TEXTS, headers);
    expect(again.json()).toEqual({ sentTo: address });
    for (const { statusCode } of answers) expect([200, 409]).toContain(statusCode);
    expect((await collectMails(api)).filter(({ to }) => to === address)).toHaveLength(1);
  });

  it('may be asked for ten times a minute, by each caller', async () => {
    const { test } = await aWriter('ORG_OWNER');
    for (let count = 0; count < 10; count += 1)
      expect((await test('initialise/en', TEXTS)).statusCode).toBe(200);
    const refused = await test('initialise/en', TEXTS);
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toMatchObject({ code: 8 });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const other = await aWriter('ORG_OWNER');
    expect((await other.test('initialise/en', TEXTS)).statusCode).toBe(200);
  });
});
