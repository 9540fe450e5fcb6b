import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FactorsStore, heldKinds } from '../../domain/factors/factors.store.js';
import { renderAccountPasswordPage } from '../../pages/account-password-page.js';
import type { RefusedChange } from '../shared/pages/password-change-problems.js';
import { OrganizationRules } from '../shared/pages/password-rules.js';
import { statusOf } from '../shared/server/busy.js';
import { AccountVisits, type AccountVisit } from './account-visits.js';

export const PASSWORD_STEP = 'password';
export const PASSWORD_PATH = '/account/security/password';

/** The page on which the reader chooses another password, and who may have it. */
@Injectable()
export class PasswordPage {
  constructor(
    private readonly visits: AccountVisits,
    private readonly factors: FactorsStore,
    private readonly rules: OrganizationRules,
  ) {}

  /**
   * The session that follows counts as just begun. So whoever shows more than a password at a sign-in has shown that a short
   * while ago: the password alone must renew nothing (RFC 9470 §5).
   */
  async mayChange(request: FastifyRequest, reply: FastifyReply, visit: AccountVisit): Promise<boolean> {
    const { userId } = visit.session;
    if (heldKinds(await this.factors.findUsable(userId)).length === 0) return true;
    return this.visits.requireFresh(request, reply, visit);
  }

  async show(
    request: FastifyRequest,
    reply: FastifyReply,
    visit: AccountVisit,
    refusal?: RefusedChange,
  ): Promise<void> {
    const rules = await this.rules.find(visit.session.orgId);
    const { loginName, profile } = visit.user;
    this.visits.send(
      request,
      reply,
      visit,
      (page) =>
        renderAccountPasswordPage({
          ...page,
          ...refusal,
          form: this.visits.form(visit, PASSWORD_STEP, PASSWORD_PATH),
          loginName,
          displayName: profile.displayName,
          rules,
          forgottenPasswordUrl: '/password/forgotten',
        }),
      { status: statusOf(refusal?.problems) },
    );
  }
}
