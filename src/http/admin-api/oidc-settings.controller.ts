import { Body, Get, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import { InstanceStore } from '../../domain/organizations/instance.store.js';
import { ChangeInstanceSettings } from '../../domain/policies/change-instance-settings.js';
import { PoliciesStore } from '../../domain/policies/policies.store.js';
import { TokenSettings } from '../../domain/tokens/token-settings.js';
import { changeAnswer, detailsOfSetting } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { Operation } from '../shared/operation.js';
import { lifetimesBody, shownLifetimes } from '../shared/schemas/token-policy.schemas.js';

const oidcSettingsBody = lifetimesBody();
type OidcSettingsBody = z.output<typeof oidcSettingsBody>;

const oidcSettingsAnswer = z.object({
  details: detailsOfSetting,
  settings: shownLifetimes,
  /** Nothing was ever set here: all of it is as the service is configured. */
  isDefault: z.boolean(),
});

/** Lifetimes of tokens in the whole instance (protocol §7.1). PUT replaces them as a whole; POST sets them only where nobody has. */
@ApiController('admin/v1/settings')
export class OidcSettingsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly policies: PoliciesStore,
    private readonly change: ChangeInstanceSettings,
    private readonly instance: InstanceStore,
    private readonly configured: TokenSettings,
  ) {}

  @Get('oidc')
  @Operation({ summary: 'Find the lifetimes of tokens', permission: 'iam.read', answer: oidcSettingsAnswer })
  async find() {
    const stored = await this.policies.findSettings('oidc');
    const { defaultOrgId: owner } = await this.instance.read();
    const settings = { settings: this.configured, decided: [stored?.policy] };
    return { details: { owner, stored }, settings, isDefault: stored === undefined };
  }

  @Post('oidc')
  @Operation({
    summary: 'Set the lifetimes of tokens for the first time',
    permission: 'iam.write',
    answer: changeAnswer,
  })
  async add(
    @Call() call: ApiCall,
    @Body({ schema: oidcSettingsBody }) settings: OidcSettingsBody,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.change(call, (tx) => this.change.addOidc(tx, settings, call.caller));
  }

  @Put('oidc')
  @Operation({
    summary: 'Replace the lifetimes of tokens',
    description: 'What is left out is as the environment says. Tokens that were given before keep their end.',
    permission: 'iam.write',
    ifMatch: true,
    answer: changeAnswer,
  })
  async replace(
    @Call() call: ApiCall,
    @Body({ schema: oidcSettingsBody }) settings: OidcSettingsBody,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.change(call, (tx) =>
      this.change.replaceOidc(tx, settings, call.caller),
    );
  }
}
