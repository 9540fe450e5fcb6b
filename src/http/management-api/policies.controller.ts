import { Get, Put } from '@nestjs/common';
import { z } from 'zod';
import { Config } from '../../config/config.js';
import { AnswerOnce } from '../../domain/idempotency/answer-once.js';
import { BrandingPolicies } from '../../domain/policies/branding-policies.js';
import { LoginPolicies } from '../../domain/policies/login-policies.js';
import { defaultLoginPolicy } from '../../domain/policies/login-policy.js';
import type { StoredPolicy } from '../../domain/policies/policies.store.js';
import type { OrgId } from '../../domain/shared/ids.js';
import { type ApiCall, Call } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { bodyReader } from '../shared/api-fields.js';
import { ActingOrg } from '../shared/caller.js';
import { changedDetails, type DetailsResponse, readDetails } from '../shared/details-response.js';
import { logoPath } from '../shared/logo-path.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import { readBrandingPolicy } from './branding-policy-body.js';

const readLoginPolicy = bodyReader({
  allowRegister: z.boolean({ error: 'must be true or false' }).default(defaultLoginPolicy.allowRegister),
});

/**
 * Policies of the organization that the call acts in. PUT replaces one as a whole, and takes `policy` as GET gives it.
 */
@ApiController('management/v1/policies')
export class PoliciesController {
  constructor(
    private readonly answerOnce: AnswerOnce,
    private readonly branding: BrandingPolicies,
    private readonly logins: LoginPolicies,
    private readonly config: Config,
  ) {}

  @Get('branding')
  @RequiresPermission('policy.read')
  async findBranding(@ActingOrg() orgId: OrgId) {
    const stored = await this.branding.findStored(orgId);
    const { logo, ...rest } = stored?.policy ?? {};
    if (logo === undefined) return { policy: rest, ...aboutPolicy(orgId, stored) };
    const policy = { ...rest, logo: logo.content.toString('base64') };
    const logoUrl = `${this.config.app.issuer.url}${logoPath(logo.name)}`;
    return { policy, logoUrl, ...aboutPolicy(orgId, stored) };
  }

  @Put('branding')
  @RequiresPermission('policy.write')
  async replaceBranding(@Call() call: ApiCall): Promise<{ details: DetailsResponse }> {
    const policy = readBrandingPolicy(call.body);
    return await this.answerOnce.run(call, async () => async (tx) => ({
      details: changedDetails(await this.branding.replace(tx, call.orgId, policy, call.caller)),
    }));
  }

  @Get('login')
  @RequiresPermission('policy.read')
  async findLogin(@ActingOrg() orgId: OrgId) {
    const stored = await this.logins.findStored(orgId);
    return { policy: stored?.policy ?? defaultLoginPolicy, ...aboutPolicy(orgId, stored) };
  }

  @Put('login')
  @RequiresPermission('policy.write')
  async replaceLogin(@Call() call: ApiCall): Promise<{ details: DetailsResponse }> {
    const policy = readLoginPolicy(call.body);
    return await this.answerOnce.run(call, async () => async (tx) => ({
      details: changedDetails(await this.logins.replace(tx, call.orgId, policy, call.caller)),
    }));
  }
}

/** A policy that was never set has no dates and no changes. */
function aboutPolicy(orgId: OrgId, stored: StoredPolicy<object> | undefined) {
  return stored === undefined
    ? { details: { sequence: '0', resourceOwner: orgId }, isDefault: true }
    : { details: readDetails(stored.details), isDefault: false };
}
