import { Injectable } from '@nestjs/common';
import type { UserAgentId } from '../shared/ids.js';
import { randomId, randomToken, sha256 } from '../shared/random.js';
import type { NewUserAgent, UserAgent } from './session.js';
import { SessionSettings, SessionsStore } from './sessions.store.js';

const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** Recognises browsers by their cookie, and gives new ones a secret. */
@Injectable()
export class UserAgents {
  constructor(
    private readonly sessions: SessionsStore,
    private readonly settings: SessionSettings,
  ) {}

  /** The browser behind a cookie's value; undefined for none, a forged or an outdated one. */
  async find(secret: string | undefined): Promise<UserAgent | undefined> {
    if (secret === undefined || !SECRET.test(secret)) return undefined;
    return await this.sessions.findAgent(sha256(secret), this.settings);
  }

  async welcome(): Promise<NewUserAgent> {
    const agent = { id: randomId() as UserAgentId, secret: randomToken(32) };
    await this.sessions.addAgent(agent.id, sha256(agent.secret));
    return agent;
  }
}
