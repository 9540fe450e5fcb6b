import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BrowserAgents } from '../../domain/sessions/browser-agents.js';
import type { BrowserAgent } from '../../domain/sessions/session.js';
import { AddressLimits } from './address-limits.js';
import { AgentCookie } from './cookies.js';
import { ErrorPages } from './error-pages.js';

/**
 * Who begins a flow: a browser that we know, or a new one, which leaves rows behind and is counted against its address.
 * A cookie that we never gave out, or that is outdated, makes nobody known.
 */
@Injectable()
export class Newcomers {
  constructor(
    private readonly agents: BrowserAgents,
    private readonly agentCookie: AgentCookie,
    private readonly limits: AddressLimits,
    private readonly errorPages: ErrorPages,
  ) {}

  /** Undefined when the page that says "too many" was sent already. */
  async admit(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<{ readonly agent: BrowserAgent | undefined } | undefined> {
    const agent = await this.agents.find(this.agentCookie.read(request));
    if (agent !== undefined) return { agent };
    const wait = await this.limits.countNewFlow(request);
    if (wait === undefined) return { agent };
    this.errorPages.send(request, reply, 'too-many-requests', 429, wait);
    return undefined;
  }
}
