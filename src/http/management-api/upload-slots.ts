import { Injectable } from '@nestjs/common';
import { ApiError } from '../../domain/shared/errors.js';
import type { UserId } from '../../domain/shared/ids.js';

/** Each takes the memory of a chunk and a share of the processor, for as long as its sender likes. */
const MOST_OF_ONE_CALLER = 4;
const MOST_TOGETHER = 32;
const RETRY_SECONDS = 5;

/** Uploads that this replica receives at the same time, and streams that it keeps open. */
@Injectable()
export class UploadSlots {
  private readonly held = new Map<string, number>();
  private together = 0;

  /** @returns what gives the slot back. @throws ApiError resource-exhausted */
  take(kind: 'upload' | 'events', caller: UserId): () => void {
    const key = `${kind} ${caller}`;
    const own = this.held.get(key) ?? 0;
    if (own >= MOST_OF_ONE_CALLER || (kind === 'upload' && this.together >= MOST_TOGETHER)) {
      const text = kind === 'upload' ? 'too many uploads at the same time' : 'too many open streams';
      throw new ApiError('resource-exhausted', text, 'LIMITS-8Up2s', RETRY_SECONDS);
    }
    this.held.set(key, own + 1);
    if (kind === 'upload') this.together += 1;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const left = (this.held.get(key) ?? 1) - 1;
      if (left === 0) this.held.delete(key);
      else this.held.set(key, left);
      if (kind === 'upload') this.together -= 1;
    };
  }
}
