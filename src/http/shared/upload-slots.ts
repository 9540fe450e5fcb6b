import { Injectable } from '@nestjs/common';
import { ApiError } from '../../domain/shared/errors.js';
import type { OrgId, UserId } from '../../domain/shared/ids.js';

/** Each upload takes the memory of a chunk and a share of the processor, for as long as its sender likes. */
const MOST = {
  upload: { ofOneCaller: 4, ofOneOrganization: 8, together: 32 },
  events: { ofOneCaller: 4, ofOneOrganization: 32, together: Number.POSITIVE_INFINITY },
  // each may keep a connection to the database at work for seconds, and DATABASE_POOL_SIZE is 10
  'event search': { ofOneCaller: 2, ofOneOrganization: 3, together: 4 },
  'event stream': { ofOneCaller: 2, ofOneOrganization: 4, together: 8 },
  // whole organizations, with what everybody signs in with
  export: { ofOneCaller: 1, ofOneOrganization: 2, together: 2 },
  'import results': { ofOneCaller: 2, ofOneOrganization: 4, together: 8 },
} as const;
type Slot = keyof typeof MOST;
const REFUSALS: Readonly<Record<Slot, string>> = {
  upload: 'too many uploads at the same time',
  events: 'too many open streams',
  'event search': 'too many searches of events at the same time',
  'event stream': 'too many open streams of events',
  export: 'too many exports at the same time',
  'import results': 'too many downloads of results at the same time',
};
const RETRY_SECONDS = 5;

/**
 * Uploads that this replica receives at the same time, streams and downloads that it keeps open, and searches of the audit log. An organization makes callers as
 * it likes: so they are counted together as well, or one of them would take the place of all others.
 */
@Injectable()
export class UploadSlots {
  private readonly held = new Map<string, number>();

  /** @returns what gives the slot back. @throws ApiError resource-exhausted */
  take(kind: Slot, caller: UserId, orgId: OrgId): () => void {
    const { ofOneCaller, ofOneOrganization, together } = MOST[kind];
    const counts: readonly (readonly [key: string, most: number])[] = [
      [`${kind} of caller ${caller}`, ofOneCaller],
      [`${kind} of organization ${orgId}`, ofOneOrganization],
      [kind, together],
    ];
    if (counts.some(([key, most]) => (this.held.get(key) ?? 0) >= most)) {
      throw new ApiError('resource-exhausted', REFUSALS[kind], 'LIMITS-8Up2s', RETRY_SECONDS);
    }
    for (const [key] of counts) this.held.set(key, (this.held.get(key) ?? 0) + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      for (const [key] of counts) this.giveBack(key);
    };
  }

  private giveBack(key: string): void {
    const left = (this.held.get(key) ?? 1) - 1;
    if (left === 0) this.held.delete(key);
    else this.held.set(key, left);
  }
}
