import { Injectable } from '@nestjs/common';
import type { SessionId } from '../shared/ids.js';
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
    return await this.end([...agent.sessions, ...agent.lapsed].map((session) => session.id));
  }

  async end(ids: readonly SessionId[]): Promise<number> {
    if (ids.length === 0) return 0;
    return await this.unitOfWork.run((tx) => this.sessions.end(tx, ids, 'logout', null));
  }
}
