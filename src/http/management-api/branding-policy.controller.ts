import { Body, Get, Put } from '@nestjs/common';
import type { z } from 'zod';
import { Config } from '../../config/config.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { BrandingPolicies } from '../../domain/policies/branding-policies.js';
import type { BrandingPolicy } from '../../domain/policies/branding-policy.js';
import { logoPath } from '../../domain/policies/logo.js';
import type { OrgId } from '../../domain/shared/ids.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { ActingOrg } from '../shared/caller.js';
import { Operation } from '../shared/operation.js';
import { brandingPolicyAnswer, brandingPolicyBody, holding } from '../shared/schemas/policy.schemas.js';

const read = 'policy.read';
const write = 'policy.write';

/** How pages and mails look for the organization that the call acts in. The logo is kept apart (logos.controller.ts). */
@ApiController('management/v1/policies/branding')
export class BrandingPolicyController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly policies: BrandingPolicies,
    private readonly config: Config,
  ) {}

  @Get()
  @Operation({
    summary: 'Find the branding',
    operationId: 'Policies.findBranding',
    permission: read,
    answer: brandingPolicyAnswer,
  })
  async findBranding(@ActingOrg() orgId: OrgId) {
    const held = holding<BrandingPolicy>(orgId, await this.policies.findStored(orgId), {});
    const { logo } = held.policy;
    return { ...held, logoUrl: logo && `${this.config.app.issuer.url}${logoPath(logo.name)}` };
  }

  @Put()
  @Operation({
    summary: 'Replace the branding',
    operationId: 'Policies.replaceBranding',
    permission: write,
    ifMatch: true,
    answer: changeAnswer,
  })
  async replaceBranding(
    @Call() call: ApiCall,
    @Body({ schema: brandingPolicyBody }) policy: z.output<typeof brandingPolicyBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.change(call, (tx) =>
      this.policies.replace(tx, call.orgId, policy, call.caller),
    );
  }
}
