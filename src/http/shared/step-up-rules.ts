import { Injectable } from '@nestjs/common';
import { EffectiveRoles } from '../../domain/permissions/effective-roles.js';
import { FactorPolicies } from '../../domain/policies/factor-policies.js';
import { stricterStepUp, type StepUpPolicy } from '../../domain/policies/factor-policy.js';
import { isAtLeast, MULTI_FACTOR_ACR, PASSKEY_ACR } from '../../domain/sessions/acr.js';
import { Clock } from '../../domain/shared/clock.js';
import { AuthenticationTooOld } from '../../domain/shared/errors.js';
import type { Caller } from './caller.js';

const ACR_OF = { mfa: MULTI_FACTOR_ACR, phr: PASSKEY_ACR } as const;

/**
 * What a token must say of its sign-in before a sensitive call (RFC 9470), by the policy of the caller's organization; an
 * instance owner's by that of the instance as well, whatever their own organization asks.
 */
@Injectable()
export class StepUpRules {
  constructor(
    private readonly policies: FactorPolicies,
    private readonly roles: EffectiveRoles,
    private readonly clock: Clock,
  ) {}

  /** Service users show nothing but their token. @throws AuthenticationTooOld */
  async require({ person, acting, orgId }: Caller): Promise<void> {
    if (person === undefined) return;
    const { stepUp, stepUpMaxAgeSeconds } = await this.policyFor(acting, orgId);
    if (stepUp === 'off') return;
    const needed = ACR_OF[stepUp];
    const age = this.clock.nowSeconds() - (person.authTime ?? 0);
    if (isAtLeast(person.acr, needed) && age <= stepUpMaxAgeSeconds) return;
    throw new AuthenticationTooOld(stepUpMaxAgeSeconds, needed);
  }

  private async policyFor(acting: Caller['acting'], orgId: Caller['orgId']): Promise<StepUpPolicy> {
    const [own, usual] = await Promise.all([this.policies.find(orgId), this.policies.usual()]);
    const stricter = stricterStepUp(own, usual);
    if (stricter === own) return own;
    const held = await this.roles.everywhere(acting);
    return held.some(({ role }) => role === 'IAM_OWNER') ? stricter : own;
  }
}
