import { describe, expect, it } from 'vitest';
import { composeMail } from '../../../src/domain/notifications/compose-mail.js';
import type { RegistrationId } from '../../../src/domain/shared/ids.js';
import { MailRenderer } from '../../../src/mails/mail-renderer.js';
import { claimed } from './claimed.js';

const issuer = 'https://id.example.com';
const composing = { issuer, renderer: new MailRenderer() };

describe('the mail of a notification', () => {
  it('leads to the page of its template, with id and code in the link', () => {
    const initialise = composeMail(claimed(), 'ABC123', composing);
    expect(initialise.text).toContain('https://id.example.com/password/init?id=code-1&code=ABC123');
    const verify = composeMail(claimed({ template: 'verify_email' }), 'ABC123', composing);
    expect(verify.text).toContain('https://id.example.com/verify/email?id=code-1&code=ABC123');
  });

  it('escapes what stands in the link', () => {
    const mail = composeMail(claimed({ codeId: 'a&b=c#d' }), 'x y', composing);
    expect(mail.text).toContain('?id=a%26b%3Dc%23d&code=x+y');
  });

  it('has one Message-ID for all attempts, and goes to the address of now', () => {
    const mail = composeMail(claimed({ attempts: 7 }), 'ABC123', {
      ...composing,
      issuer: 'https://id.example.com:8443',
    });
    expect(mail.messageId).toBe('note-1@id.example.com');
    expect(mail.to).toBe('ada@mail.test');
  });

  it('bears the name, the colour and the logo of its organization', () => {
    const organization = { name: 'Acme Pages', accent: '#ff8800', logo: 'x.png' };
    const mail = composeMail(claimed({ organization }), 'ABC123', composing);
    expect(mail.subject).toContain('Acme Pages');
    expect(mail.html).toContain('background-color:#ff8800');
    // the one thing it asks for is ours, and the same for everybody
    expect(mail.html.match(/\ssrc="[^"]*"/g)).toEqual([' src="https://id.example.com/logos/x.png"']);
    expect(mail.html).toContain('alt="Acme Pages"');
    expect(mail.html).not.toMatch(/url\(|srcset/);
  });

  it.each([
    ['fr', 'de', 'fr'],
    ['de-CH', undefined, 'de'],
    ['pt_BR', 'de', 'pt'],
    ['sv', 'de', 'de'],
    ['sv', 'fr', 'fr'],
    ['sv', undefined, 'en'],
    [null, 'de', 'de'],
    [null, undefined, 'en'],
  ])('to a reader of %s in an organization of %s is written in %s', (preferredLanguage, own, language) => {
    const organization = { name: 'Acme', ...(own === undefined ? {} : { defaultLanguage: own }) };
    const mail = composeMail(claimed({ organization, preferredLanguage }), 'ABC123', composing);
    expect(mail.html).toContain(`<html lang="${language}"`);
  });

  it('knows no mail for a phone', () => {
    expect(() => composeMail(claimed({ template: 'verify_phone' }), 'ABC123', composing)).toThrow();
  });
});

describe('messages beside those of an import', () => {
  it('lead a reset to its own page', () => {
    const mail = composeMail(claimed({ template: 'reset_password' }), 'ABC123', composing);
    expect(mail.text).toContain('https://id.example.com/password/reset?id=code-1&code=ABC123');
  });

  it('name the registration in the link, and nothing that a stranger typed', () => {
    const registering = { userId: null, displayName: '', loginName: '' };
    const registrationId = 'reg-1' as RegistrationId;
    const mail = composeMail(
      claimed({ template: 'register', registrationId, ...registering }),
      'ABC123',
      composing,
    );
    expect(mail.text).toContain('https://id.example.com/register/verify?id=reg-1&code=ABC123');
    expect(mail.text).toMatch(/^Hello,/);
    expect(mail.text + mail.html).not.toContain('Your login name');
    expect(mail.text).toContain('Continue in the browser where you started');
    expect(mail.text).toContain('If it was not you, you can ignore this e-mail: no account will be created.');
  });

  it.each(['password_changed', 'account_exists'] as const)('tell without a code: %s', (template) => {
    const mail = composeMail(claimed({ template, codeId: '' }), undefined, composing);
    expect(mail.text).toContain('https://id.example.com/password/forgotten');
    expect(mail.text).toContain('31 December 2026');
    expect(mail.text).not.toMatch(/code=|[?]id=/);
  });

  it.each(['passkey_added', 'passkey_removed'] as const)(
    'lead to where passkeys are seen: %s',
    (template) => {
      const mail = composeMail(claimed({ template, codeId: '' }), undefined, composing);
      expect(mail.text).toContain('look at your passkeys right away');
      expect(mail.text).toContain('https://id.example.com/account/security');
    },
  );

  it.each([
    'factor_added',
    'factor_removed',
    'recovery_codes_made',
    'recovery_code_used',
    'factors_reset',
  ] as const)('lead to where second factors are seen: %s', (template) => {
    const mail = composeMail(claimed({ template, codeId: '' }), undefined, composing);
    expect(mail.text).toContain('look at how you sign in right away');
    expect(mail.text).toContain('https://id.example.com/account/security');
  });

  it('are not made without the code that they promise', () => {
    expect(() => composeMail(claimed({ template: 'register' }), undefined, composing)).toThrow();
  });
});
