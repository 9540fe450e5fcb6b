import { Body, Get, Put } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { InstanceStore } from '../../domain/organizations/instance.store.js';
import { ChangeInstanceSettings } from '../../domain/policies/change-instance-settings.js';
import { defaultSecuritySettings, PoliciesStore } from '../../domain/policies/policies.store.js';
import { changeAnswer, detailsOfSetting } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { Operation } from '../shared/operation.js';

const securitySettingsBody = z
  .strictObject({ enableImpersonation: z.boolean().default(defaultSecuritySettings.enableImpersonation) })
  .meta({ examples: [{ enableImpersonation: true }] });

const securitySettingsAnswer = z.object({
  details: detailsOfSetting,
  settings: z.object({ enableImpersonation: z.boolean() }),
});

/** What the whole instance allows. PUT replaces the settings as a whole. */
@ApiController('admin/v1/settings')
export class SecuritySettingsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly policies: PoliciesStore,
    private readonly change: ChangeInstanceSettings,
    private readonly instance: InstanceStore,
  ) {}

  @Get('security')
  @Operation({
    summary: 'Find the security settings',
    permission: 'iam.read',
    answer: securitySettingsAnswer,
  })
  async find() {
    const stored = await this.policies.findSettings('security');
    const { defaultOrgId: owner } = await this.instance.read();
    return { details: { owner, stored }, settings: stored?.policy ?? defaultSecuritySettings };
  }

  @Put('security')
  @Operation({
    summary: 'Replace the security settings',
    permission: 'iam.write',
    stepUp: 'always',
    ifMatch: true,
    answer: changeAnswer,
  })
  async replace(
    @Call() call: ApiCall,
    @Body({ schema: securitySettingsBody }) settings: z.output<typeof securitySettingsBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.change(call, (tx) =>
      this.change.replaceSecurity(tx, settings, call.caller),
    );
  }
}
