import { describe, expect, it } from 'vitest';
import type { AuthorizationRequest } from '../../../src/domain/authorize/auth-request.js';
import { stepUpOf } from '../../../src/domain/authorize/flow/step-up.js';
import {
  acrOfLevels,
  MULTI_FACTOR_ACR,
  PASSKEY_ACR,
  PASSWORD_ACR,
} from '../../../src/domain/sessions/acr.js';
import type { Proofs } from '../../../src/domain/sessions/proof.js';
import type { Session } from '../../../src/domain/sessions/session.js';

const BEGUN = 1_800_000_000;
const BEFORE = BEGUN - 600;

function stepUp(
  acrValues: string[],
  proofs: Proofs,
  { reachableLevel = 3, acrEssential = false }: { reachableLevel?: 1 | 2 | 3; acrEssential?: boolean } = {},
) {
  const request = { acrValues, acrEssential } as unknown as AuthorizationRequest;
  return stepUpOf(request, { proofs, reachableLevel } as Session, BEGUN);
}

describe('the classes that a request asks for, held against a session', () => {
  const password = { password: BEFORE };
  const both = { password: BEFORE, totp: BEFORE };
  const passkey = { 'passkey-verified': BEFORE };

  it.each<[string, string[], Proofs, Parameters<typeof stepUp>[2], ReturnType<typeof stepUpOf>]>([
    ['nothing asked', [], password, {}, undefined],
    ['met', [PASSWORD_ACR], password, {}, undefined],
    ['met by more than was asked', [PASSWORD_ACR], passkey, {}, undefined],
    ['one of several met', [PASSKEY_ACR, PASSWORD_ACR], password, {}, undefined],
    ['within reach', [PASSKEY_ACR], both, {}, 'second-factor'],
    [
      'the second within reach',
      [PASSKEY_ACR, MULTI_FACTOR_ACR],
      password,
      { reachableLevel: 2 },
      'second-factor',
    ],
    ['a wish out of reach', [PASSKEY_ACR], both, { reachableLevel: 2 }, undefined],
    ['a demand out of reach', [PASSKEY_ACR], both, { reachableLevel: 2, acrEssential: true }, 'unmet'],
    ['a wish, asked once in a flow', [PASSKEY_ACR], { ...both, totp: BEGUN }, {}, undefined],
    [
      'a demand, until it is met',
      [PASSKEY_ACR],
      { ...both, totp: BEGUN },
      { acrEssential: true },
      'second-factor',
    ],
    ['a password shown in the flow', [PASSKEY_ACR], { ...both, password: BEGUN }, {}, 'second-factor'],
    [
      'a provider in the flow',
      [MULTI_FACTOR_ACR],
      { external: BEGUN },
      { reachableLevel: 2 },
      'second-factor',
    ],
    ['nothing shown', [PASSWORD_ACR], {}, { reachableLevel: 1, acrEssential: true }, 'second-factor'],
  ])('%s', (_name, asked, proofs, given, expected) => {
    expect(stepUp(asked, proofs, given)).toBe(expected);
  });
});

it('tokens say the strongest class that was asked for and is met, else the strongest that is', () => {
  expect(acrOfLevels([])).toEqual([PASSWORD_ACR, MULTI_FACTOR_ACR, PASSKEY_ACR]);
  expect(acrOfLevels([PASSWORD_ACR, MULTI_FACTOR_ACR])).toEqual([
    PASSWORD_ACR,
    MULTI_FACTOR_ACR,
    MULTI_FACTOR_ACR,
  ]);
  expect(acrOfLevels([PASSKEY_ACR])).toEqual([PASSWORD_ACR, MULTI_FACTOR_ACR, PASSKEY_ACR]);
});
