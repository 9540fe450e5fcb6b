import { Get, HttpCode, Param, Post } from '@nestjs/common';
import { z } from 'zod';
import { IdempotentRequests } from '../../domain/idempotency/idempotent-requests.js';
import { ImportHumanUser } from '../../domain/imports/records/import-human-user.js';
import type { OrgId, UserId } from '../../domain/shared/ids.js';
import { ChangeUserState } from '../../domain/users/change-user-state.js';
import { FindUser, userNotFound } from '../../domain/users/find-user.js';
import { changedSchema, createdDetailsSchema, idSchema } from '../shared/answer-schemas.js';
import { Call, type ApiCall } from '../shared/api-call.js';
import { ApiController } from '../shared/api-controller.js';
import { bodyReader } from '../shared/api-fields.js';
import { ActingOrg } from '../shared/caller.js';
import { changedDetails, createdDetails, type DetailsResponse } from '../shared/details-response.js';
import { Documented } from '../shared/documented.js';
import { PathId } from '../shared/path-id.js';
import { RequiresPermission } from '../shared/permission.guard.js';
import { Source } from '../shared/source.js';
import { userResponse } from '../shared/user-response.js';
import { readHuman, userSchema } from '../shared/user-schemas.js';

const readNothing = bodyReader({});
const USER_ID = new PathId(userNotFound);

/** Users of the organization that the call acts in. A user of another one is not found. */
@ApiController('management/v1')
export class UsersController {
  constructor(
    private readonly idempotentRequests: IdempotentRequests,
    private readonly importHumanUser: ImportHumanUser,
    private readonly findUser: FindUser,
    private readonly changeUserState: ChangeUserState,
  ) {}

  @Post('users/human/_import')
  @Documented({
    summary: 'Import a human user',
    description:
      'With a password in plain text, with one that is hashed already, or with none. A mail is sent when the e-mail ' +
      'address is not verified or there is no password.',
    body: readHuman,
    answer: z.strictObject({ userId: idSchema, details: createdDetailsSchema }),
  })
  @HttpCode(200)
  @RequiresPermission('user.import')
  async importHuman(
    @Call() call: ApiCall,
    @Source() source: string,
  ): Promise<{ userId: UserId; details: DetailsResponse }> {
    const record = readHuman(call.body);
    return await this.idempotentRequests.run(call, async () => {
      const human = await this.importHumanUser.prepare({
        orgId: call.orgId,
        actorId: call.caller,
        record,
        source,
      });
      return async (tx) => {
        const { id, details } = await this.importHumanUser.store(tx, human);
        return { userId: id, details: createdDetails(details) };
      };
    });
  }

  @Get('users/:id')
  @Documented({ summary: 'Find a user', answer: z.strictObject({ user: userSchema }) })
  @RequiresPermission('user.read')
  async find(@ActingOrg() orgId: OrgId, @Param('id', USER_ID) id: string) {
    return userResponse(await this.findUser.find(orgId, id as UserId));
  }

  @Post('users/:id/_deactivate')
  @Documented({
    summary: 'Deactivate a user',
    description: 'Sessions and tokens of the user end at once.',
    answer: changedSchema,
  })
  @HttpCode(200)
  @RequiresPermission('user.write')
  async deactivate(
    @Call() call: ApiCall,
    @Param('id', USER_ID) id: string,
  ): Promise<{ details: DetailsResponse }> {
    return await this.changeState('deactivate', call, id as UserId);
  }

  @Post('users/:id/_reactivate')
  @Documented({
    summary: 'Reactivate a user',
    answer: changedSchema,
  })
  @HttpCode(200)
  @RequiresPermission('user.write')
  async reactivate(
    @Call() call: ApiCall,
    @Param('id', USER_ID) id: string,
  ): Promise<{ details: DetailsResponse }> {
    return await this.changeState('reactivate', call, id as UserId);
  }

  @Post('users/:id/_lock')
  @Documented({
    summary: 'Lock a user',
    description: 'Sessions and tokens of the user end at once.',
    answer: changedSchema,
  })
  @HttpCode(200)
  @RequiresPermission('user.write')
  async lock(@Call() call: ApiCall, @Param('id', USER_ID) id: string): Promise<{ details: DetailsResponse }> {
    return await this.changeState('lock', call, id as UserId);
  }

  @Post('users/:id/_unlock')
  @Documented({
    summary: 'Unlock a user',
    description: 'Also lifts the pause after too many wrong passwords.',
    answer: changedSchema,
  })
  @HttpCode(200)
  @RequiresPermission('user.write')
  async unlock(
    @Call() call: ApiCall,
    @Param('id', USER_ID) id: string,
  ): Promise<{ details: DetailsResponse }> {
    return await this.changeState('unlock', call, id as UserId);
  }

  /** The body says nothing; it may be an empty object or missing. */
  private async changeState(
    change: 'deactivate' | 'reactivate' | 'lock' | 'unlock',
    call: ApiCall,
    userId: UserId,
  ): Promise<{ details: DetailsResponse }> {
    readNothing(call.body ?? {});
    const target = { orgId: call.orgId, userId, ...call.acting };
    return await this.idempotentRequests.run(call, async () => async (tx) => {
      return { details: changedDetails(await this.changeUserState[change](tx, target)) };
    });
  }
}
