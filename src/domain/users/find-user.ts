import { Injectable } from '@nestjs/common';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { OrgId, UserId } from '../shared/ids.js';
import type { HumanUser, User } from './user.js';
import { UsersStore } from './users.store.js';

/** A user that no organization, or only another one, owns: both look the same. */
export function userNotFound(): ApiError {
  return new ApiError('not-found', 'User could not be found', 'QUERY-Dfbg2');
}

/** What only humans have, and not all of them. */
type HumanPart = 'profile' | 'email' | 'phone';
type Found<Part extends HumanPart> = { readonly details: ResourceDetails } & {
  readonly [Name in Part]: NonNullable<HumanUser[Name]>;
};

const NOT_FOUND: Readonly<Record<HumanPart, () => ApiError>> = {
  profile: () => new ApiError('not-found', 'Profile not found', 'QUERY-3n8fs'),
  email: () => new ApiError('not-found', 'Email not found', 'QUERY-3n8fs'),
  phone: phoneNotFound,
};

export function phoneNotFound(): ApiError {
  return new ApiError('not-found', 'Phone not found', 'COMMAND-2b7Hf');
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

  /** @throws ApiError not-found, also for a user who has none, such as every service user */
  async findPart<Part extends HumanPart>(orgId: OrgId, id: UserId, part: Part): Promise<Found<Part>> {
    const user = await this.find(orgId, id);
    const found = user.type === 'human' ? user[part] : undefined;
    if (found === undefined) throw NOT_FOUND[part]();
    return { details: user.details, [part]: found } as unknown as Found<Part>;
  }
}
