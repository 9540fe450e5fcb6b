import { Body, Get, Injectable, Param, Post } from '@nestjs/common';
import type { z } from 'zod';
import { IdempotentRequests, type WireAnswer } from '../../../domain/idempotency/idempotent-requests.js';
import { deliveryNotFound } from '../../../domain/notifications/ledger/delivery.js';
import { Ledger } from '../../../domain/notifications/ledger/ledger.js';
import type { DeliveryFilter } from '../../../domain/notifications/notifications.store.js';
import type { Acting } from '../../../domain/permissions/acting.js';
import { RequirePermission } from '../../../domain/permissions/require-permission.js';
import type { NotificationId, OrgId } from '../../../domain/shared/ids.js';
import { Call, type ApiCall } from '../api-call.js';
import { checkBody } from '../body.pipe.js';
import { ActingOrg, CallerParam, type Caller } from '../caller.js';
import { listAnswer, nothingBody } from '../lists.js';
import { Operation } from '../operation.js';
import { orgIn, type OwnerScope } from '../owner-scope.js';
import { PathId } from '../path-id.js';
import {
  instanceNotificationAnswer,
  instanceNotificationSearchBody,
  instanceReplaysBody,
  notificationAnswer,
  notificationSearchBody,
  replayAnswer,
  replaysBody,
} from '../schemas/notification.schemas.js';

const Id = () => Param('id', new PathId(deliveryNotFound));

const SCOPES = {
  organization: {
    notifications: 'notifications',
    one: 'a notification of the organization',
    read: 'notification.read',
    write: 'notification.write',
    searchBody: notificationSearchBody,
    replaysBody,
    answer: notificationAnswer,
  },
  instance: {
    notifications: 'all notifications',
    one: 'a notification',
    read: 'iam.read',
    write: 'iam.write',
    searchBody: instanceNotificationSearchBody,
    replaysBody: instanceReplaysBody,
    answer: instanceNotificationAnswer,
  },
} as const;

/** The ledger of messages: to the users of the organization that the call acts in, or of all the instance. */
export function notificationsOf(scope: OwnerScope) {
  const { notifications, one, read, write, searchBody, replaysBody: manyBody, answer } = SCOPES[scope];

  @Injectable()
  abstract class ScopedNotificationsController {
    constructor(
      private readonly idempotentRequests: IdempotentRequests,
      private readonly ledger: Ledger,
      private readonly requirePermission: RequirePermission,
    ) {}

    @Post('_search')
    @Operation({
      summary: `Search ${notifications}`,
      description: 'All conditions must hold. Newest first.',
      permission: read,
      answer: listAnswer(answer),
    })
    async search(
      @ActingOrg() orgId: OrgId,
      @CallerParam() { acting }: Caller,
      @Body({ schema: searchBody }) { filter, page }: z.output<typeof searchBody>,
    ) {
      await this.requireRecipient(acting, orgId, filter);
      return await this.ledger.search(within(scope, orgId, filter), page);
    }

    @Get(':id')
    @Operation({ summary: `Read what became of ${one}`, permission: read, answer })
    async find(@ActingOrg() orgId: OrgId, @Id() id: NotificationId) {
      return await this.ledger.find(id, orgIn(scope, orgId));
    }

    @Post(':id/_replay')
    @Operation({
      summary: `Send ${one} once more that was given up`,
      description: 'Only while its code lives; the error says what speaks against it.',
      permission: write,
      answer: replayAnswer,
    })
    async replay(@Call() call: ApiCall, @Id() id: NotificationId): Promise<WireAnswer> {
      checkBody(nothingBody, call.body);
      const replay = { orgId: orgIn(scope, call.orgId), actorId: call.caller };
      return await this.idempotentRequests.write(call, async (tx) => {
        await this.ledger.replay(tx, id, replay);
        return { replayed: [id], refused: [] };
      });
    }

    @Post('_replay')
    @Operation({
      summary: 'Send once more what was given up, by ids or by conditions',
      description:
        'The oldest first, those that have expired left out. What cannot be sent is named with the reason.',
      permission: write,
      answer: replayAnswer,
    })
    async replayMany(
      @Call() call: ApiCall,
      @Body({ schema: manyBody }) asked: z.output<typeof manyBody>,
    ): Promise<WireAnswer> {
      const replay = { orgId: orgIn(scope, call.orgId), actorId: call.caller };
      await this.requireRecipient(call.acting, call.orgId, asked.filter);
      return await this.idempotentRequests.answer(call, async () => {
        const filter = within(scope, call.orgId, asked.filter);
        const chosen = await this.ledger.choose({ ...asked, filter });
        return async (tx) => await this.ledger.replayMany(tx, chosen, replay);
      });
    }

    /** What is found by an address says that somebody has it: that is for those who may read the users. */
    private async requireRecipient(acting: Acting, orgId: OrgId, filter: DeliveryFilter): Promise<void> {
      if (filter.recipient !== undefined) await this.requirePermission.check(acting, orgId, 'user.read');
    }
  }
  return ScopedNotificationsController;
}

function within<Filter extends object>(scope: OwnerScope, orgId: OrgId, filter: Filter): Filter {
  return scope === 'organization' ? { ...filter, orgId } : filter;
}
