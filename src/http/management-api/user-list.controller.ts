import { HttpCode, Post } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { ImportHumanUser } from '../../domain/imports/records/import-human-user.js';
import type { UserId } from '../../domain/shared/ids.js';
import { UsersStore } from '../../domain/users/users.store.js';
import { createdDetailsSchema, idSchema, listSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { createdDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { listResponse, pageQuery, type ListResponse } from '../shared/lists.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import { Source } from '../shared/source.js';
import { userResponse } from '../shared/user-response.js';
import { readAddedHuman, userSchema } from '../shared/user-schemas.js';
import { readUserSearch } from './user-search-body.js';

/** Users of the organization as a list: looking through it, and adding to it. */
@ApiController('management/v1/users')
export class UserListController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly users: UsersStore,
    private readonly importHumanUser: ImportHumanUser,
  ) {}

  @Post('_search')
  @HttpCode(200)
  @Documented({
    summary: 'Search users',
    description: 'All conditions must hold. Ordered by id.',
    body: readUserSearch,
    answer: listSchema(userSchema),
  })
  @RequiresPermission('user.read')
  async search(@Call() call: ApiCall): Promise<ListResponse<ReturnType<typeof userResponse>['user']>> {
    const { query, queries } = readUserSearch(call.body ?? {});
    const page = await this.users.search(call.orgId, queries, pageQuery({ query }));
    return listResponse(page, (user) => userResponse(user).user);
  }

  /** Like `_import`, without a hash: whoever may write users may set a password, but bring none along. */
  @Post('human')
  @HttpCode(200)
  @Documented({
    summary: 'Add a human user',
    description: 'Like an import, without a hash.',
    body: readAddedHuman,
    answer: z.strictObject({ userId: idSchema, details: createdDetailsSchema }),
  })
  @RequiresPermission('user.write')
  async addHuman(
    @Call() call: ApiCall,
    @Source() source: string,
  ): Promise<{ userId: UserId; details: DetailsResponse }> {
    const record = readAddedHuman(call.body);
    return await this.idempotentRequests.run(call, async () => {
      const asked = { orgId: call.orgId, actorId: call.caller, record, source, how: 'added' } as const;
      const human = await this.importHumanUser.prepare(asked);
      return async (tx) => {
        const { id, details } = await this.importHumanUser.store(tx, human);
        return { userId: id, details: createdDetails(details) };
      };
    });
  }
}
