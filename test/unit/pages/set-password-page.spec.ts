import { describe, expect, it } from 'vitest';
import { renderSetPasswordPage, type SetPasswordPage } from '../../../src/pages/set-password-page.js';
import { escapeHtml } from '../../../src/rendering/html.js';
import { attribute, tagWithId } from './find-tag.js';
import { hostileStrings, sampleForm, samplePage } from './sample-page.js';

const view: SetPasswordPage = {
  ...samplePage,
  form: { ...sampleForm, flow: undefined, action: '/password/init', hidden: { userId: '331' } },
  loginName: 'ada@acme.test',
  displayName: 'Ada Lovelace',
  code: 'K7PX2M',
  rules: {
    minLength: 8,
    upperCase: true,
    lowerCase: true,
    number: true,
    symbol: false,
    unguessable: true,
    unbreached: false,
  },
};

describe('set-password page', () => {
  const page = renderSetPasswordPage(view);

  it('has the stable names, the hidden fields it was given, and no flow without one', () => {
    expect(page).toContain('<form method="post" action="/password/init" novalidate>');
    expect(page).toContain('<input type="hidden" name="userId" value="331" />');
    expect(page).not.toContain('name="flow"');
    expect(tagWithId(page, 'password-submit')).toContain('type="submit"');
    for (const id of ['newPassword', 'repeatPassword']) {
      expect(attribute(tagWithId(page, id), 'autocomplete')).toBe('new-password');
      expect(attribute(tagWithId(page, id), 'value')).toBeUndefined();
    }
  });

  it('fills in the code of the link and goes on to the password', () => {
    const code = tagWithId(page, 'code');
    expect(attribute(code, 'value')).toBe('K7PX2M');
    expect(attribute(code, 'autocomplete')).toBe('one-time-code');
    expect(tagWithId(page, 'newPassword')).toMatch(/ autofocus/);
    expect(tagWithId(renderSetPasswordPage({ ...view, code: undefined }), 'code')).toMatch(/ autofocus/);
  });

  it('says whose password it is, to people and to password managers', () => {
    expect(page).toContain('<bdi>Ada Lovelace</bdi>');
    expect(page).toContain('<bdi>ada@acme.test</bdi>');
    expect(page).toMatch(
      /<input type="text" name="loginName" value="ada@acme.test" autocomplete="username" readonly hidden/,
    );
  });

  it('lists the rules of the policy, and only those', () => {
    expect(page).toContain('at least 8 characters');
    expect(page).toContain('an upper-case letter');
    expect(page).not.toContain('a symbol');
    expect(attribute(tagWithId(page, 'newPassword'), 'aria-describedby')).toBe('password-rules');
  });

  it('tells all problems at once and marks the rules that were missed', () => {
    const refused = renderSetPasswordPage({
      ...view,
      problems: ['password-too-weak', 'repeat-differs'],
      unmet: ['minLength'],
    });
    expect(refused).toContain('<a href="#newPassword">');
    expect(refused).toContain('<a href="#repeatPassword">');
    expect(refused).toContain('at least 8 characters (missing)</li>');
    expect(attribute(tagWithId(refused, 'newPassword'), 'aria-describedby')).toBe(
      'newPassword-error password-rules',
    );
    expect(attribute(tagWithId(refused, 'repeatPassword'), 'aria-invalid')).toBe('true');
    expect(refused.match(/ autofocus/g)).toHaveLength(1);
  });

  it.each(hostileStrings)('shows a person named %s as it is', (hostile) => {
    const hostilePage = renderSetPasswordPage({
      ...view,
      displayName: hostile,
      loginName: hostile,
      code: hostile,
    });
    expect(hostilePage).toContain(`<bdi>${escapeHtml(hostile)}</bdi>`);
    expect(hostilePage.match(/<script/g)).toHaveLength(1);
    expect(hostilePage).not.toMatch(/<(?:img|svg|a href=\/\/)/);
  });
});
