import { describe, expect, it } from 'vitest';
import { isSmsTemplate } from '../../../src/domain/notifications/notification-template.js';
import { MESSAGE_TYPES } from '../../../src/domain/notifications/templates/message-texts.js';
import { languages } from '../../../src/domain/shared/locale.js';
import { call, errorBody, type Method } from '../../support/calls.js';
import { given } from '../../support/given.js';
import { importHuman, record } from '../../support/human-records.js';
import { collectMails } from '../../support/mailbox.js';
import { png } from '../../support/pictures.js';
import { aServiceUser, type ServiceUser } from '../../support/service-users.js';
import { anOrganization, useWorld, type World } from '../../support/world.js';

const FORBIDDEN = errorBody(7, 'No matching permissions found', 'AUTH-5mWD2');
const NOT_FOUND = errorBody(5, 'Template not found', 'TEMPLATE-h2Vq8');

const { api, world: home } = useWorld();
const root = given(() => aServiceUser(home, 'IAM_OWNER'));

interface Org {
  readonly world: World;
  readonly owner: ServiceUser;
}

async function freshOrg(): Promise<Org> {
  const world = await anOrganization(api);
  return { world, owner: await aServiceUser(world, 'ORG_OWNER') };
}

const organizations = ({ owner }: Org, method: Method, path: string, body?: unknown, headers = {}) =>
  call(api, method, `templates/${path}`, { pat: owner.pat, body, headers });
const instances = (method: Method, path: string, body?: unknown) =>
  root.call(method, `/admin/v1/templates/${path}`, body);

const TEXTS = {
  subject: 'Welcome to {{organizationName}}',
  title: 'Come in',
  preheader: 'Your account is ready',
  greeting: 'Dear {{displayName}},',
  text: 'First line\nsecond line\n\nUntil {{expiresAt}}',
  button: 'Open the door',
  footer: 'Acme Ltd\n1 Main Street',
};

/** The mail that an import of somebody without a password brings them. */
async function welcome({ owner }: Org, preferredLanguage = 'en', firstName = 'Ada') {
  const human = record({
    profile: { firstName, lastName: 'Lovelace', preferredLanguage },
    hashedPassword: undefined,
  });
  const imported = await importHuman(api, owner.pat, human);
  expect(imported.statusCode, imported.body).toBe(200);
  const { email } = human['email'] as { email: string };
  const mail = (await collectMails(api)).find(({ to }) => to === email);
  if (mail === undefined) throw new Error('no mail was sent');
  return mail;
}

describe('texts that nobody has set', () => {
  it.each(MESSAGE_TYPES)('are told with their placeholders: %s', async (type) => {
    const org = await freshOrg();
    for (const language of languages) {
      const response = await organizations(org, 'GET', `${type}/${language}`);
      expect(response.statusCode, response.body).toBe(200);
      expect(response.json()).toMatchObject({
        type,
        language,
        template: {},
        isDefault: true,
        details: { sequence: '0', resourceOwner: org.world.orgId },
      });
      // what is told may be set as it is
      const { inherited } = response.json<{ inherited: object }>();
      const put = await organizations(org, 'PUT', `${type}/${language}`, inherited);
      expect(put.statusCode, put.body).toBe(200);
    }
  });

  it.each(['initialise/xx', 'initialise/EN', 'welcome/en', 'constructor/en', 'initialise/__proto__'])(
    'are not found as %s',
    async (path) => {
      const org = await freshOrg();
      for (const [method, body] of [['GET'], ['PUT', TEXTS], ['DELETE', {}]] as const) {
        const response = await organizations(org, method, path, body);
        expect(response.json()).toEqual(NOT_FOUND);
        expect(response.statusCode).toBe(404);
      }
      expect((await organizations(org, 'POST', `${path}/_preview`, {})).json()).toEqual(NOT_FOUND);
    },
  );
});

describe('an organization’s own texts', () => {
  it('are set as a whole, told, listed and removed', async () => {
    const org = await freshOrg();
    const resourceOwner = org.world.orgId;
    const first = await organizations(org, 'PUT', 'initialise/en', TEXTS);
    const changeDate = expect.stringMatching(/Z$/) as string;
    const begun = Number(first.json<{ details: { sequence: string } }>().details.sequence);
    const after = (changes: number) => ({ sequence: String(begun + changes), resourceOwner });
    expect(first.json()).toEqual({ details: { ...after(0), changeDate } });
    expect((await organizations(org, 'GET', 'initialise/en')).json()).toMatchObject({
      template: TEXTS,
      isDefault: false,
      placeholders: ['organizationName', 'displayName', 'loginName', 'expiresAt'],
    });
    await organizations(org, 'PUT', 'initialise/en', {
      subject: ' Only this ',
      title: '',
    });
    const { template, inherited } = (await organizations(org, 'GET', 'initialise/en')).json<{
      template: object;
      inherited: { title: string };
    }>();
    expect(template).toEqual({ subject: 'Only this' });
    expect(inherited.title).toBe('Set your password');
    await organizations(org, 'PUT', 'verify_phone/de', { sms_text: '{{code}} ist es' });
    const listed = (await organizations(org, 'POST', '_search', { query: { limit: 1, asc: true } })).json();
    expect(listed).toMatchObject({
      details: { totalResult: '2' },
      result: [
        {
          type: 'initialise',
          language: 'en',
          template: { subject: 'Only this' },
          details: after(1),
        },
      ],
    });
    const removed = await organizations(org, 'DELETE', 'initialise/en');
    expect(removed.json()).toEqual({ details: { ...after(2), changeDate } });
    const again = await organizations(org, 'DELETE', 'initialise/en');
    expect(again.json()).toEqual(NOT_FOUND);
    expect((await organizations(org, 'GET', 'initialise/en')).json()).toMatchObject({ isDefault: true });
  });

  it('leave the names of what changed in the audit log, and no word', async () => {
    const org = await freshOrg();
    const first = await organizations(org, 'PUT', 'initialise/fr', TEXTS);
    const { sequence } = first.json<{ details: { sequence: string } }>().details;
    await organizations(org, 'PUT', 'initialise/fr', { ...TEXTS, title: 'SECRET', footer: undefined });
    await organizations(org, 'DELETE', 'initialise/fr');
    const { rows } = await api.sql.query(
      `SELECT type, sequence, actor_id, fields, data FROM events
       WHERE org_id = $1 AND aggregate_type = 'message_template' ORDER BY position`,
      [org.world.orgId],
    );
    const shared = { actor_id: org.owner.userId, data: { template: 'initialise', language: 'fr' } };
    const all = ['button', 'footer', 'greeting', 'preheader', 'subject', 'text', 'title'];
    const type = 'organization.message_template.changed';
    expect(rows).toEqual([
      { ...shared, type, sequence, fields: all },
      { ...shared, type, sequence: String(Number(sequence) + 1), fields: ['footer', 'title'] },
      {
        ...shared,
        type: 'organization.message_template.removed',
        sequence: String(Number(sequence) + 2),
        fields: all.filter((field) => field !== 'footer'),
      },
    ]);
  });

  it('are set once by a call that is repeated', async () => {
    const org = await freshOrg();
    const headers = { 'idempotency-key': 'templates-1' };
    const first = await organizations(org, 'PUT', 'initialise/en', TEXTS, headers);
    const second = await organizations(org, 'PUT', 'initialise/en', TEXTS, headers);
    expect(second.json()).toEqual(first.json());
  });

  it('are replaced by eight at once one after the other', async () => {
    const org = await freshOrg();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        organizations(org, 'PUT', 'register/en', { title: `Title ${index}` }),
      ),
    );
    const sequences = answers.map((answer) =>
      Number(answer.json<{ details: { sequence: string } }>().details.sequence),
    );
    const first = Math.min(...sequences);
    expect(sequences.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((n) => first + n));
  });

  it('are the organization’s alone', async () => {
    const [mine, other] = [await freshOrg(), await freshOrg()];
    await organizations(mine, 'PUT', 'initialise/en', TEXTS);
    expect((await organizations(other, 'GET', 'initialise/en')).json()).toMatchObject({ isDefault: true });
    expect((await organizations(other, 'POST', '_search', {})).json()).toMatchObject({
      details: { totalResult: '0' },
    });
    expect((await organizations(other, 'DELETE', 'initialise/en')).json()).toEqual(NOT_FOUND);
    const headers = { 'x-zitadel-orgid': mine.world.orgId };
    const foreign = await organizations(other, 'PUT', 'initialise/en', TEXTS, headers);
    expect(foreign.json()).toEqual(FORBIDDEN);
    expect((await welcome(other)).subject).toBe(`Set your password for ${await nameOf(other)}`);
    expect((await welcome(mine)).subject).toBe(`Welcome to ${await nameOf(mine)}`);
  });

  it.each([
    ['ORG_OWNER_VIEWER', 200, 403],
    ['ORG_USER_MANAGER', 200, 403],
    ['ORG_OWNER', 200, 200],
    [undefined, 404, 404],
  ] as const)('may be read and set by %s as the table says', async (role, reads, writes) => {
    const world = await anOrganization(api);
    const { pat } = await aServiceUser(world, role);
    const read = await call(api, 'GET', 'templates/initialise/en', { pat });
    const preview = await call(api, 'POST', 'templates/initialise/en/_preview', { pat, body: {} });
    const write = await call(api, 'PUT', 'templates/initialise/en', { pat, body: TEXTS });
    const statuses = [read, preview, write].map(({ statusCode }) => (statusCode === 404 ? 403 : statusCode));
    expect(statuses).toEqual([reads, reads, writes].map((status) => (status === 404 ? 403 : status)));
    const admin = await call(api, 'PUT', '/admin/v1/templates/initialise/en', { pat, body: TEXTS });
    expect(admin.statusCode).toBe(403);
  });
});

async function nameOf({ world }: Org): Promise<string> {
  const { rows } = await api.sql.query<{ name: string }>('SELECT name FROM organizations WHERE id = $1', [
    world.orgId,
  ]);
  return rows[0]?.name ?? '';
}

describe('what is refused by name, and nothing stored (S178)', () => {
  it.each([
    [{}, 'at least one text is required'],
    [{ subject: '' }, 'at least one text is required'],
    [{ colour: 'red' }, 'colour'],
    [{ subject: 7 }, 'subject must be a string'],
    [{ smsText: '{{code}}' }, 'smsText is not a text of initialise'],
    [{ subject: 'a\nBcc: b' }, 'subject must be one line'],
    [{ text: 'a\u0000b' }, 'text must not contain control'],
    [
      { text: "{{constructor.constructor('return process')()}}" },
      `text has an unknown placeholder "{{constructor.constructor('return process')()}}"`,
    ],
    [{ text: '{{#each users}}{{email}}{{/each}}' }, 'unknown placeholder "{{#each users}}"'],
    [{ text: '{{{displayName}}}' }, 'unknown placeholder'],
    [{ text: '{{> /etc/passwd}}' }, 'unknown placeholder'],
    [{ text: '{{code}}' }, 'unknown placeholder "{{code}}"'],
    [{ text: 'http://evil.test' }, 'text must not contain a web address'],
    [{ text: 'x'.repeat(4001) }, 'text must have 1 to 4000 characters'],
    [{ button: 'x'.repeat(61) }, 'button must have 1 to 60 characters'],
  ])('%j', async (body, told) => {
    const org = await freshOrg();
    for (const response of [
      await organizations(org, 'PUT', 'initialise/en', body),
      await instances('PUT', 'initialise/en', body),
    ]) {
      expect(response.statusCode).toBe(400);
      expect(response.json<{ code: number; message: string }>()).toMatchObject({
        code: 3,
        message: expect.stringContaining(told) as string,
      });
    }
    expect((await organizations(org, 'GET', 'initialise/en')).json()).toMatchObject({ isDefault: true });
    if (Object.keys(body).length > 0 && !('subject' in body && body.subject === '')) {
      expect((await organizations(org, 'POST', 'initialise/en/_preview', body)).statusCode).toBe(400);
    }
  });

  it('a template of 10 MB, and one of 3 MB', async () => {
    const org = await freshOrg();
    const huge = await organizations(org, 'PUT', 'initialise/en', { text: 'x'.repeat(10_000_000) });
    expect([huge.statusCode, huge.json<{ code: number }>().code]).toEqual([413, 8]);
    const large = await organizations(org, 'PUT', 'initialise/en', { text: '{{'.repeat(1_500_000) });
    expect(large.statusCode).toBe(400);
    expect(large.body.length).toBeLessThan(500);
  });
});

describe('the texts of a mail', () => {
  it('are the organization’s, else the instance’s, else the built-in ones, each in the mail’s language', async () => {
    const org = await freshOrg();
    const name = await nameOf(org);
    await instances('PUT', 'initialise/de', {
      subject: 'Instanz {{organizationName}}',
      title: 'Von der Instanz',
    });
    const german = await welcome(org, 'de');
    expect(german.subject).toBe(`Instanz ${name}`);
    expect(german.html).toContain('Von der Instanz');
    expect(german.html).toContain('Passwort');
    await organizations(org, 'PUT', 'initialise/de', { subject: 'Wir, {{ organizationName }}' });
    const own = await welcome(org, 'de-CH');
    expect(own.subject).toBe(`Wir, ${name}`);
    expect(own.html).toContain('Von der Instanz');
    expect((await organizations(org, 'GET', 'initialise/de')).json()).toMatchObject({
      template: { subject: 'Wir, {{ organizationName }}' },
      inherited: { subject: 'Instanz {{organizationName}}', title: 'Von der Instanz' },
    });
    // another language is not told in German because that one has words of its own
    expect((await welcome(org, 'fr')).subject).toBe(`Définissez votre mot de passe pour ${name}`);
    // a language that nobody speaks is the organization's default
    await call(api, 'PUT', 'policies/branding', { pat: org.owner.pat, body: { defaultLanguage: 'de' } });
    expect((await welcome(org, 'sv')).subject).toBe(`Wir, ${name}`);
    await instances('DELETE', 'initialise/de');
    expect((await welcome(org, 'de')).html).not.toContain('Von der Instanz');
  });

  it.each([
    '{{code}}{{loginName}}',
    '<a href="http://evil.test">x</a>',
    'http://evil.test/win',
    "{{constructor.constructor('return process')()}}",
  ])('take the name %j literally (S152)', async (firstName) => {
    const org = await freshOrg();
    await organizations(org, 'PUT', 'initialise/en', { ...TEXTS, subject: 'For {{displayName}}' });
    const { subject, text, html } = await welcome(org, 'en', firstName);
    expect(subject).toBe(`For ${firstName} Lovelace`);
    expect(html?.match(/<a\s/g)).toHaveLength(2);
    expect(text).not.toMatch(/http:\/\/evil|evil\.test/);
    // what keeps it from becoming a link is not seen
    expect(text.replaceAll('\u200C', '')).toContain(`Dear ${firstName} Lovelace,`);
  });
});

describe('a preview', () => {
  it('is the mail in the organization’s look, with the texts given or those that hold', async () => {
    const org = await freshOrg();
    const branding = { displayName: 'Acme', accentColor: '#ff8800', logo: png('p').toString('base64') };
    await call(api, 'PUT', 'policies/branding', { pat: org.owner.pat, body: branding });
    await organizations(org, 'PUT', 'initialise/en', { title: 'Stored' });
    const stored = (await organizations(org, 'GET', 'initialise/en')).json<object>();
    const given = await organizations(org, 'POST', 'initialise/en/_preview', {
      subject: 'Hi {{displayName}}',
    });
    const { mail } = given.json<{ mail: { subject: string; text: string; html: string } }>();
    expect(mail.subject).toBe('Hi Ada Lovelace');
    expect(mail.html).toContain('#ff8800');
    expect(mail.html).toMatch(/<img[^>]* src="https:\/\/id\.test\/logos\/[0-9a-f]{64}\.png" alt="Acme"/);
    expect(mail.html).not.toContain('Stored');
    expect(mail.text).toContain('https://id.test/password/init?id=preview&code=K7PX2M');
    const held = (await organizations(org, 'POST', 'initialise/en/_preview')).json<{ mail: typeof mail }>();
    expect(held.mail.html).toContain('Stored');
    // nothing was changed by looking
    expect((await organizations(org, 'GET', 'initialise/en')).json()).toEqual(stored);
    expect(stored).toMatchObject({ template: { title: 'Stored' } });
  });

  it.each(MESSAGE_TYPES)('is there for every message, the instance’s too: %s', async (type) => {
    const response = await instances('POST', `${type}/ja/_preview`, {});
    expect(response.statusCode, response.body).toBe(200);
    const kind = isSmsTemplate(type) ? 'sms' : 'mail';
    expect(Object.keys(response.json<object>())).toEqual([kind]);
  });

  it('tells what a short message costs', async () => {
    const org = await freshOrg();
    await call(api, 'PUT', 'policies/branding', { pat: org.owner.pat, body: { displayName: 'Acme' } });
    const body = { smsText: '{{code}} ł' };
    const { sms } = (await organizations(org, 'POST', 'verify_phone/pl/_preview', body)).json<{
      sms: { text: string };
    }>();
    expect(sms).toMatchObject({ encoding: 'UCS-2', segments: 1 });
    expect(sms.text).toMatch(/^K7PX2M ł\nhttps:\/\/id\.test\/verify\/phone\?id=preview&code=K7PX2M/);
  });

  it('can be looked at in a sandbox where nothing runs', async () => {
    const org = await freshOrg();
    const body = { ...TEXTS, text: '<script>alert(1)</script>' };
    const response = await organizations(org, 'POST', 'initialise/en/_preview_html', body);
    expect(response.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    const policy = String(response.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/^sandbox(?! [^;]*allow-scripts)/);
    expect(policy).not.toMatch(/script-src|allow-same-origin/);
    expect(response.body).toMatch(/^<!doctype html>/);
    expect(response.body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    const sms = await organizations(org, 'POST', 'verify_phone/en/_preview_html', {});
    expect(sms.headers['content-type']).toBe('text/plain; charset=utf-8');
  });
});
