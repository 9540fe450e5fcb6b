import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { inPerson } from '../../domain/permissions/acting.js';
import { EffectiveRoles } from '../../domain/permissions/effective-roles.js';
import { allows } from '../../domain/permissions/permissions.js';
import { settledSessions } from '../../domain/sessions/session.js';
import type { UserId } from '../../domain/shared/ids.js';
import { TokensStore } from '../../domain/tokens/tokens.store.js';
import { renderForbiddenPage } from '../../pages/error-pages.js';
import { Csrf } from './pages/csrf.js';
import { Pages } from './pages/pages.js';
import { RequestUserAgent } from './pages/request-user-agent.js';
import { SsoCookie } from './pages/sso-cookie.js';

/** The sign-in that leads to it. */
export const DASHBOARD_SIGN_IN = '/login?destination=queues';

/** Somebody who may look. */
export interface DashboardVisitor {
  readonly userId: UserId;
  readonly mayChange: boolean;
}

/**
 * Who may see the queues: a user who is signed in with this browser and may view the instance; only instance
 * owners may change anything. Checked at every request, so that losing the role or the session
 * closes the dashboard at once.
 */
@Injectable()
export class DashboardAccess {
  constructor(
    private readonly userAgent: RequestUserAgent,
    private readonly roles: EffectiveRoles,
    private readonly tokens: TokensStore,
    private readonly ssoCookie: SsoCookie,
    private readonly csrf: Csrf,
    private readonly pages: Pages,
  ) {}

  async decide(request: FastifyRequest): Promise<DashboardVisitor | 'sign-in' | 'forbidden'> {
    const agent = await this.userAgent.find(request);
    const sessions = settledSessions(agent);
    if (sessions.length === 0) return 'sign-in';
    let viewer: DashboardVisitor | undefined;
    for (const { userId, orgId } of sessions) {
      const roles = (await this.roles.inOrganization(inPerson(userId), orgId)) ?? [];
      if (allows(roles, 'queues.write')) return { userId, mayChange: true };
      if (allows(roles, 'queues.read')) viewer ??= { userId, mayChange: false };
    }
    return viewer ?? 'forbidden';
  }

  async sendForbidden(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const secret = this.ssoCookie.read(request);
    const [session] = settledSessions(await this.userAgent.find(request));
    const subject = session === undefined ? undefined : await this.tokens.findSubject(session.userId);
    const signOut = { action: '/logout', csrf: this.csrf.token('sign-out', secret ?? '') };
    this.pages.send(
      request,
      reply,
      (page) =>
        renderForbiddenPage({
          ...page,
          loginName: subject?.loginName ?? '',
          otherAccountUrl: DASHBOARD_SIGN_IN,
          signOut,
          referenceId: request.id,
        }),
      { status: 403 },
    );
  }
}
