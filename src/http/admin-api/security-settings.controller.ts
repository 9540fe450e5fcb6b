import { Get, Put } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { InstanceStore } from '../../domain/organizations/instance.store.js';
import { ChangeSecuritySettings } from '../../domain/policies/change-security-settings.js';
import { InstanceSettingsStore } from '../../domain/policies/instance-settings.store.js';
import { defaultSecuritySettings, type SecuritySettings } from '../../domain/policies/security-settings.js';
import { changedSchema, readDetailsSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { bodyReader } from '../shared/api-fields.js';
import { changedDetails, readDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { RequiresPermission } from '../shared/permission.guard.js';

export const readSecuritySettings = bodyReader({
  enableImpersonation: z
    .boolean({ error: 'must be true or false' })
    .default(defaultSecuritySettings.enableImpersonation),
});

const securitySettingsAnswer = z.strictObject({
  details: readDetailsSchema,
  settings: z.strictObject({ enableImpersonation: z.boolean() }),
});

export interface SecuritySettingsResponse {
  readonly details: DetailsResponse;
  readonly settings: SecuritySettings;
}

/** What the whole instance allows. PUT replaces the settings as a whole. */
@ApiController('admin/v1/settings')
export class SecuritySettingsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly store: InstanceSettingsStore,
    private readonly change: ChangeSecuritySettings,
    private readonly instance: InstanceStore,
  ) {}

  @Get('security')
  @Documented({ summary: 'Find the security settings', answer: securitySettingsAnswer })
  @RequiresPermission('iam.read')
  async find(): Promise<SecuritySettingsResponse> {
    const stored = await this.store.find('security');
    if (stored !== undefined) return { details: readDetails(stored.details), settings: stored.policy };
    // what was never set has no dates and no changes
    const { defaultOrgId: resourceOwner } = await this.instance.read();
    return { details: { sequence: '0', resourceOwner }, settings: defaultSecuritySettings };
  }

  @Put('security')
  @Documented({ summary: 'Replace the security settings', body: readSecuritySettings, answer: changedSchema })
  @RequiresPermission('iam.write')
  async replace(@Call() call: ApiCall): Promise<{ details: DetailsResponse }> {
    const settings = readSecuritySettings(call.body);
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.change.replace(tx, settings, call.caller)),
    }));
  }
}
