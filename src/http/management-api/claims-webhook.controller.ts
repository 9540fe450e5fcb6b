import { Body, Delete, Get, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import type { ClaimsWebhookPlan } from '../../domain/claims-webhook/claims-webhook.js';
import { ClaimsWebhooksStore } from '../../domain/claims-webhook/claims-webhooks.store.js';
import { ManageClaimsWebhook } from '../../domain/claims-webhook/manage-claims-webhook.js';
import { IdempotentRequests, type WireAnswer } from '../../domain/idempotency/idempotent-requests.js';
import type { OrgId } from '../../domain/shared/ids.js';
import { changeAnswer } from '../shared/answers.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { checkBody } from '../shared/body.pipe.js';
import { CallerLimits } from '../shared/caller-limits.js';
import { ActingOrg } from '../shared/caller.js';
import { nothingBody } from '../shared/lists.js';
import { Operation } from '../shared/operation.js';
import { changedSecretAnswer, changeSecretBody } from '../shared/schemas/webhook.schemas.js';
import {
  claimsWebhookAnswer,
  claimsWebhookBody,
  claimsWebhookTestAnswer,
  putClaimsWebhookAnswer,
} from './claims-webhook.schemas.js';

const read = 'org.webhook.read';
const write = 'org.webhook.write';

/** Who is asked for claims when tokens of the organization's applications are issued (docs/claims-webhook.md). */
@ApiController('management/v1/claims_webhook')
export class ClaimsWebhookController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly manage: ManageClaimsWebhook,
    private readonly webhooks: ClaimsWebhooksStore,
    private readonly limits: CallerLimits,
  ) {}

  @Get()
  @Operation({
    summary: 'Find the claims webhook',
    description: 'Never its secret. Without `claimsWebhook` there is none.',
    permission: read,
    answer: z.object({ claimsWebhook: claimsWebhookAnswer.optional() }),
  })
  async find(@ActingOrg() orgId: OrgId) {
    return { claimsWebhook: await this.webhooks.find(orgId) };
  }

  @Put()
  @Operation({
    summary: 'Set the claims webhook',
    description:
      'Its applications with `claimsWebhook` get what it answers as further claims. Where there was none, the answer has the ' +
      'secret that signs the questions, this once; otherwise the secret stays.',
    permission: write,
    stepUp: 'always',
    ifMatch: true,
    answer: putClaimsWebhookAnswer,
  })
  async put(
    @Call() call: ApiCall,
    @Body({ schema: claimsWebhookBody }) plan: ClaimsWebhookPlan,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.write(call, (tx) =>
      this.manage.put(tx, call.orgId, plan, call.caller),
    );
  }

  @Delete()
  @Operation({
    summary: 'Remove the claims webhook',
    description: 'Tokens are issued without its claims from now on.',
    permission: write,
    ifMatch: true,
    answer: changeAnswer,
  })
  async remove(@Call() call: ApiCall): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.change(call, (tx) =>
      this.manage.remove(tx, call.orgId, call.caller),
    );
  }

  @Post('_change_secret')
  @Operation({
    summary: 'Give the claims webhook a new secret',
    description:
      'It is shown this once. For as long as `overlap` says, questions are signed by the secret before as well.',
    permission: write,
    stepUp: 'always',
    answer: changedSecretAnswer,
  })
  async changeSecret(
    @Call() call: ApiCall,
    @Body({ schema: changeSecretBody }) { overlapSeconds }: z.output<typeof changeSecretBody>,
  ): Promise<WireAnswer> {
    return await this.idempotentRequests.write(call, (tx) =>
      this.manage.changeSecret(tx, call.orgId, overlapSeconds, call.caller),
    );
  }

  @Post('_test')
  @Operation({
    summary: 'Ask the claims webhook about the caller',
    description: 'At once, for no token. At most ten a minute.',
    permission: write,
    answer: claimsWebhookTestAnswer,
  })
  async test(@Call() call: ApiCall): Promise<WireAnswer> {
    checkBody(nothingBody, call.body);
    return await this.idempotentRequests.answerOutside(call, async () => {
      await this.limits.admitPing(call.caller);
      const outcome = await this.manage.test(call.orgId, call.caller);
      return async () => outcome;
    });
  }
}
