import type { FactorKind } from '../policies/factor-policy.js';

/** What somebody can set up in the middle of a sign-in: where a policy lists none of them nobody is made to. */
export const SET_UP_KINDS = ['passkey', 'totp'] as const satisfies readonly FactorKind[];
export type SetUpKind = (typeof SET_UP_KINDS)[number];

export function canBeSetUp(kind: FactorKind): kind is SetUpKind {
  return SET_UP_KINDS.some((one) => one === kind);
}
