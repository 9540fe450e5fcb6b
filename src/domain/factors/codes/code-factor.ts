import type { CodeFactorKind } from '../../policies/factor-policy.js';
import type { ProofKind } from '../../sessions/proof.js';
import type { AuthRequestId, OrgId, UserId } from '../../shared/ids.js';
import type { HumanUser } from '../../users/user.js';
import type { FactorCodePurpose } from '../../users/verification/verification-code.js';

/** What is peculiar to each way on which a code travels. */
export const CODE_FACTORS: Readonly<
  Record<
    CodeFactorKind,
    {
      readonly purpose: FactorCodePurpose;
      readonly proof: ProofKind;
      /** Where the codes of somebody go; undefined where nothing of theirs is verified. */
      readonly targetOf: (user: HumanUser) => string | undefined;
    }
  >
> = {
  email: {
    purpose: 'second_factor_email',
    proof: 'email-code',
    targetOf: ({ email }) => (email.verified ? email.address : undefined),
  },
  sms: {
    purpose: 'second_factor_sms',
    proof: 'sms-code',
    targetOf: ({ phone }) => (phone?.verified === true ? phone.number : undefined),
  },
};

/** Who gets a code, and where it is good: in one sign-in, or, while a factor is added, in one session. */
export interface CodePlace {
  readonly orgId: OrgId;
  readonly userId: UserId;
  readonly boundTo: AuthRequestId;
}
