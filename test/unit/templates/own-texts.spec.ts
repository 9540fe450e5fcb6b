import { describe, expect, it } from 'vitest';
import { composeMail } from '../../../src/domain/notifications/compose-mail.js';
import type { ClaimedNotification } from '../../../src/domain/notifications/notifications.store.js';
import { checkTexts } from '../../../src/domain/notifications/templates/check-texts.js';
import {
  fieldsOf,
  LONGEST_TEXT,
  MESSAGE_TYPES,
  type MessageTexts,
} from '../../../src/domain/notifications/templates/message-texts.js';
import { languages } from '../../../src/domain/shared/locale.js';
import { MailRenderer } from '../../../src/mails/mail-renderer.js';
import { claimed } from '../notifications/claimed.js';

const renderer = new MailRenderer();
const ISSUER = 'https://id.example.com';
const OWN: MessageTexts = {
  subject: 'Welcome to {{organizationName}}, {{displayName}}',
  title: 'Come in',
  preheader: 'It is {{expiresAt}} at the latest',
  greeting: 'Dear {{displayName}},',
  text: 'First <b>line</b>\nsecond line\n\nNew paragraph for {{loginName}}',
  button: 'Open the door',
  footer: 'Acme Ltd\n1 Main Street',
};

function mailOf(texts: MessageTexts, differences: Partial<ClaimedNotification> = {}) {
  return composeMail(claimed(differences), 'ABC123', { issuer: ISSUER, renderer, texts });
}

function faultOf(texts: MessageTexts, type: Parameters<typeof checkTexts>[0] = 'initialise'): string {
  try {
    checkTexts(type, texts);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a mail in own words', () => {
  it('says them in HTML and in text, and keeps what is ours', () => {
    const { subject, text, html } = mailOf(OWN);
    expect(subject).toBe('Welcome to Acme, Ada Lovelace');
    expect(text).toContain('Dear Ada Lovelace,\n\nFirst <b>line</b>\nsecond line\n\nNew paragraph');
    expect(text).toContain('Open the door:\nhttps://id.example.com/password/init?id=code-1&code=ABC123');
    expect(text).toContain('--\nAcme Ltd\n1 Main Street');
    expect(html).toContain('First &lt;b&gt;line&lt;/b&gt;<br />second line');
    expect(html).toContain('Acme Ltd<br />1 Main Street');
    expect(html).toContain('1 January 2027 at 00:00 UTC');
    for (const body of [text, html]) {
      expect(body).toContain('ABC123');
      expect(body).toContain('We will never ask you for this code.');
      expect(body).toContain('ada@acme.test');
    }
  });

  it('says the built-in ones where there are none', () => {
    const builtIn = mailOf({});
    const { subject, text } = mailOf({ subject: 'Only this' });
    expect(subject).toBe('Only this');
    expect(text).toBe(builtIn.text);
  });

  it('greets without a name where there is none, and in own words where they need none', () => {
    expect(mailOf(OWN, { displayName: '' }).text).toMatch(/^Hello,\n/);
    expect(mailOf({ greeting: 'Good day,' }, { displayName: '' }).text).toMatch(/^Good day,\n/);
  });

  it.each([
    '{{code}}',
    '{{loginName}}{{{{',
    '<img src=x onerror=alert(1)>',
    '<a href="http://evil.test">x</a>',
    'Ada\r\nBcc: all@evil.test',
    'Ada\u202E\u2028x',
    '$& $1 $`',
  ])('takes the name %j as a name', (name) => {
    const { subject, text, html } = mailOf(OWN, { displayName: name, organization: { name } });
    expect(subject).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E]/u);
    expect(subject).not.toContain('ABC123');
    // once in the link as text and once in the box, as with any name
    expect(text.match(/ABC123/g)).toHaveLength(2);
    expect(html.match(/<a\s/g)).toHaveLength(2);
    expect(html).not.toMatch(/<img|<b>|onerror=alert\(1\)>/);
    expect(text).not.toMatch(/[\r\u202A-\u202E\u2028]/);
  });

  it.each(['http://evil.test/win', 'www.evil.test', 'evil.test', 'win@evil.test', 'HTTPS://EVIL.TEST'])(
    'makes no link of the name %s that a mail program could find',
    (name) => {
      const differences = { displayName: name, loginName: `${name}/x`, organization: { name } };
      for (const mail of [mailOf(OWN, differences), mailOf({}, differences)]) {
        const ours = /https:\/\/id\.example\.com\S*?(?=["<\s])/g;
        for (const body of [mail.text, mail.html.replaceAll(/<head>[^]*<\/head>/g, '')]) {
          expect(body.replaceAll(ours, '')).not.toMatch(/:\/\/|[a-z]\.test|www\.[a-z]|[a-z]@[a-z]/i);
        }
      }
    },
  );

  it.each([
    [{ text: 'Visit acme.test or write to help@acme.test' }, 'Acme', 'Ada'],
    [{ text: '{{organizationName}}.test' }, 'acme', 'Ada'],
    [{ footer: 'www{{displayName}}test' }, 'Acme', '.acme.'],
    [{ greeting: '{{organizationName}}{{displayName}}' }, 'acme', '.test'],
    [{ greeting: '{{organizationName}}{{displayName}}' }, 'https:', '//acme'],
  ])('makes no link of %j with %s and %s', (texts, name, displayName) => {
    const { text, html } = mailOf(texts, { displayName, organization: { name } });
    for (const body of [text, html.replaceAll(/<head>[^]*<\/head>/g, '')]) {
      const others = body.replaceAll(/https:\/\/id\.example\.com\S*|ada@acme\.test/g, '');
      expect(others).not.toMatch(/:\/\/|[a-z]\.test|www\.|[a-z]@[a-z]/i);
    }
  });

  it('leaves an ordinary login name as people copy it', () => {
    expect(mailOf({}, { loginName: 'ada.lovelace@acme.test' }).text).toContain('ada.lovelace@acme.test');
  });
});

describe('texts that may be set', () => {
  it.each(MESSAGE_TYPES)('are those that %s has by itself, in any language', (type) => {
    for (const language of languages) {
      const texts = renderer.builtInTexts(type, language);
      expect(Object.keys(texts).sort()).toEqual([...fieldsOf(type)].sort());
      expect(faultOf(texts, type)).toBe('');
    }
  });

  it.each(Object.entries(LONGEST_TEXT))('%s may have %i characters and no more', (field, longest) => {
    const type = field === 'smsText' ? 'verify_phone' : 'initialise';
    const code = field === 'smsText' ? '{{code}}' : '';
    const exact = code + '😀'.repeat(longest - code.length);
    expect(faultOf({ [field]: exact }, type)).toBe('');
    expect(faultOf({ [field]: `${exact}x` }, type)).toBe(`${field} must have 1 to ${longest} characters`);
    expect(faultOf({ [field]: '' }, type)).toBe(`${field} must have 1 to ${longest} characters`);
  });

  it('has a text of 10 MB refused (S178)', () => {
    expect(faultOf({ text: '{{'.repeat(5_000_000) })).toBe('text must have 1 to 4000 characters');
  });

  it.each([
    [{ subject: 'a\nBcc: b' }, 'subject must be one line'],
    [{ subject: 'a\rb' }, 'subject must not contain control'],
    [{ text: 'a\u0000b' }, 'text must not contain control'],
    [{ text: 'a\u202Eb' }, 'text must not contain control'],
    [{ title: 'a\u2028b' }, 'title must not contain control'],
    [{ text: 'see http://evil.test' }, 'text must not contain a web address'],
    [{ footer: 'WWW.evil.test' }, 'footer must not contain a web address'],
    [{ text: 'mailto:a@b' }, 'text must not contain a web address'],
    [{ smsText: '{{code}}' }, 'smsText is not a text of initialise'],
    [{ text: '{{code}}' }, 'text has an unknown placeholder "{{code}}"'],
    [{ text: '{{happenedAt}}' }, 'text has an unknown placeholder "{{happenedAt}}"'],
    [
      { subject: "{{constructor.constructor('return process')()}}" },
      `subject has an unknown placeholder "{{constructor.constructor('return process')()}}"`,
    ],
  ])('do not include %j', (texts, fault) => {
    expect(faultOf(texts)).toContain(fault);
  });

  it('need the code in a short message', () => {
    expect(faultOf({ smsText: 'Hello' }, 'verify_phone')).toBe('smsText must contain {{code}}');
    expect(faultOf({ subject: 'x' }, 'verify_phone')).toBe('subject is not a text of verify_phone');
  });

  it('name nobody where a stranger typed the names', () => {
    expect(faultOf({ greeting: '{{displayName}}' }, 'register')).toContain('unknown placeholder');
  });
});
