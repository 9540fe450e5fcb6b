import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { UserAgent } from '../../../domain/sessions/session.js';
import { UserAgents } from '../../../domain/sessions/user-agents.js';
import { SsoCookie } from './sso-cookie.js';

/** The browser that a request comes from, by its cookie. */
@Injectable()
export class RequestUserAgent {
  constructor(
    private readonly agents: UserAgents,
    private readonly ssoCookie: SsoCookie,
  ) {}

  /** Undefined for one that is not known. */
  async find(request: FastifyRequest): Promise<UserAgent | undefined> {
    return await this.agents.find(this.ssoCookie.read(request));
  }

  /** One that is not known is from now on. */
  async findOrWelcome(request: FastifyRequest, reply: FastifyReply): Promise<Pick<UserAgent, 'id'>> {
    const known = await this.find(request);
    if (known !== undefined) return known;
    const agent = await this.agents.welcome();
    this.ssoCookie.write(reply, agent.secret);
    return agent;
  }
}
