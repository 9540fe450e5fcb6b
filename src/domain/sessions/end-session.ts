import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../shared/unit-of-work.js';
import type { Session } from './session.js';
import { SessionsStore } from './sessions.store.js';

/** Logout: ends sessions of a browser. When it returns, their tokens are dead on every replica. */
@Injectable()
export class EndSessions {
  constructor(
    private readonly sessions: SessionsStore,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @returns how many had not ended before */
  async end(sessions: readonly Session[], reason: 'logout' | 'account_removed'): Promise<number> {
    if (sessions.length === 0) return 0;
    const ids = sessions.map((session) => session.id);
    return await this.unitOfWork.run((tx) => this.sessions.end(tx, ids, reason, null));
  }
}
