import { Injectable } from '@nestjs/common';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import { FRESH_SECONDS } from '../../domain/sessions/proof.js';

/**
 * Pages of the account, or of a sign-in the account chooser and the page that sets up a factor, and nothing else: no address of
 * another site, however browsers parse it.
 */
const ACCOUNT_PAGE =
  /^\/account(?:\/[A-Za-z0-9_-]+){0,4}$|^\/login\/(?:accounts|set-up-factor)\?flow=[A-Za-z0-9_-]{22}$/;

/** A page that was asked for, whoever wrote the address; the overview in place of anything else. */
export function accountPage(wanted: string | undefined): string {
  return wanted !== undefined && ACCOUNT_PAGE.test(wanted) ? wanted : '/account';
}

/** The flow of a sign-in that such a page continues. */
export function flowOfPage(page: string): string | undefined {
  return /^\/login\/[a-z-]+\?flow=(.*)$/.exec(page)?.[1];
}

/** The same where the page is a step of it, which comes up again in its sign-in. */
export function flowOfStep(page: string): string | undefined {
  return page.startsWith('/login/set-up-factor?') ? flowOfPage(page) : undefined;
}

/**
 * The account page that a sign-in was started for, kept during the sign-in: it ends at the overview, which redirects once. The
 * cookie proves nothing; the page that it names checks session and fresh authentication itself.
 */
@Injectable()
export class WantedPage {
  private readonly secure: boolean;
  private readonly cookie: string;

  constructor(config: Config) {
    this.secure = config.app.issuer.secure;
    this.cookie = this.secure ? '__Host-identity-wanted' : 'identity-wanted';
  }

  remember(reply: FastifyReply, page: string): void {
    this.write(reply, page, FRESH_SECONDS);
  }

  /** Reads and clears it. Undefined if it is the overview, which is shown anyway. */
  take(request: FastifyRequest, reply: FastifyReply): string | undefined {
    const wanted = parseCookie(request.headers.cookie ?? '')[this.cookie];
    if (wanted === undefined) return undefined;
    this.write(reply, '', 0);
    const page = accountPage(wanted);
    return page === '/account' ? undefined : page;
  }

  private write(reply: FastifyReply, value: string, maxAge: number): void {
    const cookie = { name: this.cookie, value, maxAge, path: '/', httpOnly: true, secure: this.secure };
    void reply.header('set-cookie', stringifySetCookie({ ...cookie, sameSite: 'lax' }));
  }
}
