import { Get, HttpCode, Param, Post } from '@nestjs/common';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { Ledger } from '../../domain/notifications/ledger/ledger.js';
import type { NotificationId, OrgId } from '../../domain/shared/ids.js';
import { listSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { readNothing } from '../shared/api-fields.js';
import { ActingOrg } from '../shared/caller.js';
import {
  askedReplays,
  deliveryResponse,
  deliverySchema,
  filterOf,
  NOTIFICATION_ID,
  readDeliverySearch,
  readReplays,
  replayResponse,
  replaySchema,
  type DeliveryResponse,
  type ReplayResponse,
} from '../shared/delivery-bodies.js';
import { Documented } from '../shared/documented.js';
import { listResponse, pageQuery, type ListResponse } from '../shared/lists.js';
import { RequiresPermission } from '../shared/permission.guard.js';

/** The ledger of the messages to users of the organization. */
@ApiController('management/v1/notifications')
export class NotificationsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly ledger: Ledger,
  ) {}

  @Post('_search')
  @HttpCode(200)
  @RequiresPermission('notification.read')
  @Documented({
    summary: 'Search notifications',
    description: 'All conditions must hold. Newest first.',
    body: readDeliverySearch,
    answer: listSchema(deliverySchema),
  })
  async search(@Call() call: ApiCall): Promise<ListResponse<DeliveryResponse>> {
    const { query, ...asked } = readDeliverySearch(call.body ?? {});
    return listResponse(
      await this.ledger.search({ ...filterOf(asked), orgId: call.orgId }, pageQuery({ query })),
      deliveryResponse,
    );
  }

  @Get(':id')
  @RequiresPermission('notification.read')
  @Documented({ summary: 'Read what became of a notification of the organization', answer: deliverySchema })
  async find(@ActingOrg() orgId: OrgId, @Param('id', NOTIFICATION_ID) id: string): Promise<DeliveryResponse> {
    return deliveryResponse(await this.ledger.find(id as NotificationId, orgId));
  }

  @Post(':id/_replay')
  @HttpCode(200)
  @RequiresPermission('notification.write')
  @Documented({
    summary: 'Send a notification of the organization once more that was given up',
    description: 'Only while its code lives; the error says what speaks against it.',
    body: readNothing,
    answer: replaySchema,
  })
  async replay(@Call() call: ApiCall, @Param('id', NOTIFICATION_ID) id: string): Promise<ReplayResponse> {
    readNothing(call.body ?? {});
    const replay = { orgId: call.orgId, actorId: call.caller };
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      await this.ledger.replay(tx, id as NotificationId, replay);
      return replayResponse({ replayed: [id as NotificationId], refused: [] });
    });
  }

  @Post('_replay')
  @HttpCode(200)
  @RequiresPermission('notification.write')
  @Documented({
    summary: 'Send once more what was given up, by ids or by conditions',
    description:
      'The oldest first, those that have expired left out. What cannot be sent is named with the reason.',
    body: readReplays,
    answer: replaySchema,
  })
  async replayMany(@Call() call: ApiCall): Promise<ReplayResponse> {
    const asked = askedReplays(readReplays(call.body ?? {}), call.orgId);
    const replay = { orgId: call.orgId, actorId: call.caller };
    return await this.idempotentRequests.run(call, async () => {
      const chosen = await this.ledger.choose(asked);
      return async (tx) => replayResponse(await this.ledger.replayMany(tx, chosen, replay));
    });
  }
}
