import { describe, expect, it } from 'vitest';
import type { AuthorizationRequest } from '../../../src/domain/authorize/auth-request.js';
import type { ShownByProvider } from '../../../src/domain/external-sign-in/read-provider-answer.js';
import { isAnewFor } from '../../../src/domain/external-sign-in/sign-in-anew.js';
import type { ProviderKind } from '../../../src/domain/identity-providers/identity-provider.js';

const BEGUN_AT = 1_000_000;

const told = (shownAt: number): ShownByProvider => ({
  proofs: ['external'],
  shownThere: { 'external-told': shownAt },
});

describe('isAnewFor', () => {
  const isGood = (kind: ProviderKind, shown: ShownByProvider, prompts: AuthorizationRequest['prompts']) =>
    isAnewFor(kind, { request: { prompts } as AuthorizationRequest, begunAt: BEGUN_AT }, shown);

  it.each<[string, ProviderKind, ShownByProvider, boolean]>([
    ['since the application asked', 'oidc', told(BEGUN_AT + 5), true],
    ['by a clock that is a minute behind', 'saml', told(BEGUN_AT - 60), true],
    ['nine minutes before the application asked (S359)', 'oidc', told(BEGUN_AT - 540), false],
    ['at a time that is not told (S359)', 'saml', { proofs: ['external'] }, false],
    ['in a form of ours', 'ldap', { proofs: ['external', 'external-anew'] }, true],
    ['at one that is taken at its word', 'microsoft', { proofs: ['external'] }, true],
  ])('takes a sign-in %s for prompt=login: %s', (_name, kind, shown, good) => {
    expect(isGood(kind, shown, ['login'])).toBe(good);
  });

  it('asks nothing of an answer that nobody wants to be new', () => {
    expect(isGood('oidc', { proofs: ['external'] }, [])).toBe(true);
    expect(isAnewFor('oidc', { begunAt: BEGUN_AT }, { proofs: ['external'] })).toBe(true);
  });
});
