import { Get, HttpCode, Param, Post } from '@nestjs/common';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { Ledger } from '../../domain/notifications/ledger/ledger.js';
import type { NotificationId } from '../../domain/shared/ids.js';
import { listSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { readNothing } from '../shared/api-fields.js';
import {
  askedReplays,
  filterOf,
  instanceDeliveryResponse,
  instanceDeliverySchema,
  NOTIFICATION_ID,
  readInstanceDeliverySearch,
  readInstanceReplays,
  replayResponse,
  replaySchema,
  type DeliveryResponse,
  type ReplayResponse,
} from '../shared/delivery-bodies.js';
import { Documented } from '../shared/documented.js';
import { listResponse, pageQuery, type ListResponse } from '../shared/lists.js';
import { RequiresPermission } from '../shared/permission.guard.js';

/** The ledger of all messages of the instance, whichever organization the call acts in. */
@ApiController('admin/v1/notifications')
export class InstanceNotificationsController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly ledger: Ledger,
  ) {}

  @Post('_search')
  @HttpCode(200)
  @RequiresPermission('iam.read')
  @Documented({
    summary: 'Search all notifications',
    description: 'All conditions must hold. Newest first.',
    body: readInstanceDeliverySearch,
    answer: listSchema(instanceDeliverySchema),
  })
  async search(@Call() call: ApiCall): Promise<ListResponse<DeliveryResponse>> {
    const { query, ...asked } = readInstanceDeliverySearch(call.body ?? {});
    return listResponse(
      await this.ledger.search(filterOf(asked), pageQuery({ query })),
      instanceDeliveryResponse,
    );
  }

  @Get(':id')
  @RequiresPermission('iam.read')
  @Documented({ summary: 'Read what became of a notification', answer: instanceDeliverySchema })
  async find(@Param('id', NOTIFICATION_ID) id: string): Promise<DeliveryResponse> {
    return instanceDeliveryResponse(await this.ledger.find(id as NotificationId, undefined));
  }

  @Post(':id/_replay')
  @HttpCode(200)
  @RequiresPermission('iam.write')
  @Documented({
    summary: 'Send a notification once more that was given up',
    description: 'Only while its code lives; the error says what speaks against it.',
    body: readNothing,
    answer: replaySchema,
  })
  async replay(@Call() call: ApiCall, @Param('id', NOTIFICATION_ID) id: string): Promise<ReplayResponse> {
    readNothing(call.body ?? {});
    const replay = { orgId: undefined, actorId: call.caller };
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      await this.ledger.replay(tx, id as NotificationId, replay);
      return replayResponse({ replayed: [id as NotificationId], refused: [] });
    });
  }

  @Post('_replay')
  @HttpCode(200)
  @RequiresPermission('iam.write')
  @Documented({
    summary: 'Send once more what was given up, by ids or by conditions',
    description:
      'The oldest first, those that have expired left out. What cannot be sent is named with the reason.',
    body: readInstanceReplays,
    answer: replaySchema,
  })
  async replayMany(@Call() call: ApiCall): Promise<ReplayResponse> {
    const asked = askedReplays(readInstanceReplays(call.body ?? {}));
    const replay = { orgId: undefined, actorId: call.caller };
    return await this.idempotentRequests.run(call, async () => {
      const chosen = await this.ledger.choose(asked);
      return async (tx) => replayResponse(await this.ledger.replayMany(tx, chosen, replay));
    });
  }
}
