import { Injectable } from '@nestjs/common';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import type { Session } from '../../domain/sessions/session.js';

const CHOICE = /^([A-Za-z0-9_-]{1,64})\.(\d{1,12})$/;

/**
 * Whose account is shown where several people are signed in with one browser: the one that was chosen, unless somebody
 * has signed in since. It stays for the visit in a cookie that proves nothing: the session it names must be one of this
 * browser.
 */
@Injectable()
export class ChosenAccount {
  private readonly secure: boolean;
  private readonly cookie: string;

  constructor(config: Config) {
    this.secure = config.app.issuer.secure;
    this.cookie = this.secure ? '__Host-identity-account' : 'identity-account';
  }

  pick(request: FastifyRequest, sessions: readonly Session[]): Session | undefined {
    const newest = [...sessions].sort((a, b) => b.authenticatedAt - a.authenticatedAt)[0];
    const { cookie } = request.headers;
    const [, id, chosenAt] = CHOICE.exec(parseCookie(cookie ?? '')[this.cookie] ?? '') ?? [];
    if (newest === undefined || newest.authenticatedAt > Number(chosenAt)) return newest;
    return sessions.find((session) => session.id === id) ?? newest;
  }

  /** @param sessions those of the browser, the chosen one among them */
  remember(reply: FastifyReply, { id }: Session, sessions: readonly Session[]): void {
    // by the moments that it is compared with, which are the database's
    const now = Math.ceil(Math.max(...sessions.map(({ authenticatedAt }) => authenticatedAt)));
    const value = `${id}.${now}`;
    const cookie = { name: this.cookie, value, path: '/', httpOnly: true, secure: this.secure };
    void reply.header('set-cookie', stringifySetCookie({ ...cookie, sameSite: 'lax' }));
  }
}
