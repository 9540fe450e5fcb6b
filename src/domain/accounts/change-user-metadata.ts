import { Injectable } from '@nestjs/common';
import type { EventType } from '../events/event-types.js';
import type { ResourceDetails } from '../shared/details.js';
import { ApiError } from '../shared/errors.js';
import type { Tx } from '../shared/unit-of-work.js';
import { MOST_METADATA, UsersStore, type LockedUser } from '../users/users.store.js';
import { AccountChanges, type AccountChange } from './account-changes.js';

/** Sets and removes what others keep about a user. It is theirs: the service never reads it for a decision. */
@Injectable()
export class ChangeUserMetadata {
  constructor(
    private readonly account: AccountChanges,
    private readonly users: UsersStore,
  ) {}

  /** @throws ApiError not-found, failed-precondition when it would be too much */
  async set(tx: Tx, change: AccountChange, key: string, value: Buffer): Promise<ResourceDetails> {
    const user = await this.account.lockForUpdate(tx, change);
    const { keys, bytes } = await this.users.measureOtherMetadata(tx, change.orgId, change.userId, key);
    if (keys >= MOST_METADATA.keys || bytes + Buffer.byteLength(key) + value.length > MOST_METADATA.bytes) {
      const text = `A user can have ${MOST_METADATA.keys} keys and ${MOST_METADATA.bytes} bytes of metadata`;
      throw new ApiError('failed-precondition', text, 'META-4kQ8d');
    }
    const details = await this.users.setMetadata(tx, change.orgId, change.userId, key, value);
    await this.record(tx, change, user, 'user.metadata.set', key);
    return details;
  }

  /** @throws ApiError not-found */
  async remove(tx: Tx, change: AccountChange, key: string): Promise<ResourceDetails> {
    const user = await this.account.lockForUpdate(tx, change);
    const details = await this.users.removeMetadata(tx, change.orgId, change.userId, key);
    if (details === undefined) throw metadataNotFound();
    await this.record(tx, change, user, 'user.metadata.removed', key);
    return details;
  }

  /** It changes nothing of the user, but is found with them: the event counts for the user. */
  private async record(
    tx: Tx,
    change: AccountChange,
    user: LockedUser,
    type: EventType,
    key: string,
  ): Promise<void> {
    const details = await this.users.countChange(tx, user);
    await this.account.record(tx, change, details, type, [`metadata.${key}`]);
  }
}

export function metadataNotFound(): ApiError {
  return new ApiError('not-found', 'Metadata not found', 'QUERY-Rfbg4');
}
