import { Delete, Get, Put } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { defaultAttemptPolicy } from '../../domain/passwords/attempt-policy.js';
import { defaultPasswordPolicy } from '../../domain/passwords/password-policy.js';
import { InstanceSettingsStore } from '../../domain/policies/instance-settings.store.js';
import { LockoutPolicies } from '../../domain/policies/lockout-policies.js';
import { LoginPolicies } from '../../domain/policies/login-policies.js';
import { PasswordPolicies } from '../../domain/policies/password-policies.js';
import type { StoredPolicy } from '../../domain/policies/policies.store.js';
import { TokenPolicies } from '../../domain/policies/token-policies.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import type { OrgId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { TokenSettings } from '../../domain/tokens/token-settings.js';
import { changedSchema, readDetailsSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { bodyReader, readNothing } from '../shared/api-fields.js';
import { ActingOrg } from '../shared/caller.js';
import { changedDetails, readDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import {
  lockoutPolicyOf,
  passwordPolicyOf,
  readLockoutPolicy,
  readPasswordPolicy,
  shownLockout,
  shownPassword,
} from '../shared/security-policy-bodies.js';
import { lifetimeFields, lifetimesAnswer, shownLifetimes, tokenPolicyOf } from '../shared/token-lifetimes.js';

/** Of access and ID tokens, in seconds. */
const LONGEST_OF_AN_ORGANIZATION = 86_400;

export const readTokenPolicy = bodyReader(lifetimeFields(LONGEST_OF_AN_ORGANIZATION));

function policyAnswer(policy: z.ZodRawShape) {
  return z.strictObject({
    policy: z.strictObject(policy),
    details: readDetailsSchema,
    isDefault: z.boolean(),
  });
}
const number = z.string().regex(/^\d+$/);
const seconds = z.string().regex(/^\d+s$/);
const passwordPolicyAnswer = policyAnswer({
  minLength: number,
  hasLowercase: z.boolean(),
  hasUppercase: z.boolean(),
  hasNumber: z.boolean(),
  hasSymbol: z.boolean(),
});
const lockoutPolicyAnswer = policyAnswer({
  maxPasswordAttempts: number,
  freePasswordAttempts: number,
  firstWait: seconds,
  lockDuration: seconds,
});
const tokenPolicyAnswer = policyAnswer(lifetimesAnswer);

export interface PolicyResponse<Shown> {
  readonly policy: Shown;
  readonly details: Omit<DetailsResponse, 'creationDate'> & { readonly creationDate?: string };
  readonly isDefault: boolean;
}
interface ChangeResponse {
  readonly details: DetailsResponse;
}

/** Policies that decide about passwords and tokens. PUT replaces one as a whole; DELETE brings the defaults back. */
@ApiController('management/v1/policies')
export class SecurityPoliciesController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly passwords: PasswordPolicies,
    private readonly lockouts: LockoutPolicies,
    private readonly tokens: TokenPolicies,
    private readonly logins: LoginPolicies,
    private readonly instance: InstanceSettingsStore,
    private readonly settings: TokenSettings,
  ) {}

  @Get('password')
  @Documented({ summary: 'Find the password policy', answer: passwordPolicyAnswer })
  @RequiresPermission('policy.read')
  async findPassword(@ActingOrg() orgId: OrgId): Promise<PolicyResponse<object>> {
    const stored = await this.passwords.findStored(orgId);
    return policyResponse(orgId, stored, shownPassword(stored?.policy ?? defaultPasswordPolicy));
  }

  @Put('password')
  @Documented({ summary: 'Replace the password policy', body: readPasswordPolicy, answer: changedSchema })
  @RequiresPermission('policy.write')
  async replacePassword(@Call() call: ApiCall): Promise<ChangeResponse> {
    const policy = passwordPolicyOf(readPasswordPolicy(call.body));
    return await this.change(call, (tx) => this.passwords.replace(tx, call.orgId, policy, call.acting));
  }

  @Delete('password')
  @Documented({ summary: 'Reset the password policy', answer: changedSchema })
  @RequiresPermission('policy.write')
  async resetPassword(@Call() call: ApiCall): Promise<ChangeResponse> {
    readNothing(call.body ?? {});
    return await this.change(call, (tx) => this.passwords.reset(tx, call.orgId, call.acting));
  }

  @Get('lockout')
  @Documented({ summary: 'Find the lockout policy', answer: lockoutPolicyAnswer })
  @RequiresPermission('policy.read')
  async findLockout(@ActingOrg() orgId: OrgId): Promise<PolicyResponse<object>> {
    const stored = await this.lockouts.findStored(orgId);
    return policyResponse(orgId, stored, shownLockout(stored?.policy ?? defaultAttemptPolicy));
  }

  @Put('lockout')
  @Documented({ summary: 'Replace the lockout policy', body: readLockoutPolicy, answer: changedSchema })
  @RequiresPermission('policy.write')
  async replaceLockout(@Call() call: ApiCall): Promise<ChangeResponse> {
    const policy = lockoutPolicyOf(readLockoutPolicy(call.body));
    return await this.change(call, (tx) => this.lockouts.replace(tx, call.orgId, policy, call.acting));
  }

  @Delete('lockout')
  @Documented({ summary: 'Reset the lockout policy', answer: changedSchema })
  @RequiresPermission('policy.write')
  async resetLockout(@Call() call: ApiCall): Promise<ChangeResponse> {
    readNothing(call.body ?? {});
    return await this.change(call, (tx) => this.lockouts.reset(tx, call.orgId, call.acting));
  }

  @Get('tokens')
  @Documented({ summary: 'Find the token policy', answer: tokenPolicyAnswer })
  @RequiresPermission('policy.read')
  async findTokens(@ActingOrg() orgId: OrgId): Promise<PolicyResponse<object>> {
    const [stored, instance] = await Promise.all([this.tokens.findStored(orgId), this.instance.find('oidc')]);
    return policyResponse(orgId, stored, shownLifetimes(this.settings, stored?.policy, instance?.policy));
  }

  @Put('tokens')
  @Documented({ summary: 'Replace the token policy', body: readTokenPolicy, answer: changedSchema })
  @RequiresPermission('policy.write')
  async replaceTokens(@Call() call: ApiCall): Promise<ChangeResponse> {
    const policy = tokenPolicyOf(readTokenPolicy(call.body));
    return await this.change(call, (tx) => this.tokens.replace(tx, call.orgId, policy, call.acting));
  }

  @Delete('tokens')
  @Documented({ summary: 'Reset the token policy', answer: changedSchema })
  @RequiresPermission('policy.write')
  async resetTokens(@Call() call: ApiCall): Promise<ChangeResponse> {
    readNothing(call.body ?? {});
    return await this.change(call, (tx) => this.tokens.reset(tx, call.orgId, call.acting));
  }

  @Delete('login')
  @Documented({ summary: 'Reset the sign-in policy', answer: changedSchema })
  @RequiresPermission('policy.write')
  async resetLogin(@Call() call: ApiCall): Promise<ChangeResponse> {
    readNothing(call.body ?? {});
    return await this.change(call, (tx) => this.logins.reset(tx, call.orgId, call.acting));
  }

  private async change(call: ApiCall, write: (tx: Tx) => Promise<ResourceDetails>): Promise<ChangeResponse> {
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await write(tx)),
    }));
  }
}

/** A policy that was never set has no dates and no changes. */
function policyResponse<Policy, Shown>(
  orgId: OrgId,
  stored: StoredPolicy<Policy> | undefined,
  policy: Shown,
): PolicyResponse<Shown> {
  return stored === undefined
    ? { policy, details: { sequence: '0', resourceOwner: orgId }, isDefault: true }
    : { policy, details: readDetails(stored.details), isDefault: false };
}
