import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../domain/shared/errors.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';

interface Slot {
  readonly ofOneCaller: number;
  readonly ofOneOrganization: number;
  readonly together: number;
  readonly refusal: string;
}

const SLOTS = {
  // each takes the memory of a chunk and a share of the processor, for as long as its sender likes
  upload: {
    ofOneCaller: 4,
    ofOneOrganization: 8,
    together: 32,
    refusal: 'too many uploads at the same time',
  },
  'import progress': {
    ofOneCaller: 4,
    ofOneOrganization: 32,
    together: 256,
    refusal: 'too many open streams',
  },
  'import results': {
    ofOneCaller: 2,
    ofOneOrganization: 4,
    together: 8,
    refusal: 'too many downloads of results at the same time',
  },
  // a page may open as many chunks as it has entries; somebody who looks through them asks again before the answer is there
  'import records': {
    ofOneCaller: 4,
    ofOneOrganization: 8,
    together: 16,
    refusal: 'too many lists of records at the same time',
  },
  // each may keep a connection to the database at work for seconds, and DATABASE_POOL_SIZE is 10
  'event search': {
    ofOneCaller: 2,
    ofOneOrganization: 3,
    together: 4,
    refusal: 'too many searches of events at the same time',
  },
  'event stream': {
    ofOneCaller: 2,
    ofOneOrganization: 4,
    together: 8,
    refusal: 'too many open streams of events',
  },
  // whole organizations, with what everybody signs in with
  export: {
    ofOneCaller: 1,
    ofOneOrganization: 2,
    together: 2,
    refusal: 'too many exports at the same time',
  },
} as const satisfies Record<string, Slot>;
const RETRY_SECONDS = 5;

/**
 * How many requests that take long or much this replica serves at the same time: uploads, downloads, streams, records
 * of imports and searches of the audit log. An organization makes callers as it likes: so they are counted together as well, or one of them would take
 * the place of all others.
 */
@Injectable()
export class RequestSlots {
  private readonly held = new Map<string, number>();

  /** @returns what gives the slot back. @throws ApiError resource-exhausted */
  take(kind: keyof typeof SLOTS, caller: UserId, orgId: OrgId): () => void {
    const { ofOneCaller, ofOneOrganization, together, refusal } = SLOTS[kind];
    const counts: readonly (readonly [key: string, most: number])[] = [
      [`${kind} of caller ${caller}`, ofOneCaller],
      [`${kind} of organization ${orgId}`, ofOneOrganization],
      [kind, together],
    ];
    if (counts.some(([key, most]) => (this.held.get(key) ?? 0) >= most)) {
      throw new ApiError('resource-exhausted', refusal, 'LIMITS-8Up2s', RETRY_SECONDS);
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
