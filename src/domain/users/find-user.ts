import { Injectable } from '@nestjs/common';
import { ApiError } from '../shared/errors.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { User } from './user.js';
import { UsersStore } from './users.store.js';

/** A user that no organization, or only another one, owns: both look the same. */
export function userNotFound(): ApiError {
  return new ApiError('not-found', 'User could not be found', 'QUERY-Dfbg2');
}

@Injectable()
export class FindUser {
  constructor(private readonly users: UsersStore) {}

  /** @throws ApiError not-found */
  async find(orgId: OrgId, id: UserId): Promise<User> {
    const user = await this.users.find(orgId, id);
    if (user === undefined) throw userNotFound();
    return user;
  }
}
