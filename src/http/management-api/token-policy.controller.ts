import { Body, Delete, Get, Put } from '@nestjs/common';
import type { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { PoliciesStore } from '../../domain/policies/policies.store.js';
import { LONGEST_TOKEN_OF_ORGANIZATION } from '../../domain/policies/policy-limits.js';
import { TokenPolicies } from '../../domain/policies/security-policy.js';
import type { OrgId } from '../../domain/shared/ids.js';
import { TokenSettings } from '../../domain/tokens/token-settings.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { ActingOrg } from '../shared/caller.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { tokenPolicyAnswer } from '../shared/schemas/policy.schemas.js';
import { lifetimesBody } from '../shared/schemas/token-policy.schemas.js';

const tokenPolicyBody = lifetimesBody(LONGEST_TOKEN_OF_ORGANIZATION);

const read = 'policy.read';
const write = 'policy.write';

/** How long tokens last in the organization that the call acts in; GET also says what the instance and the environment set. */
@ApiController('management/v1/policies/tokens')
export class TokenPolicyController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly policies: TokenPolicies,
    private readonly instance: PoliciesStore,
    private readonly settings: TokenSettings,
  ) {}

  @Get()
  @Operation({
    summary: 'Find the token policy',
    operationId: 'SecurityPolicies.findTokens',
    permission: read,
    answer: tokenPolicyAnswer,
  })
  async findTokens(@ActingOrg() owner: OrgId) {
    const [stored, instance] = await Promise.all([
      this.policies.findStored(owner),
      this.instance.findSettings('oidc'),
    ]);
    const inherited = { settings: this.settings, decided: [instance?.policy] };
    const policy = { settings: this.settings, decided: [stored?.policy, instance?.policy] };
    return { owner, stored, policy, inherited };
  }

  @Put()
  @Operation({
    summary: 'Replace the token policy',
    operationId: 'SecurityPolicies.replaceTokens',
    permission: write,
    ifMatch: true,
    answer: changeAnswer,
  })
  async replaceTokens(
    @Call() call: ApiCall,
    @Body({ schema: tokenPolicyBody }) policy: z.output<typeof tokenPolicyBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.change(call, (tx) =>
      this.policies.replace(tx, call.orgId, policy, call.acting),
    );
  }

  @Delete()
  @Operation({
    summary: 'Reset the token policy',
    operationId: 'SecurityPolicies.resetTokens',
    permission: write,
    ifMatch: true,
    answer: changeAnswer,
  })
  async resetTokens(@Call() call: ApiCall): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.change(call, (tx) =>
      this.policies.reset(tx, call.orgId, call.acting),
    );
  }
}
