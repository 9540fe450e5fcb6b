import { describe, expect, it } from 'vitest';
import type { ChangeMail, CodeMail, Mail } from '../../../src/domain/notifications/mail.js';
import { MailRenderer } from '../../../src/mails/mail-renderer.js';
import { escapeHtml } from '../../../src/rendering/html.js';

const renderMail = (mail: Mail) => new MailRenderer().renderMail(mail);

const mail: Omit<CodeMail, 'template'> & { readonly link: string } = {
  organizationName: 'Acme',
  displayName: 'Ada Lovelace',
  loginName: 'ada@acme.test',
  link: 'https://id.test/password/init?userID=331&code=K7PX2M',
  code: 'K7PX2M',
  expiresAt: new Date('2026-11-24T14:30:00Z'),
  language: 'en',
};

const kinds = [
  ['initialisation', 'initialise', 'Set your password for Acme', 'Set password'],
  ['password reset', 'reset_password', 'Choose a new password for Acme', 'Choose new password'],
  ['verification', 'verify_email', 'Verify your e-mail address for Acme', 'Verify e-mail address'],
] as const;

describe.each(kinds)('%s mail', (_name, template, subject, button) => {
  const render = (view: Omit<CodeMail, 'template'>) => renderMail({ ...view, template });
  const rendered = render(mail);

  it('says the same in text and in HTML', () => {
    expect(rendered.subject).toBe(subject);
    for (const body of [rendered.text, rendered.html]) {
      expect(body).toContain('Hello Ada Lovelace,');
      expect(body).toContain('ada@acme.test');
      expect(body).toContain('K7PX2M');
      expect(body).toContain('24 November 2026');
      expect(body).toContain('14:30 UTC');
      expect(body).toContain('You received this e-mail because');
    }
    expect(rendered.text).toContain(`\n${mail.link}\n`);
    expect(rendered.text).not.toMatch(/<[a-z]/);
  });

  it('has one button, and its link as text too', () => {
    const link = escapeHtml(mail.link);
    expect(rendered.html.match(new RegExp(`>\\s*${button}\\s*</a>`, 'g'))).toHaveLength(1);
    expect(rendered.html.match(/<a\s/g)).toHaveLength(2);
    expect(rendered.html.split(`href="${link}"`)).toHaveLength(3);
    expect(rendered.html).toMatch(new RegExp(`>\\s*${link.replace(/[.*+?^$()[\]\\|{}]/g, '\\$&')}\\s*</a>`));
  });

  it('asks nobody for pictures or fonts and knows dark schemes', () => {
    expect(rendered.html).not.toMatch(/<img|<script|<link|url\(|@import/);
    expect(rendered.html).toContain('prefers-color-scheme:dark');
    expect(rendered.html).not.toMatch(/undefined|\[object/);
  });

  it('S205: sets a name that is read from right to left apart from the words around it', () => {
    const { text, html } = render({ ...mail, displayName: 'משה', organizationName: 'أكمي' });
    expect(text).toContain('Hello \u2068משה\u2069,');
    expect(html).toContain('Hello \u2068משה\u2069,');
    expect(text.match(/\u2068/g)).toHaveLength(text.match(/\u2069/g)?.length ?? 0);
  });

  it.each([
    ['{{7*7}}', '{{7*7}}'],
    ['${7*7}', '${7*7}'],
    ['<a href=//evil.test>win</a>', '<a href=//evil.test>win</a>'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['Ada\r\nBcc: x@evil.test', 'Ada Bcc: x@evil.test'],
    ['Ada\r\n\r\nYour code: 000000', 'Ada Your code: 000000'],
    ['Ada\u2028\u2029\u0000\u0007x', 'Ada x'],
    ['\u202Egnp.eciovni\u202C', 'gnp.eciovni'],
    ['\u2067Ada\u2069', 'Ada'],
    ['"\' onmouseover=alert(1)', '"\' onmouseover=alert(1)'],
  ])('takes the name %j literally', (given, line) => {
    const hostile = render({ ...mail, displayName: given, loginName: given, organizationName: given });
    const { subject: hostileSubject } = hostile;
    // what keeps addresses from becoming links is not seen
    const [text, html] = [hostile.text, hostile.html].map((body) => body.replaceAll('\u200C', '')) as [
      string,
      string,
    ];
    expect(hostileSubject).toContain(line);
    expect(hostileSubject).not.toMatch(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u);
    expect(text).toContain(`Hello ${line},`);
    expect(text).not.toMatch(/[\r\u202A-\u202E\u2066-\u2069]/);
    expect(text.match(/\n/g)).toHaveLength(rendered.text.match(/\n/g)?.length ?? 0);
    expect(html).toContain(`Hello ${escapeHtml(line)},`);
    expect(html.match(/<a\s/g)).toHaveLength(2);
    expect(html).not.toContain('<script');
  });

  it('keeps names within measure and greets without one', () => {
    const long = render({ ...mail, displayName: 'x'.repeat(10_000), organizationName: 'y'.repeat(10_000) });
    expect(Array.from(long.subject).length).toBeLessThanOrEqual(120);
    expect(long.html.length).toBeLessThan(15_000);
    expect(render({ ...mail, displayName: ' ' }).text).toMatch(/^Hello,\n/);
  });

  it('does not turn a link without http into one', () => {
    expect(render({ ...mail, link: 'javascript:alert(1)' }).html).not.toContain('href="javascript');
  });

  it("takes an organization's accent only as a colour", () => {
    expect(render({ ...mail, accent: '#ffcc00' }).html).toContain('background-color:#ffcc00');
    expect(render({ ...mail, accent: 'red;background:url(//evil.test)' }).html).toBe(rendered.html);
  });
});

describe('password-changed notice', () => {
  const notice: ChangeMail = {
    template: 'password_changed',
    organizationName: 'Acme',
    displayName: 'Ada Lovelace',
    loginName: 'ada@acme.test',
    language: 'en',
    happenedAt: new Date('2026-11-24T14:30:00Z'),
  };
  const link = 'https://id.test/password/forgotten';

  it('says whose password changed and when, in text and in HTML', () => {
    const { subject, text, html } = renderMail({ ...notice, otherSessionsEnded: true, link });
    expect(subject).toBe('Your password for Acme was changed');
    for (const body of [text, html]) {
      expect(body).toContain('ada@acme.test');
      expect(body).toContain('was changed on 24 November 2026 at 14:30 UTC');
      expect(body).toContain('signed out everywhere else');
      expect(body).toContain(link);
    }
    expect(text).toContain(`Choose new password:\n${link}\n`);
    expect(html.split(`href="${link}"`)).toHaveLength(3);
  });

  it('has no button without a link, and tells whom to turn to', () => {
    const { text, html } = renderMail(notice);
    expect(html).not.toContain('<a ');
    expect(text).toContain('contact the people who manage the accounts at Acme');
    expect(text).not.toContain('signed out everywhere else');
  });
});

describe('language of a mail', () => {
  it.each([
    ['de', 'Guten Tag'],
    ['fr', 'Bonjour'],
    ['en', 'Hello'],
    ['pt', 'Olá'],
  ] as const)('in %s begins with %s', (language, greeting) => {
    expect(renderMail({ ...mail, template: 'initialise', language }).text).toContain(greeting);
  });
});
