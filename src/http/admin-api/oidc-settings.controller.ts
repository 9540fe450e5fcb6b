import { Get, HttpCode, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { InstanceStore } from '../../domain/organizations/instance.store.js';
import { ChangeOidcSettings } from '../../domain/policies/change-oidc-settings.js';
import { InstanceSettingsStore } from '../../domain/policies/instance-settings.store.js';
import { TokenSettings } from '../../domain/tokens/token-settings.js';
import { changedSchema, readDetailsSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { bodyReader } from '../shared/api-fields.js';
import { changedDetails, readDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import {
  lifetimeFields,
  lifetimesAnswer,
  shownLifetimes,
  tokenPolicyOf,
  type ShownLifetimes,
} from '../shared/token-lifetimes.js';

export const readOidcSettings = bodyReader(lifetimeFields());

const oidcSettingsAnswer = z.strictObject({
  details: readDetailsSchema,
  settings: z.strictObject(lifetimesAnswer),
  isDefault: z.boolean(),
});

export interface OidcSettingsResponse {
  readonly details: DetailsResponse;
  readonly settings: ShownLifetimes;
  /** Nothing was ever set here: all of it is as the service is configured. */
  readonly isDefault: boolean;
}

/** Lifetimes of tokens in the whole instance (protocol §7.1). PUT replaces them as a whole; POST sets them only where nobody has. */
@ApiController('admin/v1/settings')
export class OidcSettingsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly store: InstanceSettingsStore,
    private readonly change: ChangeOidcSettings,
    private readonly instance: InstanceStore,
    private readonly configured: TokenSettings,
  ) {}

  @Get('oidc')
  @Documented({ summary: 'Find the lifetimes of tokens', answer: oidcSettingsAnswer })
  @RequiresPermission('iam.read')
  async find(): Promise<OidcSettingsResponse> {
    const stored = await this.store.find('oidc');
    const settings = shownLifetimes(this.configured, stored?.policy);
    if (stored !== undefined) return { details: readDetails(stored.details), settings, isDefault: false };
    // what was never set has no dates and no changes
    const { defaultOrgId: resourceOwner } = await this.instance.read();
    return { details: { sequence: '0', resourceOwner }, settings, isDefault: true };
  }

  @Post('oidc')
  @HttpCode(200)
  @Documented({
    summary: 'Set the lifetimes of tokens for the first time',
    body: readOidcSettings,
    answer: changedSchema,
  })
  @RequiresPermission('iam.write')
  async add(@Call() call: ApiCall): Promise<{ details: DetailsResponse }> {
    const settings = tokenPolicyOf(readOidcSettings(call.body));
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.change.add(tx, settings, call.caller)),
    }));
  }

  @Put('oidc')
  @Documented({
    summary: 'Replace the lifetimes of tokens',
    description: 'What is left out is as the environment says. Tokens that were given before keep their end.',
    body: readOidcSettings,
    answer: changedSchema,
  })
  @RequiresPermission('iam.write')
  async replace(@Call() call: ApiCall): Promise<{ details: DetailsResponse }> {
    const settings = tokenPolicyOf(readOidcSettings(call.body));
    return await this.idempotentRequests.run(call, async () => async (tx) => ({
      details: changedDetails(await this.change.replace(tx, settings, call.caller)),
    }));
  }
}
