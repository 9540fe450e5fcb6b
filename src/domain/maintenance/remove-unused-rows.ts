import { Injectable } from '@nestjs/common';
import { SessionSettings } from '../sessions/sessions.store.js';
import { Log } from '../shared/log.js';
import { LONGEST_TOKEN_SECONDS } from '../signing-keys/key-settings.js';
import { MaintenanceStore, RetentionSettings, type WalkedKind } from './maintenance.store.js';
import type { UpkeepCounts } from './upkeep-counts.js';

const ROWS_PER_PAGE = 2_000;
/** Half a million rows checked in one run; the next one continues from there. */
const MAX_PAGES = 250;
/** A code is taken to be redeemed, and clocks differ. */
const MARGIN_SECONDS = 86_400;

/**
 * Deletes sessions that lapsed without a logout, and authorizations that can no longer be used: no token of theirs
 * can be valid, none can be refreshed, no exchanged token depends on them, and no logout needs them to notify applications. Age
 * alone ends no session (architecture §3); so one goes only when that can make no difference to anybody.
 */
@Injectable()
export class RemoveUnusedRows {
  constructor(
    private readonly maintenance: MaintenanceStore,
    private readonly retention: RetentionSettings,
    private readonly sessions: SessionSettings,
    private readonly log: Log,
  ) {}

  /** @returns rows deleted of each kind */
  async run(): Promise<UpkeepCounts> {
    // grants go after their sessions
    const removed = { sessions: await this.walk('sessions'), grants: await this.walk('grants') };
    if (removed.sessions + removed.grants > 0) this.log.info('unused rows removed', removed);
    return removed;
  }

  private async walk(kind: WalkedKind): Promise<number> {
    const { idleSeconds, absoluteSeconds } = this.sessions;
    const unusedSeconds = Math.max(LONGEST_TOKEN_SECONDS + MARGIN_SECONDS, this.retention.sessionSeconds);
    let removed = 0;
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const seen = await this.maintenance.removeUnused({
        kind,
        limit: ROWS_PER_PAGE,
        unusedSeconds,
        idleSeconds,
        absoluteSeconds,
      });
      removed += seen.removed;
      if (seen.looked < ROWS_PER_PAGE) break;
    }
    return removed;
  }
}
