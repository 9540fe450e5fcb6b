import { describe, expect, it } from 'vitest';
import { renderChooseAccountPage } from '../../../src/pages/choose-account-page.js';
import {
  renderErrorPage,
  renderLinkOverPage,
  renderRegisterElsewherePage,
} from '../../../src/pages/error-pages.js';
import { renderFormPostPage } from '../../../src/pages/form-post-page.js';
import { renderRegisterPage, type RegisterPage } from '../../../src/pages/register-page.js';
import { escapeHtml } from '../../../src/rendering/html.js';
import { attribute, tagWithId } from './find-tag.js';
import { hostileStrings, sampleForm, samplePage } from './sample-page.js';

const rules = {
  minLength: 10,
  upperCase: true,
  lowerCase: true,
  number: false,
  symbol: false,
  unguessable: true,
  unbreached: false,
};

describe('account chooser', () => {
  const accounts = [
    { id: 's1', loginName: 'ada@acme.test', displayName: 'Ada Lovelace', isSignedIn: true },
    { id: 's2', loginName: 'grace@acme.test', isSignedIn: false, pictureUrl: '/pictures/2' },
  ];
  const page = renderChooseAccountPage({ ...samplePage, form: sampleForm, accounts, applicationName: 'App' });

  it('has one button for each account, which sends it', () => {
    expect(page.match(/<form/g)).toHaveLength(1);
    expect(attribute(tagWithId(page, 'account-1'), 'name')).toBe('account');
    expect(attribute(tagWithId(page, 'account-1'), 'value')).toBe('s1');
    expect(attribute(tagWithId(page, 'account-2'), 'value')).toBe('s2');
    expect(attribute(tagWithId(page, 'other-account'), 'name')).toBe('other');
    expect(page.replace(/<[^>]+>/g, '')).toContain('to continue to App');
  });

  it('shows initials or a picture, the names, and who is signed in', () => {
    expect(page).toContain('<span class="initials" aria-hidden="true">AL</span>');
    expect(page).toContain('<img class="initials" src="/pictures/2" alt="" width="40" height="40" />');
    expect(page).toContain('<strong><bdi>Ada Lovelace</bdi></strong>');
    expect(page).toContain('<bdi>grace@acme.test</bdi>');
    expect(page.match(/Signed in/g)).toHaveLength(1);
    expect(page.match(/Signed out/g)).toHaveLength(1);
  });

  it('takes accounts off the list only where that is offered', () => {
    expect(page).not.toContain('name="remove"');
    const removable = renderChooseAccountPage({ ...samplePage, form: sampleForm, accounts, canRemove: true });
    expect(removable.match(/name="remove"/g)).toHaveLength(2);
    expect(removable).toContain('aria-label="Remove ada@acme.test from this list"');
  });

  it.each(hostileStrings)('shows an account named %s as it is', (hostile) => {
    const markup = renderChooseAccountPage({
      ...samplePage,
      form: sampleForm,
      canRemove: true,
      accounts: [{ id: hostile, loginName: hostile, displayName: hostile, isSignedIn: true }],
    });
    expect(attribute(tagWithId(markup, 'account-1'), 'value')).toBe(escapeHtml(hostile));
    expect(markup.match(/<script/g)).toHaveLength(1);
    expect(markup).not.toMatch(/<(?:img|svg onload|a href=\/\/)/);
  });
});

describe('registration page', () => {
  const view: RegisterPage = {
    ...samplePage,
    form: { ...sampleForm, action: '/register' },
    rules,
    asksLoginName: true,
    domain: 'acme.test',
  };
  const page = renderRegisterPage(view);

  it('asks for address and password, by the stable names, and tells password managers what they are', () => {
    const short = renderRegisterPage({ ...view, asksLoginName: false });
    expect(Array.from(short.matchAll(/<input[^>]* id="(\w+)"/g), ([, id]) => id)).toEqual([
      'email',
      'newPassword',
    ]);
    const named = { email: 'email', loginName: 'username', newPassword: 'new-password' };
    for (const [markup, kinds] of [
      [short, { email: 'username', newPassword: 'new-password' }],
      [page, named],
    ] as const) {
      for (const [name, autocomplete] of Object.entries(kinds)) {
        expect(attribute(tagWithId(markup, name), 'name')).toBe(name);
        expect(attribute(tagWithId(markup, name), 'autocomplete')).toBe(autocomplete);
      }
      expect(attribute(tagWithId(markup, 'email'), 'type')).toBe('email');
      expect(tagWithId(markup, 'register-submit')).toContain('type="submit"');
      expect(markup.match(/ autofocus/g)).toHaveLength(1);
      expect(tagWithId(markup, 'email')).toMatch(/ autofocus/);
    }
  });

  it('shows the rules, and how the login name will end', () => {
    expect(page).toContain('at least 10 characters');
    expect(page).not.toContain('a symbol');
    expect(page).toContain('<bdi>@acme.test</bdi>');
    expect(attribute(tagWithId(page, 'loginName'), 'aria-describedby')).toBe('loginName-hint');
    expect(renderRegisterPage({ ...view, domain: undefined })).not.toContain('loginName-hint');
  });

  it('keeps what was typed after an error, but no password', () => {
    const refused = renderRegisterPage({
      ...view,
      email: 'ada"@',
      loginName: 'ada',
      problems: ['email-not-valid', 'login-name-not-available', 'password-too-weak'],
      unmet: ['upperCase'],
    });
    expect(attribute(tagWithId(refused, 'email'), 'value')).toBe('ada&quot;@');
    expect(attribute(tagWithId(refused, 'newPassword'), 'value')).toBeUndefined();
    expect(attribute(tagWithId(refused, 'loginName'), 'aria-describedby')).toBe(
      'loginName-hint loginName-error',
    );
    expect(refused.match(/<li><a href="#/g)).toHaveLength(3);
    expect(refused).toContain('<title>Error: Create your account – Acme</title>');
    expect(refused.match(/ autofocus/g)).toHaveLength(1);
  });

  it('leads to the sign-in where that is offered', () => {
    expect(page).not.toContain('Sign in to an existing account');
    expect(renderRegisterPage({ ...view, signInUrl: '/login?flow=f' })).toContain('href="/login?flow=f"');
  });
});

describe('form post page', () => {
  const view = {
    ...samplePage,
    redirectUri: 'https://app.test/cb?a=b&c=d',
    parameters: { code: 'c', state: '"><script>alert(1)</script>&quot;', session_state: undefined },
    applicationName: 'Example App',
  };
  const page = renderFormPostPage(view);

  it('posts the answer to the application as a plain form, without a word of ours in it', () => {
    expect(page).toContain('<form method="post" action="https://app.test/cb?a=b&amp;c=d" id="answer">');
    expect(page).not.toMatch(/enctype|charset=(?!")|_charset_|name="csrf"|name="flow"/);
    expect(page.match(/<input/g)).toHaveLength(2);
    expect(page).toContain('<input type="hidden" name="code" value="c" />');
    expect(page).toContain('name="state" value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;quot;"');
    expect(page).not.toContain('session_state');
  });

  it('sends itself behind the form, by one script under the nonce; the button sends no name', () => {
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page.indexOf('<script nonce="bm9uY2U">')).toBeGreaterThan(page.indexOf('</form>'));
    expect(page).not.toMatch(/\sonload=/);
    expect(attribute(tagWithId(page, 'continue-submit'), 'name')).toBeUndefined();
  });

  it('leads to no scheme that runs', () => {
    expect(renderFormPostPage({ ...view, redirectUri: 'javascript:alert(1)' })).toContain('action="#"');
  });
});

describe('other pages of a sign-in', () => {
  it('refuses registration without a word about accounts', () => {
    const markup = renderErrorPage({ ...samplePage, kind: 'registration-off', referenceId: 'req-1' });
    expect(markup).toContain('You cannot create an account here');
    expect(markup).toContain('req-1');
  });

  it('says that a link is over, and where to sign in', () => {
    const markup = renderLinkOverPage({ ...samplePage, signInUrl: '/login', referenceId: 'req-1' });
    expect(markup).toContain('<h1>This link is no longer valid</h1>');
    expect(markup).toContain('href="/login">Sign in</a>');
    expect(markup).toContain('Reference: <code>req-1</code>');
  });

  it('sends the reader of a registration back to where it began, with no way to finish it here', () => {
    const markup = renderRegisterElsewherePage(samplePage);
    expect(markup).toContain('<h1>Continue where you started</h1>');
    expect(markup).toContain('enter the code from the e-mail');
    expect(markup).toContain('If you did not ask for an account, you can ignore the e-mail.');
    expect(markup).not.toMatch(/<main[^]*<(?:form|a|button)\b[^]*<\/main>/);
  });
});
