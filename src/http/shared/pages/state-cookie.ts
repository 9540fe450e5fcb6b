import { Injectable } from '@nestjs/common';
import { stringifySetCookie } from 'cookie';
import type { FastifyReply } from 'fastify';
import { Config } from '../../../config/config.js';
import { BrowserStates } from '../../../domain/sessions/browser-state.js';
import type { UserAgent } from '../../../domain/sessions/session.js';
import { UserAgents } from '../../../domain/sessions/user-agents.js';
import { stateCookieName } from '../../../pages/check-session-page.js';
import { YEAR_SECONDS } from './sso-cookie.js';

/**
 * A cookie more, only where session management is served: the state of the browser, for the script of the one page that
 * other sites may frame. Their frames get it (SameSite=None) and the script reads it, so it is never read here.
 */
@Injectable()
export class StateCookie {
  private readonly secure: boolean;

  constructor(
    config: Config,
    private readonly states: BrowserStates,
    private readonly agents: UserAgents,
  ) {
    this.secure = config.app.issuer.secure;
  }

  /**
   * Brings the cookie up to date with the sessions as they are now.
   *
   * @param secret of the browser: the one it came with, or the one that this reply gives it
   * @returns the state; undefined where it is not served, and for a browser that nobody knows: another site's frame comes without the
   *   first cookie, and must not overwrite the second
   */
  async refresh(reply: FastifyReply, secret: string | undefined): Promise<string | undefined> {
    return this.states.served ? this.write(reply, await this.agents.find(secret)) : undefined;
  }

  /** The same for a browser that was just looked up. */
  write(reply: FastifyReply, agent: UserAgent | undefined): string | undefined {
    if (!this.states.served || agent === undefined) return undefined;
    const value = this.states.of(agent);
    const cookie = stringifySetCookie({
      name: stateCookieName(this.secure),
      value,
      path: '/',
      secure: this.secure,
      // without https, which is for developers' machines, no browser keeps a cookie for other sites
      sameSite: this.secure ? 'none' : 'lax',
      maxAge: YEAR_SECONDS,
    });
    void reply.header('set-cookie', cookie);
    return value;
  }
}
