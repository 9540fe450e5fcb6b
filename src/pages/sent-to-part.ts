import type { CodeFactorKind } from '../domain/policies/factor-policy.js';
import type { Html } from '../rendering/html.js';
import { named } from './layout.js';
import type { CodeProblem, ProblemTexts } from './problems.js';
import type { Texts } from './texts.js';
import { maskedAddress } from './verify-email-page.js';
import { maskedNumber } from './verify-phone-page.js';

/** Where a code went, masked: whoever has a password alone learns neither. */
export function maskedTarget(kind: CodeFactorKind, target: string): Html {
  return named(kind === 'email' ? maskedAddress(target) : maskedNumber(target));
}

/** What may be the matter with a code that was sent, as on the pages that verify an address or a number. */
export function sentCodeProblems(
  kind: CodeFactorKind,
  texts: Texts,
): Readonly<Record<CodeProblem, ProblemTexts>> {
  return kind === 'email' ? texts.code.problems : texts.verifyPhone.problems;
}

/** "Enter the code we sent to …" */
export function sentTo(kind: CodeFactorKind, target: string, texts: Texts): Html {
  const where = maskedTarget(kind, target);
  return kind === 'email'
    ? texts.verifyEmail.sentTo.html({ address: where })
    : texts.verifyPhone.sentTo.html({ number: where });
}
