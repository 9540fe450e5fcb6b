import { Delete, Get, Put } from '@nestjs/common';
import { z } from 'zod';
import { AnswerOnce } from '../../domain/idempotency/answer-once.js';
import { type AttemptPolicy, defaultAttemptPolicy } from '../../domain/passwords/attempt-policy.js';
import { defaultPasswordPolicy, type PasswordPolicy } from '../../domain/passwords/password-policy.js';
import { LockoutPolicies } from '../../domain/policies/lockout-policies.js';
import { LoginPolicies } from '../../domain/policies/login-policies.js';
import { OidcSettingsStore } from '../../domain/policies/oidc-settings.store.js';
import { PasswordPolicies } from '../../domain/policies/password-policies.js';
import type { StoredPolicy } from '../../domain/policies/policies.store.js';
import { TokenPolicies } from '../../domain/policies/token-policies.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import { ApiError } from '../../domain/shared/errors.js';
import type { OrgId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { TokenSettings } from '../../domain/tokens/token-settings.js';
import { type ApiCall, Call } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { bodyReader, readNothing } from '../shared/api-fields.js';
import { ActingOrg } from '../shared/caller.js';
import { changedDetails, type DetailsResponse, readDetails } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { changedSchema, readDetailsSchema } from '../shared/answer-schemas.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import {
  duration,
  lifetimeFields,
  lifetimesAnswer,
  shownLifetimes,
  tokenPolicyOf,
} from '../shared/token-lifetimes.js';

/** Of access and ID tokens, in seconds. */
const LONGEST_OF_AN_ORGANIZATION = 86_400;

function whole(least: number, most: number) {
  const rule = `must be a whole number from ${least} to ${most}`;
  return z
    .union([z.number(), z.string().regex(/^[0-9]{1,9}$/)], { error: rule })
    .transform(Number)
    .refine((value) => Number.isInteger(value) && value >= least && value <= most, rule);
}

function flagOr(usual: boolean) {
  return z.boolean({ error: 'must be true or false' }).default(usual);
}

/** More than 72 would leave nobody a password that older schemes can hold whole. */
export const readPasswordPolicy = bodyReader({
  minLength: whole(8, 72).default(defaultPasswordPolicy.minLength),
  hasLowercase: flagOr(defaultPasswordPolicy.lowerCase),
  hasUppercase: flagOr(defaultPasswordPolicy.upperCase),
  hasNumber: flagOr(defaultPasswordPolicy.number),
  hasSymbol: flagOr(defaultPasswordPolicy.symbol),
});
export const readLockoutPolicy = bodyReader({
  maxPasswordAttempts: whole(1, 100).default(defaultAttemptPolicy.lockAfterFailures),
  freePasswordAttempts: whole(1, 100).optional(),
  firstWait: duration(1, 60).default(defaultAttemptPolicy.firstWaitSeconds),
  lockDuration: duration(60, 43_200).default(defaultAttemptPolicy.lockSeconds),
});
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
    private readonly answerOnce: AnswerOnce,
    private readonly passwords: PasswordPolicies,
    private readonly lockouts: LockoutPolicies,
    private readonly tokens: TokenPolicies,
    private readonly logins: LoginPolicies,
    private readonly instance: OidcSettingsStore,
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
    const [stored, instance] = await Promise.all([this.tokens.findStored(orgId), this.instance.find()]);
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
    return await this.answerOnce.run(call, async () => async (tx) => ({
      details: changedDetails(await write(tx)),
    }));
  }
}

export function passwordPolicyOf(fields: ReturnType<typeof readPasswordPolicy>): PasswordPolicy {
  const { minLength, hasLowercase, hasUppercase, hasNumber, hasSymbol } = fields;
  return {
    minLength,
    lowerCase: hasLowercase,
    upperCase: hasUppercase,
    number: hasNumber,
    symbol: hasSymbol,
  };
}

/** @throws ApiError invalid-argument */
export function lockoutPolicyOf(fields: ReturnType<typeof readLockoutPolicy>): AttemptPolicy {
  const { maxPasswordAttempts, firstWait, lockDuration, freePasswordAttempts } = fields;
  const free = freePasswordAttempts ?? Math.min(defaultAttemptPolicy.freeFailures, maxPasswordAttempts);
  if (free > maxPasswordAttempts) {
    throw new ApiError('invalid-argument', 'freePasswordAttempts must not exceed maxPasswordAttempts');
  }
  return {
    freeFailures: free,
    firstWaitSeconds: firstWait,
    lockAfterFailures: maxPasswordAttempts,
    lockSeconds: lockDuration,
    forgetAfterSeconds: defaultAttemptPolicy.forgetAfterSeconds,
  };
}

export function shownPassword(policy: PasswordPolicy): object {
  return {
    minLength: String(policy.minLength),
    hasLowercase: policy.lowerCase,
    hasUppercase: policy.upperCase,
    hasNumber: policy.number,
    hasSymbol: policy.symbol,
  };
}

export function shownLockout(policy: AttemptPolicy): object {
  return {
    maxPasswordAttempts: String(policy.lockAfterFailures),
    freePasswordAttempts: String(policy.freeFailures),
    firstWait: `${policy.firstWaitSeconds}s`,
    lockDuration: `${policy.lockSeconds}s`,
  };
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
