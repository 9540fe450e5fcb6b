import { Body, Get, Put } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { InstanceStore } from '../../domain/organizations/instance.store.js';
import { ChangeInstanceSettings } from '../../domain/policies/change-instance-settings.js';
import { defaultFactorPolicy, type FactorPolicy } from '../../domain/policies/factor-policy.js';
import { PoliciesStore } from '../../domain/policies/policies.store.js';
import { changeAnswer, detailsOfSetting } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { Operation } from '../shared/operation.js';
import { factorPolicyBody, shownFactorPolicy } from '../shared/schemas/factor-policy.schemas.js';

const factorSettingsAnswer = z.object({
  details: detailsOfSetting,
  settings: shownFactorPolicy,
  /** Nothing was ever set here. */
  isDefault: z.boolean(),
});

/** What holds beside passwords in organizations that decided nothing, and of instance owners at least. */
@ApiController('admin/v1/settings')
export class FactorSettingsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly policies: PoliciesStore,
    private readonly change: ChangeInstanceSettings,
    private readonly instance: InstanceStore,
  ) {}

  @Get('factors')
  @Operation({
    summary: 'Find the settings of second factors',
    permission: 'iam.read',
    answer: factorSettingsAnswer,
  })
  async find() {
    const stored = await this.policies.findSettings('factor');
    const { defaultOrgId: owner } = await this.instance.read();
    const settings = stored?.policy ?? defaultFactorPolicy;
    return { details: { owner, stored }, settings, isDefault: stored === undefined };
  }

  @Put('factors')
  @Operation({
    summary: 'Replace the settings of second factors',
    description:
      'They hold in organizations without a policy of their own. What is left out has its default.',
    permission: 'iam.write',
    stepUp: 'always',
    ifMatch: true,
    answer: changeAnswer,
  })
  async replace(
    @Call() call: ApiCall,
    @Body({ schema: factorPolicyBody }) settings: FactorPolicy,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.change(call, (tx) =>
      this.change.replaceFactors(tx, settings, call.caller),
    );
  }
}
