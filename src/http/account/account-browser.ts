import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  provableSessions,
  settledSessions,
  type Session,
  type UserAgent,
} from '../../domain/sessions/session.js';
import { UserAgents } from '../../domain/sessions/user-agents.js';
import { SsoCookie } from '../shared/pages/sso-cookie.js';
import { StateCookie } from '../shared/pages/state-cookie.js';
import { ChosenAccount } from './chosen-account.js';

/** Who is signed in with the browser that a request comes from. */
export interface SignedInBrowser {
  /** The cookie's value that it came with. */
  readonly secret: string | undefined;
  readonly agent: UserAgent | undefined;
  readonly sessions: readonly Session[];
  /** These, and the ones that ask for a fresh proof before they are. */
  readonly provable: readonly Session[];
}

/** The browser of a request to the account pages, by its cookies. */
@Injectable()
export class AccountBrowser {
  constructor(
    private readonly agents: UserAgents,
    private readonly ssoCookie: SsoCookie,
    private readonly stateCookie: StateCookie,
    private readonly chosen: ChosenAccount,
  ) {}

  async find(request: FastifyRequest): Promise<SignedInBrowser> {
    const secret = this.ssoCookie.read(request);
    const agent = await this.agents.find(secret);
    return { secret, agent, sessions: settledSessions(agent), provable: provableSessions(agent) };
  }

  /** For a page. @returns whose account it shows as well */
  async open(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<SignedInBrowser & { readonly shown: Session | undefined }> {
    const browser = await this.find(request);
    // what a form here has changed about the sessions leads to a page
    this.stateCookie.write(reply, browser.agent);
    return { ...browser, shown: this.chosen.pick(request, browser.sessions) };
  }
}
