import type { OrgId } from '../shared/ids.js';

/** Of a worker's ten (notifications.processor.ts): the others stay free for messages that somebody waits for. */
const MOST = 6;
/** Of them so many of one organization, whose applications may take their time to answer. */
const MOST_OF_ORGANIZATION = 3;
/** Of a call, before one has ended. */
const GUESSED_MS = 200;
/** So far ahead turns are given out. */
const LONGEST_WAIT_MS = 120_000;
/** Whoever is further behind asks again within that. */
const LONGEST_LOOK_MS = 900_000;

export type NoticePlace =
  /** To be given back with how long the call took; with nothing where there was none. */
  | { readonly kind: 'taken'; readonly free: (callMs?: number) => void }
  /** Comes again after that. */
  | { readonly kind: 'full'; readonly retryInMs: number };

/** Concurrent calls; beyond that, each notice gets a later turn, one after the other as calls end. */
class Row {
  inUse = 0;
  private callMs = GUESSED_MS;
  private nextAt = 0;
  private nextLookAt = 0;

  constructor(private readonly most: number) {}

  get isFull(): boolean {
    return this.inUse >= this.most;
  }

  /** Nobody has a place or a turn. */
  isIdle(now: number): boolean {
    return this.inUse === 0 && this.nextAt <= now && this.nextLookAt <= now;
  }

  free(callMs: number | undefined): void {
    this.inUse -= 1;
    if (callMs !== undefined) this.callMs += (callMs - this.callMs) * 0.3;
  }

  /**
   * Where the row is longer than that, the rest asks again one after the other, twice as fast as calls end: calls may have become
   * faster by then, and a backlog costs twice as many questions as it has notices, and not all of it a question each minute.
   */
  turnIn(now: number): number {
    const step = this.callMs / this.most;
    const at = Math.max(this.nextAt, now) + step;
    if (at - now <= LONGEST_WAIT_MS) {
      this.nextAt = at;
      return at - now;
    }
    const lookAt = Math.max(this.nextLookAt, now + LONGEST_WAIT_MS / 2) + step / 2;
    if (lookAt - now > LONGEST_LOOK_MS) return LONGEST_LOOK_MS * (0.5 + Math.random() / 2);
    this.nextLookAt = lookAt;
    return lookAt - now;
  }
}

/**
 * Fairness between the organizations whose notices a worker process delivers: one whose applications answer slowly keeps neither
 * the notices of others waiting nor messages. What finds no place goes back to the queue for a while, without an attempt.
 */
export class NoticePlaces {
  private readonly all = new Row(MOST);
  private readonly rows = new Map<OrgId, Row>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  take(orgId: OrgId): NoticePlace {
    const row = this.rowOf(orgId);
    const full = [row, this.all].find(({ isFull }) => isFull);
    if (full !== undefined) return { kind: 'full', retryInMs: full.turnIn(this.now()) };
    const held = [row, this.all];
    for (const one of held) one.inUse += 1;
    return { kind: 'taken', free: (callMs) => held.forEach((one) => one.free(callMs)) };
  }

  private rowOf(orgId: OrgId): Row {
    const known = this.rows.get(orgId);
    if (known !== undefined) return known;
    for (const [id, row] of this.rows) if (row.isIdle(this.now())) this.rows.delete(id);
    const row = new Row(MOST_OF_ORGANIZATION);
    this.rows.set(orgId, row);
    return row;
  }
}
