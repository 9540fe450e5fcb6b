import { Body, Delete, Get, Put } from '@nestjs/common';
import type { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { defaultAttemptPolicy } from '../../domain/passwords/attempts/attempt-policy.js';
import { defaultPasswordPolicy } from '../../domain/passwords/password-policy.js';
import type { Acting } from '../../domain/permissions/acting.js';
import { FactorPolicies } from '../../domain/policies/factor-policies.js';
import { LoginPolicies } from '../../domain/policies/login-policies.js';
import { defaultLoginPolicy } from '../../domain/policies/login-policy.js';
import { LockoutPolicies, PasswordPolicies } from '../../domain/policies/security-policy.js';
import type { ResourceDetails } from '../../domain/shared/details.js';
import type { OrgId } from '../../domain/shared/ids.js';
import type { Tx } from '../../domain/shared/unit-of-work.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { factorPolicyAnswer, factorPolicyBody } from '../shared/schemas/factor-policy.schemas.js';
import {
  holding,
  lockoutPolicyAnswer,
  lockoutPolicyBody,
  loginPolicyAnswer,
  loginPolicyBody,
  passwordPolicyAnswer,
  passwordPolicyBody,
} from '../shared/schemas/policy.schemas.js';

const read = 'policy.read';
const write = 'policy.write';

/**
 * Policies of the organization that the call acts in, about how its users sign in. PUT replaces one as a whole, and takes
 * `policy` as GET gives it; DELETE brings the defaults back. The policies of branding and of tokens, which need more than
 * what is stored, have a file each.
 */
@ApiController('management/v1/policies')
export class PoliciesController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly logins: LoginPolicies,
    private readonly passwords: PasswordPolicies,
    private readonly lockouts: LockoutPolicies,
    private readonly factors: FactorPolicies,
  ) {}

  @Get('login')
  @Operation({ summary: 'Find the sign-in policy', permission: read, answer: loginPolicyAnswer })
  async findLogin(@ActingOrg() orgId: OrgId) {
    const stored = await this.logins.findStored(orgId);
    const homeRealmIdpState = await this.logins.homeRealmStateOf(stored?.policy);
    return { ...holding(orgId, stored, defaultLoginPolicy), homeRealmIdpState };
  }

  @Put('login')
  @Operation({
    summary: 'Replace the sign-in policy',
    permission: write,
    ifMatch: true,
    answer: changeAnswer,
  })
  async replaceLogin(
    @Call() call: ApiCall,
    @Body({ schema: loginPolicyBody }) policy: z.output<typeof loginPolicyBody>,
  ): Promise<WireAnswer> {
    return await this.replace(this.logins, call, policy);
  }

  @Delete('login')
  @Operation({
    summary: 'Reset the sign-in policy',
    operationId: 'SecurityPolicies.resetLogin',
    permission: write,
    ifMatch: true,
    answer: changeAnswer,
  })
  async resetLogin(@Call() call: ApiCall): Promise<WireAnswer> {
    return await this.reset(this.logins, call);
  }

  @Get('password')
  @Operation({
    summary: 'Find the password policy',
    operationId: 'SecurityPolicies.findPassword',
    permission: read,
    answer: passwordPolicyAnswer,
  })
  async findPassword(@ActingOrg() orgId: OrgId) {
    return holding(orgId, await this.passwords.findStored(orgId), defaultPasswordPolicy);
  }

  @Put('password')
  @Operation({
    summary: 'Replace the password policy',
    operationId: 'SecurityPolicies.replacePassword',
    permission: write,
    ifMatch: true,
    answer: changeAnswer,
  })
  async replacePassword(
    @Call() call: ApiCall,
    @Body({ schema: passwordPolicyBody }) policy: z.output<typeof passwordPolicyBody>,
  ): Promise<WireAnswer> {
    return await this.replace(this.passwords, call, policy);
  }

  @Delete('password')
  @Operation({
    summary: 'Reset the password policy',
    operationId: 'SecurityPolicies.resetPassword',
    permission: write,
    ifMatch: true,
    answer: changeAnswer,
  })
  async resetPassword(@Call() call: ApiCall): Promise<WireAnswer> {
    return await this.reset(this.passwords, call);
  }

  @Get('lockout')
  @Operation({
    summary: 'Find the lockout policy',
    operationId: 'SecurityPolicies.findLockout',
    permission: read,
    answer: lockoutPolicyAnswer,
  })
  async findLockout(@ActingOrg() orgId: OrgId) {
    return holding(orgId, await this.lockouts.findStored(orgId), defaultAttemptPolicy);
  }

  @Put('lockout')
  @Operation({
    summary: 'Replace the lockout policy',
    operationId: 'SecurityPolicies.replaceLockout',
    permission: write,
    ifMatch: true,
    answer: changeAnswer,
  })
  async replaceLockout(
    @Call() call: ApiCall,
    @Body({ schema: lockoutPolicyBody }) policy: z.output<typeof lockoutPolicyBody>,
  ): Promise<WireAnswer> {
    return await this.replace(this.lockouts, call, policy);
  }

  @Delete('lockout')
  @Operation({
    summary: 'Reset the lockout policy',
    operationId: 'SecurityPolicies.resetLockout',
    permission: write,
    ifMatch: true,
    answer: changeAnswer,
  })
  async resetLockout(@Call() call: ApiCall): Promise<WireAnswer> {
    return await this.reset(this.lockouts, call);
  }

  @Get('factors')
  @Operation({
    summary: 'Find the policy of second factors',
    description: 'Where the organization has set none, what the instance has set holds.',
    operationId: 'SecurityPolicies.findFactors',
    permission: read,
    answer: factorPolicyAnswer,
  })
  async findFactors(@ActingOrg() orgId: OrgId) {
    return holding(orgId, await this.factors.findStored(orgId), await this.factors.usual());
  }

  @Put('factors')
  @Operation({
    summary: 'Replace the policy of second factors',
    description: 'In the default organization, to ask for less is for instance owners.',
    operationId: 'SecurityPolicies.replaceFactors',
    permission: write,
    stepUp: 'always',
    ifMatch: true,
    answer: changeAnswer,
  })
  async replaceFactors(
    @Call() call: ApiCall,
    @Body({ schema: factorPolicyBody }) policy: z.output<typeof factorPolicyBody>,
  ): Promise<WireAnswer> {
    return await this.replace(this.factors, call, policy);
  }

  @Delete('factors')
  @Operation({
    summary: 'Reset the policy of second factors',
    operationId: 'SecurityPolicies.resetFactors',
    permission: write,
    ifMatch: true,
    answer: changeAnswer,
  })
  async resetFactors(@Call() call: ApiCall): Promise<WireAnswer> {
    return await this.reset(this.factors, call);
  }

  private async replace<Policy>(
    policies: ReplaceablePolicies<Policy>,
    call: ApiCall,
    policy: Policy,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.change(call, (tx) =>
      policies.replace(tx, call.orgId, policy, call.acting),
    );
  }

  private async reset(policies: ResettablePolicies, call: ApiCall): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.change(call, (tx) => policies.reset(tx, call.orgId, call.acting));
  }
}

interface ReplaceablePolicies<Policy> {
  replace(tx: Tx, orgId: OrgId, policy: Policy, acting: Acting): Promise<ResourceDetails>;
}

interface ResettablePolicies {
  reset(tx: Tx, orgId: OrgId, acting: Acting): Promise<ResourceDetails>;
}
