import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ConfirmByMail } from '../../domain/external-sign-in/confirm-by-mail.js';
import { WaysToConfirm } from '../../domain/external-sign-in/ways-to-confirm.js';
import { MailAvailability } from '../../domain/notifications/mail-availability.js';
import { renderAccountConfirmPage, type AccountConfirmPage } from '../../pages/account-confirm-page.js';
import { renderSendOnPage } from '../../pages/send-on-page.js';
import { readQuery } from '../shared/oauth-form.js';
import { flowPath } from '../shared/pages/flow-replies.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { SsoCookie } from '../shared/pages/sso-cookie.js';
import type { Tried } from '../shared/server/address-limits.js';
import { statusOf } from '../shared/server/busy.js';
import { AccountVisits, type AccountVisit, type SubmittedAccountForm } from './account-visits.js';
import { SignInAgain } from './sign-in-again.js';
import { accountPage, flowOfPage } from './wanted-page.js';

/** What its forms are for. */
const STEP = 'confirm';
export const CONFIRM_PATH = '/account/confirm';
export const CONFIRM_BY_PROVIDER = `${CONFIRM_PATH}/identity`;
export const CONFIRM_BY_MAIL = `${CONFIRM_PATH}/code`;

/** A form of the page, of a reader whom one proof is enough from. */
interface SubmittedConfirmForm extends SubmittedAccountForm {
  /** The page that asked for the proof, as it was sent. */
  readonly next: string | undefined;
}

/** What came of a proof. */
type TriedProof = Tried<'wrong' | 'gone' | { readonly secret: string }>;

/** The page that asks who the reader is, by whatever they have for that, and its forms that come back. */
@Injectable()
export class ConfirmPages {
  constructor(
    private readonly visits: AccountVisits,
    private readonly signInAgain: SignInAgain,
    private readonly ways: WaysToConfirm,
    private readonly byMail: ConfirmByMail,
    private readonly mail: MailAvailability,
    private readonly ssoCookie: SsoCookie,
  ) {}

  /** Undefined when the answer was sent already: whoever has to show more than one thing is on the way to the sign-in. */
  async submitted(request: FastifyRequest, reply: FastifyReply): Promise<SubmittedConfirmForm | undefined> {
    const submitted = await this.visits.submitted(request, reply, STEP, 'provable');
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
    problem?: AccountConfirmPage['problem'],
  ): Promise<void> {
    const page = accountPage(next);
    const flow = flowOfPage(page);
    const query = new URLSearchParams({ next: page }).toString();
    const { loginName, profile } = visit.user;
    const ways = await this.ways.of(visit.session);
    const code = ways.byMail ? await this.byMail.stateOf(visit.session) : undefined;
    const cannotBeSent = code !== undefined && !(await this.mail.canSend());
    const form = (action: string, target?: string) =>
      this.visits.form(visit, STEP, action, { next: page, ...(target !== undefined && { target }) });
    const sent = readQuery(request).get('sent');
    this.visits.send(
      request,
      reply,
      visit,
      (shell) =>
        renderAccountConfirmPage({
          ...shell,
          problem,
          form: ways.hasPassword ? form(CONFIRM_PATH) : undefined,
          providers: ways.providers.map(({ id, name }) => ({ name, form: form(CONFIRM_BY_PROVIDER, id) })),
          mail:
            code?.target === undefined
              ? undefined
              : {
                  target: code.target,
                  isSent: code.isSent,
                  form: form(CONFIRM_BY_MAIL),
                  resend: {
                    form: form(`${CONFIRM_BY_MAIL}/send`),
                    availableInSeconds: code.availableInSeconds,
                  },
                  wasRefused: sent === 'none' && !code.isSent,
                  cannotBeSent,
                },
          loginName,
          displayName: profile.displayName,
          signInUrl: `${CONFIRM_PATH}/sign-in?${query}`,
          flowUrl: flow && flowPath('sign-in', flow),
          address: `${CONFIRM_PATH}?${query}`,
        }),
      {
        status: statusOf(problem === undefined || problem.startsWith('idp-') ? undefined : [problem]),
        formTarget: await this.visits.formTarget(visit, flow),
      },
    );
  }

  /** After a proof was tried: the page that asked for it, or this one with what was wrong. */
  async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    { visit, next }: SubmittedConfirmForm,
    tried: TriedProof,
    wrong: AccountConfirmPage['problem'],
  ): Promise<void> {
    if ('wait' in tried) {
      void reply.header('retry-after', String(tried.wait));
      return await this.show(request, reply, visit, next, 'too-many-attempts');
    }
    const { result } = tried;
    if (result === 'wrong') return await this.show(request, reply, visit, next, wrong);
    // another tab was quicker, and its proof is as good: the page that follows says what is still missing
    if (result !== 'gone') this.ssoCookie.write(reply, result.secret);
    void redirectTo(reply, accountPage(next), 303);
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
