import { describe, expect, it } from 'vitest';
import { renderSignInPage } from '../../../src/pages/sign-in-page.js';
import { escapeHtml } from '../../../src/rendering/html.js';
import { attribute, tagWithId } from './find-tag.js';
import { hostileStrings, sampleForm, samplePage } from './sample-page.js';

const view = { ...samplePage, form: sampleForm, applicationName: 'Example App' };

describe('sign-in page', () => {
  const page = renderSignInPage(view);

  it('has one POST form with the stable names', () => {
    expect(page.match(/<form/g)).toHaveLength(1);
    expect(page).toContain('<form method="post" action="/login" novalidate>');
    expect(page).toContain('<input type="hidden" name="csrf" value="csrf-token" />');
    expect(page).toContain('<input type="hidden" name="flow" value="flow-id" />');
    expect(tagWithId(page, 'login-submit')).toMatch(/^<button class="button" type="submit"/);
  });

  it('tells password managers what its fields are', () => {
    const loginName = tagWithId(page, 'loginName');
    const password = tagWithId(page, 'password');
    expect([attribute(loginName, 'name'), attribute(loginName, 'autocomplete')]).toEqual([
      'loginName',
      'username',
    ]);
    expect([attribute(password, 'name'), attribute(password, 'type')]).toEqual(['password', 'password']);
    expect(attribute(password, 'autocomplete')).toBe('current-password');
    expect(page).toContain('<label for="loginName">E-mail or user name</label>');
    expect(page).toContain('<label for="password">Password</label>');
  });

  it('says what to do and for which application', () => {
    expect(page).toContain('<h1>Sign in</h1>');
    expect(page.replace(/<[^>]+>/g, '')).toContain('to continue to Example App');
    expect(page).toContain('<title>Sign in – Acme</title>');
    expect(renderSignInPage({ ...samplePage, form: sampleForm })).not.toContain('to continue');
  });

  it('starts in the first empty field', () => {
    expect(tagWithId(page, 'loginName')).toMatch(/ autofocus/);
    const hinted = renderSignInPage({ ...view, loginName: 'ada' });
    expect(tagWithId(hinted, 'loginName')).not.toMatch(/ autofocus/);
    expect(tagWithId(hinted, 'password')).toMatch(/ autofocus/);
  });

  it('leaves out what is not offered', () => {
    expect(page).not.toContain('Forgotten password?');
    expect(page).not.toContain('Create account');
    const offered = renderSignInPage({
      ...view,
      forgottenPasswordUrl: '/password/reset',
      createAccountUrl: '/register',
    });
    expect(offered).toContain('<a href="/password/reset">Forgotten password?</a>');
    expect(offered).toContain('<a href="/register">Create account</a>');
  });

  it('hides the show-password switch from browsers without scripts', () => {
    expect(page).toMatch(/<button class="reveal" type="button" hidden [^>]*data-reveal="password"/);
  });
});

describe('sign-in page after a wrong password', () => {
  const page = renderSignInPage({ ...view, loginName: 'ada@acme.test', problem: 'wrong-credentials' });

  it('says so in one line, at the field where the focus is', () => {
    expect(page.match(/ autofocus/g)).toHaveLength(1);
    expect(tagWithId(page, 'password')).toMatch(/ autofocus/);
    expect(page.match(/user name or password\./g)).toHaveLength(1);
    expect(page).not.toContain('id="error-summary"');
    expect(page).toContain('<title>Error: Sign in – Acme</title>');
  });

  it('says what else may be the matter once it was wrong again', () => {
    const again = renderSignInPage({ ...view, problem: 'wrong-again' });
    expect(page).not.toContain('full login name');
    expect(again).toContain('Use your full login name');
    expect(again).toContain('wait a few minutes');
  });

  it('ties the message to its field and to no other', () => {
    const password = tagWithId(page, 'password');
    expect(attribute(password, 'aria-invalid')).toBe('true');
    expect(attribute(password, 'aria-describedby')).toBe('password-error');
    expect(page).toContain('id="password-error"');
    const loginName = tagWithId(page, 'loginName');
    expect(attribute(loginName, 'aria-invalid')).toBeUndefined();
    expect(attribute(loginName, 'aria-describedby')).toBeUndefined();
  });

  it('keeps the login name and gives no password back', () => {
    expect(attribute(tagWithId(page, 'loginName'), 'value')).toBe('ada@acme.test');
    expect(attribute(tagWithId(page, 'password'), 'value')).toBeUndefined();
  });

  it('is as long for one name as for another of the same length', () => {
    const other = renderSignInPage({ ...view, loginName: 'eve@acme.test', problem: 'wrong-credentials' });
    expect(other.length).toBe(page.length);
  });
});

describe('sign-in page with hostile names', () => {
  it.each(hostileStrings)('shows %s as it is', (hostile) => {
    const page = renderSignInPage({
      ...view,
      organization: { name: hostile },
      applicationName: hostile,
      loginName: hostile,
      problem: 'login-name-missing',
    });
    expect(attribute(tagWithId(page, 'loginName'), 'value')).toBe(escapeHtml(hostile));
    expect(page).toContain(`<strong><bdi>${escapeHtml(hostile)}</bdi></strong>`);
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toMatch(/<(?:img|svg|a href=\/\/)/);
  });

  it('stays small when the login_hint is not', () => {
    const page = renderSignInPage({ ...view, loginName: '"'.repeat(60_000) });
    expect(Buffer.byteLength(page)).toBeLessThan(15_000);
  });
});
