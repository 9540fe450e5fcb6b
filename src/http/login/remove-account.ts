import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Flow } from '../../domain/authorize/flow/find-flow.js';
import { EndSessions } from '../../domain/sessions/end-session.js';
import { SsoCookie } from '../shared/pages/sso-cookie.js';
import { StateCookie } from '../shared/pages/state-cookie.js';

/** Takes an account off the list of a browser, which ends its session. */
@Injectable()
export class RemoveAccount {
  constructor(
    private readonly endSessions: EndSessions,
    private readonly ssoCookie: SsoCookie,
    private readonly stateCookie: StateCookie,
  ) {}

  async execute(
    request: FastifyRequest,
    reply: FastifyReply,
    { agent }: Flow,
    sessionId: string,
  ): Promise<void> {
    const session = [...agent.sessions, ...agent.lapsed].find(({ id }) => id === sessionId);
    if (session !== undefined) await this.endSessions.end([session], 'account_removed');
    await this.stateCookie.refresh(reply, this.ssoCookie.read(request));
  }
}
