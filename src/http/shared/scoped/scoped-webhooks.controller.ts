import { Body, Delete, Get, Injectable, Param, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../../domain/idempotency/idempotent-requests.js';
import type { OrgId, WebhookId } from '../../../domain/shared/ids.js';
import { ManageWebhooks, webhookNotFound } from '../../../domain/webhooks/manage-webhooks.js';
import { TestWebhook } from '../../../domain/webhooks/test-webhook.js';
import type { WebhookPlan, WebhookState } from '../../../domain/webhooks/webhook.js';
import { WebhooksStore } from '../../../domain/webhooks/webhooks.store.js';
import { changeAnswer } from '../answers.js';
import { Call, type ApiCall } from '../api-call.js';
import { checkBody } from '../body.pipe.js';
import { CallerLimits } from '../caller-limits.js';
import { ActingOrg } from '../caller.js';
import { listAnswer, nothingBody, pageQuery, searchBody } from '../lists.js';
import { Operation } from '../operation.js';
import { changeIn, ownerIn, type OwnerScope } from '../owner-scope.js';
import { PathId } from '../path-id.js';
import {
  addedWebhookAnswer,
  changedSecretAnswer,
  changeSecretBody,
  deadLetterAnswer,
  replayBody,
  replayedLettersAnswer,
  replayLettersBody,
  webhookAnswer,
  webhookBody,
  webhookSearchBody,
  webhookTestAnswer,
} from '../schemas/webhook.schemas.js';

const Id = () => Param('id', new PathId(webhookNotFound));

const SCOPES = {
  organization: { read: 'org.webhook.read', write: 'org.webhook.write' },
  instance: { read: 'iam.webhook.read', write: 'iam.webhook.write' },
} as const;

/** Where events go: those of the organization that the call acts in, or all of the instance (docs/webhooks.md). */
export function webhooksOf(scope: OwnerScope) {
  const { read, write } = SCOPES[scope];

  @Injectable()
  abstract class ScopedWebhooksController {
    constructor(
      private readonly idempotentRequests: IdempotentRequests,
      private readonly manage: ManageWebhooks,
      private readonly webhooks: WebhooksStore,
      private readonly test: TestWebhook,
      private readonly limits: CallerLimits,
    ) {}

    @Post()
    @Operation({
      summary: `Add a webhook of the ${scope}`,
      description: 'It gets what happens from now on. The secret that signs it is shown this once.',
      permission: write,
      stepUp: 'always',
      answer: addedWebhookAnswer,
    })
    async add(@Call() call: ApiCall, @Body({ schema: webhookBody }) plan: WebhookPlan): Promise<WireAnswer> {
      return await this.idempotentRequests.write(call, (tx) =>
        this.manage.add(tx, ownerIn(scope, call.orgId), plan, call.caller),
      );
    }

    @Post('_search')
    @Operation({
      summary: `Search the webhooks of the ${scope}`,
      permission: read,
      answer: listAnswer(webhookAnswer),
    })
    async list(
      @ActingOrg() orgId: OrgId,
      @Body({ schema: webhookSearchBody }) search: z.output<typeof webhookSearchBody>,
    ) {
      return await this.webhooks.list(ownerIn(scope, orgId), pageQuery(search));
    }

    @Get(':id')
    @Operation({
      summary: `Find a webhook of the ${scope}`,
      description: 'With what waits to be delivered. Never its secret.',
      permission: read,
      answer: z.object({ webhook: webhookAnswer }),
    })
    async find(@ActingOrg() orgId: OrgId, @Id() id: WebhookId) {
      const found = await this.webhooks.find({ orgId: ownerIn(scope, orgId), id });
      if (found === undefined) throw webhookNotFound();
      return { webhook: { ...found, backlog: await this.webhooks.backlog(id) } };
    }

    @Put(':id')
    @Operation({
      summary: `Replace the settings of a webhook of the ${scope}`,
      description:
        'What is under way ends, and is delivered once more by the new settings. The secret stays.',
      permission: write,
      stepUp: 'always',
      ifMatch: true,
      answer: changeAnswer,
    })
    async replace(
      @Call() call: ApiCall,
      @Id() id: WebhookId,
      @Body({ schema: webhookBody }) plan: WebhookPlan,
    ): Promise<WireAnswer> {
      const change = changeIn(scope, call, id);
      return await this.idempotentRequests.change(call, (tx) => this.manage.replace(tx, change, plan));
    }

    @Delete(':id')
    @Operation({
      summary: `Remove a webhook of the ${scope}`,
      description: 'With its dead letters. Nothing more is sent there.',
      permission: write,
      answer: changeAnswer,
    })
    async remove(@Call() call: ApiCall, @Id() id: WebhookId): Promise<WireAnswer> {
      checkBody(nothingBody, call.body);
      const change = changeIn(scope, call, id);
      return await this.idempotentRequests.change(call, (tx) => this.manage.remove(tx, change));
    }

    @Post(':id/_activate')
    @Operation({
      summary: `Send events to a webhook of the ${scope} again`,
      description:
        'It goes on where it stopped; `_replay` with the time of now leaves out what happened meanwhile.',
      permission: write,
      stepUp: 'always',
      answer: changeAnswer,
    })
    async activate(@Call() call: ApiCall, @Id() id: WebhookId): Promise<WireAnswer> {
      return await this.setState(call, id, 'active');
    }

    @Post(':id/_deactivate')
    @Operation({
      summary: `Send nothing to a webhook of the ${scope}`,
      permission: write,
      stepUp: 'always',
      answer: changeAnswer,
    })
    async deactivate(@Call() call: ApiCall, @Id() id: WebhookId): Promise<WireAnswer> {
      return await this.setState(call, id, 'inactive');
    }

    @Post(':id/_change_secret')
    @Operation({
      summary: `Give a webhook of the ${scope} a new secret`,
      description:
        'It is shown this once. For as long as `overlap` says, what is sent is signed by the secret before as well.',
      permission: write,
      stepUp: 'always',
      answer: changedSecretAnswer,
    })
    async changeSecret(
      @Call() call: ApiCall,
      @Id() id: WebhookId,
      @Body({ schema: changeSecretBody }) { overlapSeconds }: z.output<typeof changeSecretBody>,
    ): Promise<WireAnswer> {
      const change = changeIn(scope, call, id);
      return await this.idempotentRequests.write(call, (tx) =>
        this.manage.changeSecret(tx, change, overlapSeconds),
      );
    }

    @Post(':id/_test')
    @Operation({
      summary: `Send a ping to a webhook of the ${scope}`,
      description:
        'At once, signed as an event is, whether the webhook is active or not. At most ten a minute.',
      permission: write,
      answer: webhookTestAnswer,
    })
    async ping(@Call() call: ApiCall, @Id() id: WebhookId): Promise<WireAnswer> {
      checkBody(nothingBody, call.body);
      return await this.idempotentRequests.answerOutside(call, async () => {
        await this.limits.admitPing(call.caller);
        const outcome = await this.test.send({ orgId: ownerIn(scope, call.orgId), id });
        return async () => outcome;
      });
    }

    @Post(':id/_replay')
    @Operation({
      summary: `Send the events since a time to a webhook of the ${scope}`,
      description:
        'Again, if they were sent before, with the same ids. A time after those that wait leaves those out.',
      permission: write,
      stepUp: 'always',
      answer: changeAnswer,
    })
    async replay(
      @Call() call: ApiCall,
      @Id() id: WebhookId,
      @Body({ schema: replayBody }) { from }: z.output<typeof replayBody>,
    ): Promise<WireAnswer> {
      const change = changeIn(scope, call, id);
      return await this.idempotentRequests.change(call, (tx) => this.manage.replay(tx, change, from));
    }

    @Post(':id/dead_letters/_search')
    @Operation({
      summary: `Search the events that a webhook of the ${scope} did not take`,
      permission: read,
      answer: listAnswer(deadLetterAnswer),
    })
    async listDeadLetters(
      @ActingOrg() orgId: OrgId,
      @Id() id: WebhookId,
      @Body({ schema: searchBody }) search: z.output<typeof searchBody>,
    ) {
      if ((await this.webhooks.find({ orgId: ownerIn(scope, orgId), id })) === undefined)
        throw webhookNotFound();
      return await this.webhooks.listDeadLetters(id, pageQuery(search));
    }

    @Post(':id/dead_letters/_replay')
    @Operation({
      summary: `Send events again that a webhook of the ${scope} did not take`,
      description: 'Each once, ahead of others; one that fails again is a dead letter again.',
      permission: write,
      answer: replayedLettersAnswer,
    })
    async replayDeadLetters(
      @Call() call: ApiCall,
      @Id() id: WebhookId,
      @Body({ schema: replayLettersBody }) { ids }: z.output<typeof replayLettersBody>,
    ): Promise<WireAnswer> {
      const change = changeIn(scope, call, id);
      return await this.idempotentRequests.write(call, (tx) =>
        this.manage.replayDeadLetters(tx, change, ids),
      );
    }

    private async setState(call: ApiCall, id: WebhookId, state: WebhookState): Promise<WireAnswer> {
      checkBody(nothingBody, call.body);
      const change = changeIn(scope, call, id);
      return await this.idempotentRequests.change(call, (tx) => this.manage.setState(tx, change, state));
    }
  }

  return ScopedWebhooksController;
}
