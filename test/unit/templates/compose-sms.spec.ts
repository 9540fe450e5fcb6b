import { describe, expect, it } from 'vitest';
import { composeSms } from '../../../src/domain/notifications/compose-sms.js';
import type { ClaimedNotification } from '../../../src/domain/notifications/notifications.store.js';
import { smsSize } from '../../../src/domain/notifications/sms-segments.js';
import { languages } from '../../../src/domain/shared/locale.js';
import { MailRenderer } from '../../../src/mails/mail-renderer.js';
import { claimed } from '../notifications/claimed.js';

const renderer = new MailRenderer();
const issuer = 'https://id.example.com';

function phone(differences: Partial<ClaimedNotification> = {}): ClaimedNotification {
  return claimed({
    template: 'verify_phone',
    channel: 'sms',
    codeId: 'kQ3v9xYz0aBcDeFgHiJkLm',
    ...differences,
  });
}

describe('a short message', () => {
  it('has the words, the link, and the code bound to our origin, in one segment', () => {
    const text = composeSms(phone(), 'K7PX2M', { issuer, renderer });
    expect(text).toBe(
      'Your code for Acme: K7PX2M. Never share it.\n' +
        'https://id.example.com/verify/phone?id=kQ3v9xYz0aBcDeFgHiJkLm&code=K7PX2M\n\n' +
        '@id.example.com #K7PX2M',
    );
    expect(smsSize(text)).toEqual({ encoding: 'GSM-7', segments: 1 });
  });

  it('leaves out the last line where it would cost a segment, and where there is no https', () => {
    const name = 'A name of thirty characters ab';
    const text = composeSms(phone({ organization: { name } }), 'K7PX2M', { issuer, renderer });
    expect(text).toContain(name);
    expect(text).not.toContain('#K7PX2M');
    expect(smsSize(text).segments).toBe(1);
    expect(composeSms(phone(), 'K7PX2M', { issuer: 'http://localhost:8080', renderer })).not.toContain('#');
  });

  it.each(languages)('in %s costs no more than the language makes it', (preferredLanguage) => {
    const size = smsSize(composeSms(phone({ preferredLanguage }), 'K7PX2M', { issuer, renderer }));
    const wide = preferredLanguage === 'ja' || preferredLanguage === 'zh';
    expect(size).toEqual(wide ? { encoding: 'UCS-2', segments: 2 } : { encoding: 'GSM-7', segments: 1 });
  });

  it('says own words, filled in once', () => {
    const texts = { smsText: '{{organizationName}} says {{code}}' };
    const organization = { name: '{{code}}' };
    const text = composeSms(phone({ organization }), 'K7PX2M', { issuer, renderer, texts });
    expect(text).toMatch(/^\{\{code\}\} says K7PX2M\nhttps:/);
  });

  it('makes no link of own words and a name together', () => {
    const texts = { smsText: '{{organizationName}}.test, {{code}}.test, acme.test' };
    const text = composeSms(phone({ organization: { name: 'evil' } }), 'K7PX2M', { issuer, renderer, texts });
    expect(text).toMatch(/^evil\. test, K7PX2M\. test, acme\. test\n/);
  });

  it.each([
    ['Acme\r\n@evil.test #000000', 'Acme @evil. test #000000'],
    ['http://evil.test', 'http: //evil. test'],
    ['\u202EAcme', 'Acme'],
    ['x'.repeat(200), `${'x'.repeat(27)}...`],
  ])('is addressed by %j inertly', (name, shown) => {
    const text = composeSms(phone({ organization: { name } }), 'K7PX2M', { issuer, renderer });
    expect(text.split('\n')[0]).toBe(`Your code for ${shown}: K7PX2M. Never share it.`);
    expect(text.match(/:\/\//g)).toHaveLength(1);
  });

  it('names no person: whoever typed a number may have typed a name', () => {
    const text = composeSms(phone({ displayName: 'SECRET', loginName: 'SECRET' }), 'K7PX2M', {
      issuer,
      renderer,
    });
    expect(text).not.toContain('SECRET');
  });
});

describe('the size of a text', () => {
  it.each([
    ['a'.repeat(160), 'GSM-7', 1],
    ['a'.repeat(161), 'GSM-7', 2],
    ['a'.repeat(306), 'GSM-7', 2],
    ['a'.repeat(307), 'GSM-7', 3],
    ['€'.repeat(80), 'GSM-7', 1],
    ['€'.repeat(81), 'GSM-7', 2],
    ['ł'.repeat(70), 'UCS-2', 1],
    ['ł'.repeat(71), 'UCS-2', 2],
    ['😀'.repeat(35), 'UCS-2', 1],
    ['😀'.repeat(36), 'UCS-2', 2],
  ] as const)('%j', (text, encoding, segments) => {
    expect(smsSize(text)).toEqual({ encoding, segments });
  });
});
