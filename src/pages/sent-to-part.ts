import type { CodeFactorKind } from '../domain/policies/factor-policy.js';
import type { Html } from '../rendering/html.js';
import { named } from './layout.js';
import type { Texts } from './texts.js';
import { maskedAddress } from './verify-email-page.js';
import { maskedNumber } from './verify-phone-page.js';

/** Where a code went, masked: whoever has a password alone learns neither. */
export function maskedTarget(kind: CodeFactorKind, target: string): Html {
  return named(kind === 'email' ? maskedAddress(target) : maskedNumber(target));
}

/** "Enter the code we sent to …" */
export function sentTo(kind: CodeFactorKind, target: string, texts: Texts): Html {
  const where = maskedTarget(kind, target);
  return kind === 'email'
    ? texts.verifyEmail.sentTo.html({ address: where })
    : texts.verifyPhone.sentTo.html({ number: where });
}
