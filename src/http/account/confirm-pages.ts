import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { UserIdentitiesStore } from '../../domain/identity-providers/user-identities.store.js';
import { PasswordsStore } from '../../domain/passwords/passwords.store.js';
import { renderAccountConfirmPage } from '../../pages/account-confirm-page.js';
import type { ConfirmProblem } from '../../pages/problems.js';
import { renderSendOnPage } from '../../pages/send-on-page.js';
import { statusOf } from '../shared/busy.js';
import { AccountVisits, type AccountVisit, type SubmittedAccountForm } from './account-visits.js';
import { SignInAgain } from './sign-in-again.js';
import { accountPage } from './wanted-page.js';

/** What its forms are for. */
const STEP = 'confirm';
export const CONFIRM_PATH = '/account/confirm';
export const CONFIRM_BY_PROVIDER = `${CONFIRM_PATH}/identity`;

/** A form of the page, of a reader whom one proof is enough from. */
export interface SubmittedConfirmForm extends SubmittedAccountForm {
  /** The page that asked for the proof, as it was sent. */
  readonly next: string | undefined;
}

/** The page that asks who the reader is, for the password or an identity that they have, and its forms that come back. */
@Injectable()
export class ConfirmPages {
  constructor(
    private readonly visits: AccountVisits,
    private readonly signInAgain: SignInAgain,
    private readonly passwords: PasswordsStore,
    private readonly identities: UserIdentitiesStore,
  ) {}

  /** Undefined when the answer was sent already: whoever has to show more than one thing is on the way to the sign-in. */
  async submitted(request: FastifyRequest, reply: FastifyReply): Promise<SubmittedConfirmForm | undefined> {
    const submitted = await this.visits.submitted(request, reply, STEP);
    if (submitted === undefined) return undefined;
    const next = submitted.form.get('next');
    if (!(await this.signInAgain.isNeeded(submitted.visit))) return { ...submitted, next };
    await this.signInAgain.send(request, reply, submitted.visit, next);
    return undefined;
  }

  async show(
    request: FastifyRequest,
    reply: FastifyReply,
    visit: AccountVisit,
    next: string | undefined,
    problem?: ConfirmProblem | 'idp-refused',
  ): Promise<void> {
    const page = accountPage(next);
    const query = new URLSearchParams({ next: page }).toString();
    const { loginName, profile } = visit.user;
    const { orgId, userId } = visit.session;
    const [password, identities] = await Promise.all([
      this.passwords.findByUser(userId),
      this.identities.listOfUser(orgId, userId),
    ]);
    const providers = new Map(identities.map(({ providerId, providerName }) => [providerId, providerName]));
    this.visits.send(
      request,
      reply,
      visit,
      (shell) =>
        renderAccountConfirmPage({
          ...shell,
          problem,
          form: password && this.visits.form(visit, STEP, CONFIRM_PATH, { next: page }),
          providers: [...providers].map(([target, name]) => ({
            name,
            form: this.visits.form(visit, STEP, CONFIRM_BY_PROVIDER, { next: page, target }),
          })),
          loginName,
          displayName: profile.displayName,
          signInUrl: `${CONFIRM_PATH}/sign-in?${query}`,
          address: `${CONFIRM_PATH}?${query}`,
        }),
      statusOf(problem === undefined || problem === 'idp-refused' ? undefined : [problem]),
    );
  }

  /** The page between here and a provider. */
  sendOn(
    request: FastifyRequest,
    reply: FastifyReply,
    visit: AccountVisit,
    { url, provider }: { readonly url: string; readonly provider: string },
  ): void {
    this.visits.send(request, reply, visit, (page) => renderSendOnPage({ ...page, url, provider }));
  }
}
