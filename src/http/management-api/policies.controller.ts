import { Get, Put } from '@nestjs/common';
import { z } from 'zod';
import { Config } from '../../config/config.js';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { BrandingPolicies } from '../../domain/policies/branding-policies.js';
import { LoginPolicies } from '../../domain/policies/login-policies.js';
import { defaultLoginPolicy } from '../../domain/policies/login-policy.js';
import { logoPath } from '../../domain/policies/logo.js';
import type { StoredPolicy } from '../../domain/policies/policies.store.js';
import type { OrgId } from '../../domain/shared/ids.js';
import { changedSchema, readDetailsSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { bodyReader } from '../shared/api-fields.js';
import { readBrandingPolicy } from '../shared/branding-policy-body.js';
import { ActingOrg } from '../shared/caller.js';
import { changedDetails, readDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { RequiresPermission } from '../shared/permission.guard.js';

const readLoginPolicy = bodyReader({
  allowRegister: z.boolean({ error: 'must be true or false' }).default(defaultLoginPolicy.allowRegister),
});

/** What every policy is answered with. */
const aboutSchema = { details: readDetailsSchema, isDefault: z.boolean() };
const loginPolicyAnswer = z.strictObject({
  policy: z.strictObject({ allowRegister: z.boolean() }),
  ...aboutSchema,
});
const brandingAnswer = z.strictObject({
  policy: z.strictObject({
    displayName: z.string().optional(),
    accentColor: z.string().optional(),
    logo: z.base64().optional(),
    defaultLanguage: z.string().optional(),
    helpUrl: z.string().optional(),
    privacyUrl: z.string().optional(),
  }),
  logoUrl: z.url().optional(),
  ...aboutSchema,
});

/**
 * Policies of the organization that the call acts in. PUT replaces one as a whole, and takes `policy` as GET gives it.
 */
@ApiController('management/v1/policies')
export class PoliciesController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly branding: BrandingPolicies,
    private readonly logins: LoginPolicies,
    private readonly config: Config,
  ) {}

  @Get('branding')
  @Documented({ summary: 'Find the branding', answer: brandingAnswer })
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
  @Documented({ summary: 'Replace the branding', body: readBrandingPolicy, answer: changedSchema })
  @RequiresPermission('policy.write')
  async replaceBranding(@Call() call: ApiCall): Promise<{ details: DetailsResponse }> {
    const policy = readBrandingPolicy(call.body);
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.branding.replace(tx, call.orgId, policy, call.caller)),
    }));
  }

  @Get('login')
  @Documented({ summary: 'Find the sign-in policy', answer: loginPolicyAnswer })
  @RequiresPermission('policy.read')
  async findLogin(@ActingOrg() orgId: OrgId) {
    const stored = await this.logins.findStored(orgId);
    return { policy: stored?.policy ?? defaultLoginPolicy, ...aboutPolicy(orgId, stored) };
  }

  @Put('login')
  @Documented({ summary: 'Replace the sign-in policy', body: readLoginPolicy, answer: changedSchema })
  @RequiresPermission('policy.write')
  async replaceLogin(@Call() call: ApiCall): Promise<{ details: DetailsResponse }> {
    const policy = readLoginPolicy(call.body);
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.logins.replace(tx, call.orgId, policy, call.acting)),
    }));
  }
}

/** A policy that was never set has no dates and no changes. */
function aboutPolicy(orgId: OrgId, stored: StoredPolicy<object> | undefined) {
  return stored === undefined
    ? { details: { sequence: '0', resourceOwner: orgId }, isDefault: true }
    : { details: readDetails(stored.details), isDefault: false };
}
