import { describe, expect, it } from 'vitest';
import { brokenRules, defaultPasswordPolicy } from '../../../src/domain/passwords/password-policy.js';
import { newPasswordField } from '../../../src/pages/new-password-part.js';
import { unescapeHtml } from '../../support/browser-flow.js';
import { samplePage } from './sample-page.js';

describe('the rules of a new password on the page', () => {
  it('are ticked for exactly what the policy takes', () => {
    const markup = newPasswordField(
      { ...samplePage, rules: { ...defaultRules, unguessable: true, unbreached: true } },
      [],
      'Password',
    ).toString();
    const patterns = [...markup.matchAll(/data-ticked-by="([^"]*)"/g)].map(
      ([, pattern = '']) => new RegExp(unescapeHtml(pattern), 'u'),
    );
    expect(patterns).toHaveLength(5);
    for (const text of [
      '',
      'aA1!',
      'Ärger-9x',
      'ПАРОЛЬ',
      'ǆ',
      '😀😀😀😀😀😀😀😀',
      '٣٣٣٣٣٣٣٣',
      'é',
      '_'.repeat(9),
    ]) {
      const unticked = patterns.filter((pattern) => !pattern.test(text)).length;
      expect(unticked, text).toBe(brokenRules(defaultPasswordPolicy, text).length);
    }
  });
});

const { minLength, lowerCase, upperCase, number, symbol } = defaultPasswordPolicy;
const defaultRules = { minLength, lowerCase, upperCase, number, symbol };
