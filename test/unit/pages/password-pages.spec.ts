import { describe, expect, it } from 'vitest';
import { renderChangePasswordPage } from '../../../src/pages/change-password-page.js';
import { renderPasswordSetPage } from '../../../src/pages/done-pages.js';
import {
  renderForgottenPasswordPage,
  renderResetSentPage,
} from '../../../src/pages/forgotten-password-pages.js';
import { renderResetPasswordPage } from '../../../src/pages/set-password-page.js';
import { renderVerificationNeededPage } from '../../../src/pages/verify-email-page.js';
import { attribute, tagWithId } from './find-tag.js';
import { sampleForm, samplePage } from './sample-page.js';

const page = { ...samplePage, form: sampleForm };
const rules = {
  minLength: 8,
  upperCase: true,
  lowerCase: true,
  number: true,
  symbol: true,
  unguessable: true,
  unbreached: false,
};
const account = { loginName: 'ada@acme.test', displayName: 'Ada Lovelace' };
const resend = { form: { ...sampleForm, action: '/password/resend' }, availableInSeconds: 75 };

describe('forgotten password', () => {
  it('asks for the login name, kept from the sign-in page', () => {
    const markup = renderForgottenPasswordPage({ ...page, loginName: 'ada', signInUrl: '/login' });
    expect(attribute(tagWithId(markup, 'loginName'), 'value')).toBe('ada');
    expect(attribute(tagWithId(markup, 'loginName'), 'autocomplete')).toBe('username');
    expect(tagWithId(markup, 'reset-submit')).toContain('type="submit"');
    expect(markup).toContain('<a href="/login">Back to sign-in</a>');
  });

  it('answers the same for every name, and shows it masked', () => {
    const answer = (loginName: string) => renderResetSentPage({ ...samplePage, loginName, resend });
    expect(answer('ada.lovelace@acme.test')).toContain('<bdi>a•••@acme.test</bdi>');
    expect(answer('ada.lovelace@acme.test')).not.toContain('lovelace');
    expect(answer('ada')).toContain('<bdi>a•••</bdi>');
    expect(answer('ada')).toBe(answer('alan'));
    expect(answer('ada').replace(/<[^>]+>/g, '')).toContain('If there is an account for a•••, an e-mail');
    expect(renderResetSentPage(samplePage)).not.toContain('resend-submit');
  });

  it('can be sent again, and says when', () => {
    const markup = renderResetSentPage({ ...samplePage, resend });
    expect(markup).toContain('<form method="post" action="/password/resend" novalidate>');
    // without scripts it can be pressed at any time; the server knows better
    expect(tagWithId(markup, 'resend-submit')).not.toMatch(/disabled/);
    expect(markup).toContain('data-seconds="75" data-enables="resend-submit">1:15</span>');
    const now = renderResetSentPage({ ...samplePage, resend: { ...resend, availableInSeconds: -3 } });
    expect(now).not.toContain('data-seconds="');
    const again = renderResetSentPage({ ...samplePage, resend: { ...resend, wasSent: true } });
    expect(again).toContain('<p class="notice" role="status">A new code is on its way.');
    expect(markup).not.toContain('A new code is on its way');
  });

  it('takes code and new password, and names the account only when told to', () => {
    const typed = renderResetPasswordPage({ ...page, rules });
    expect(tagWithId(typed, 'code')).toMatch(/ autofocus/);
    expect(typed).not.toContain('class="who"');
    expect(typed).not.toContain('name="loginName"');
    const byLink = renderResetPasswordPage({ ...page, rules, account, code: 'K7PX2M' });
    expect(byLink).toContain('<bdi>Ada Lovelace</bdi>');
    expect(byLink).toContain(
      'name="loginName" value="ada@acme.test" autocomplete="username" readonly hidden',
    );
    expect(tagWithId(byLink, 'newPassword')).toMatch(/ autofocus/);
    expect(tagWithId(byLink, 'password-submit')).toContain('type="submit"');
  });

  it('tells that other places were signed out, where they were', () => {
    expect(renderPasswordSetPage({ ...samplePage, otherSessionsEnded: true })).toContain('everywhere else');
    expect(renderPasswordSetPage(samplePage)).not.toContain('everywhere else');
  });
});

describe('change of a password', () => {
  it.each([
    ['expired', 'has expired'],
    ['required', 'only you know'],
    ['wanted', 'the next time you sign in'],
  ] as const)('because it is %s says so', (reason, words) => {
    const markup = renderChangePasswordPage({ ...page, ...account, rules, reason });
    expect(markup).toContain(words);
    expect(attribute(tagWithId(markup, 'password'), 'autocomplete')).toBe('current-password');
    expect(attribute(tagWithId(markup, 'newPassword'), 'autocomplete')).toBe('new-password');
    expect(markup).toContain('<bdi>ada@acme.test</bdi>');
  });

  it('tells which of the passwords is wrong', () => {
    const markup = renderChangePasswordPage({
      ...page,
      ...account,
      rules,
      reason: 'expired',
      problems: ['current-wrong', 'password-unchanged', 'repeat-differs'],
      unmet: ['symbol'],
    });
    for (const id of ['password', 'newPassword', 'repeatPassword']) {
      expect(attribute(tagWithId(markup, id), 'aria-invalid')).toBe('true');
      expect(attribute(tagWithId(markup, id), 'value')).toBeUndefined();
    }
    expect(markup).toContain('a symbol, such as ! or # (missing)</li>');
  });
});

describe('verification in the middle of a sign-in', () => {
  it('asks for the code, offers another one, and lets go only where it may', () => {
    const markup = renderVerificationNeededPage({ ...page, account, resend, sentTo: 'ada@post.test' });
    expect(markup).toContain('<bdi>a•••@post.test</bdi>');
    expect(tagWithId(markup, 'code')).toMatch(/ autofocus/);
    expect(tagWithId(markup, 'verify-submit')).toContain('type="submit"');
    expect(tagWithId(markup, 'resend-submit')).toContain('type="submit"');
    expect(markup).not.toContain('name="skip"');
    const skippable = renderVerificationNeededPage({ ...page, canSkip: true });
    expect(attribute(tagWithId(skippable, 'skip'), 'name')).toBe('skip');
    // pressing Enter in the field must verify, not skip: browsers take the first button
    expect(skippable.indexOf('verify-submit')).toBeLessThan(skippable.indexOf('id="skip"'));
  });
});
