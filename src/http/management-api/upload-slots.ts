import { Injectable } from '@nestjs/common';
import { ApiError } from '../../domain/shared/errors.js';
import type { OrgId, UserId } from '../../domain/shared/ids.js';

/** Each upload takes the memory of a chunk and a share of the processor, for as long as its sender likes. */
const MOST = {
  upload: { ofOneCaller: 4, ofOneOrganization: 8, together: 32 },
  events: { ofOneCaller: 4, ofOneOrganization: 32, together: Number.POSITIVE_INFINITY },
} as const;
const RETRY_SECONDS = 5;

/**
 * Uploads that this replica receives at the same time, and streams that it keeps open. An organization makes callers as
 * it likes: so they are counted together as well, or one of them would take the place of all others.
 */
@Injectable()
export class UploadSlots {
  private readonly held = new Map<string, number>();

  /** @returns what gives the slot back. @throws ApiError resource-exhausted */
  take(kind: 'upload' | 'events', caller: UserId, orgId: OrgId): () => void {
    const { ofOneCaller, ofOneOrganization, together } = MOST[kind];
    const counts: readonly (readonly [key: string, most: number])[] = [
      [`${kind} of caller ${caller}`, ofOneCaller],
      [`${kind} of organization ${orgId}`, ofOneOrganization],
      [kind, together],
    ];
    if (counts.some(([key, most]) => (this.held.get(key) ?? 0) >= most)) {
      const text = kind === 'upload' ? 'too many uploads at the same time' : 'too many open streams';
      throw new ApiError('resource-exhausted', text, 'LIMITS-8Up2s', RETRY_SECONDS);
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
