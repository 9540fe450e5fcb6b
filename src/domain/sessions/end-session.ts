import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../shared/unit-of-work.js';
import { SessionsStore } from './sessions.store.js';
import type { BrowserAgent } from './session.js';

/** Logout: ends every session of a browser. When it returns, their tokens are dead on every replica. */
@Injectable()
export class EndSessions {
  constructor(
    private readonly sessions: SessionsStore,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  async endAll(agent: BrowserAgent): Promise<number> {
    if (agent.sessions.length === 0) return 0;
    const ids = agent.sessions.map((session) => session.id);
    return await this.unitOfWork.run((tx) => this.sessions.end(tx, ids, 'logout', null));
  }
}
