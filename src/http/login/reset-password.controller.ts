import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ContinueFlow, type Flow } from '../../domain/authorize/continue-flow.js';
import type { OrgId } from '../../domain/shared/ids.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { ResetHandles } from '../../domain/sign-in/reset-handles.js';
import {
  ResetPassword,
  type ResetPasswordResult,
  type ResetSubject,
} from '../../domain/sign-in/reset-password.js';
import type { VerificationLink } from '../../domain/users/verification/verification-codes.store.js';
import { renderPasswordSetPage } from '../../pages/done-pages.js';
import type { FormView } from '../../pages/form-parts.js';
import { renderResetPasswordPage, type ResetPasswordPage } from '../../pages/set-password-page.js';
import { AddressLimits } from '../shared/address-limits.js';
import { statusOf, unlessBusy } from '../shared/busy.js';
import { Csrf } from '../shared/csrf.js';
import { ErrorPages } from '../shared/error-pages.js';
import { missingCodeOrPassword, refusedPassword } from '../shared/new-password-form.js';
import { readForm, readQuery } from '../shared/oauth-form.js';
import { Pages, type PageOptions } from '../shared/pages.js';
import { OrganizationRules } from '../shared/password-rules.js';
import { SsoCookie } from '../shared/sso-cookie.js';
import { inFlow } from './flow-pages.js';
import { codeOfLink, MailLinks } from './mail-links.js';

const PATH = '/password/reset';
const STEP = 'reset-password-by-name';

/** Whose password is being set: known by the mail's link, or only by the name that somebody typed. */
interface Opened {
  readonly parameters: OAuthParameters;
  readonly subject: ResetSubject;
  readonly form: FormView;
  /** Present with a link: its reader may know the account. */
  readonly link?: VerificationLink;
  /** The sign-in that it began in, if it still runs in this browser; its pages look alike. */
  readonly flow?: Flow | undefined;
}

/**
 * A new password in place of a forgotten one. Two ways lead here: the link of the mail, and the page that said that a
 * mail is on its way. Who came by the latter may have typed anybody's name, so that way tells nothing about the account:
 * a wrong code, one that is used up and one that never was all read the same.
 */
@Controller('password/reset')
export class ResetPasswordController {
  constructor(
    private readonly links: MailLinks,
    private readonly handles: ResetHandles,
    private readonly resetPassword: ResetPassword,
    private readonly continueFlow: ContinueFlow,
    private readonly ssoCookie: SsoCookie,
    private readonly csrf: Csrf,
    private readonly pages: Pages,
    private readonly errorPages: ErrorPages,
    private readonly limits: AddressLimits,
    private readonly rules: OrganizationRules,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = readQuery(request);
    const opened = query.has('request')
      ? await this.openHandle(request, reply, query)
      : await this.openLink(request, reply, false);
    if (opened === undefined) return;
    await this.showForm(request, reply, opened, { code: codeOfLink(query) });
  }

  @Post()
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const opened = readForm(request).has('request')
      ? await this.submittedHandle(request, reply)
      : await this.openLink(request, reply, true);
    if (opened === undefined) return;
    const { parameters: form, subject } = opened;
    const problems = missingCodeOrPassword(form);
    if (problems.length > 0) {
      return await this.showForm(request, reply, opened, { code: form.get('code'), problems });
    }
    const code = form.require('code');
    // by name only the page's own: a user's organization would be told by what is refused
    const shownRulesOf = await this.rules.organization(rulesOf(opened));
    const password = form.require('newPassword');
    const reset = await unlessBusy(reply, () =>
      this.resetPassword.execute({ subject, code, password, source: request.ip, shownRulesOf }),
    );
    if (reset === 'too-busy') {
      return await this.showForm(request, reply, opened, { code, problems: [reset] });
    }
    const { result } = reset;
    switch (result.kind) {
      case 'done':
        return await this.showDone(request, reply, opened, result);
      case 'password-too-weak':
      case 'password-too-long':
        return await this.showForm(request, reply, opened, { code, ...refusedPassword(result) });
      case 'wrong-code':
      case 'link-over':
      case 'email-taken':
        await this.limits.countSignInFailure(request);
        if (result.kind !== 'wrong-code' && opened.link !== undefined) {
          return void this.errorPages.sendLinkOver(request, reply);
        }
        return await this.showForm(request, reply, opened, { code, problems: ['code-not-valid'] });
    }
  }

  private async openLink(
    request: FastifyRequest,
    reply: FastifyReply,
    isSubmitted: boolean,
  ): Promise<Opened | undefined> {
    const opened = isSubmitted
      ? await this.links.submitted(request, reply, 'reset_password')
      : await this.links.open(request, reply, 'reset_password');
    if (opened === undefined) return undefined;
    const { id, link, parameters } = opened;
    const form = this.links.form('reset_password', PATH, id);
    return { parameters, subject: { linkId: id }, link, form };
  }

  private async openHandle(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: OAuthParameters,
  ): Promise<Opened | undefined> {
    const handle = parameters.get('request') ?? '';
    const opened = await this.handles.open(handle);
    if (opened === undefined) {
      this.errorPages.sendLinkOver(request, reply);
      return undefined;
    }
    const flow = await this.continueFlow.find(parameters.get('flow'), this.ssoCookie.read(request));
    const form = {
      action: PATH,
      csrf: this.csrf.token(STEP, handle),
      flow: flow?.id,
      hidden: { request: handle },
    };
    return { parameters, subject: { userId: opened.userId }, form, flow };
  }

  private async submittedHandle(request: FastifyRequest, reply: FastifyReply): Promise<Opened | undefined> {
    const form = readForm(request);
    if (!this.csrf.holds(request, form.get('csrf'), STEP, form.get('request') ?? '')) {
      this.errorPages.send(request, reply, 'form', 403);
      return undefined;
    }
    const wait = await this.limits.checkSignIn(request);
    if (wait === undefined) return await this.openHandle(request, reply, form);
    this.errorPages.send(request, reply, 'too-many-requests', 429, wait);
    return undefined;
  }

  private async showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    opened: Opened,
    state: Pick<ResetPasswordPage, 'code' | 'problems' | 'unmet'>,
  ): Promise<void> {
    const { form, link, flow } = opened;
    const rules = await this.rules.find(rulesOf(opened));
    this.pages.send(
      request,
      reply,
      (page) => renderResetPasswordPage({ ...page, ...state, form, account: link, rules }),
      { status: statusOf(state.problems), ...brandingOf(link, flow) },
    );
  }

  /** Back into the sign-in that it began in, if this is the browser of that sign-in and it still runs. */
  private async showDone(
    request: FastifyRequest,
    reply: FastifyReply,
    { parameters, link }: Opened,
    { email, flowId }: Extract<ResetPasswordResult, { kind: 'done' }>,
  ): Promise<void> {
    const secret = this.ssoCookie.read(request);
    const flow = await this.continueFlow.find(parameters.get('flow') ?? flowId, secret);
    const wayOn = { url: inFlow('/login', flow), applicationName: flow?.application?.name };
    this.pages.send(
      request,
      reply,
      (page) => renderPasswordSetPage({ ...page, verifiedEmail: email, otherSessionsEnded: true, wayOn }),
      brandingOf(link, flow),
    );
  }
}

function brandingOf(
  link: VerificationLink | undefined,
  flow: Flow | undefined,
): Pick<PageOptions, 'organization' | 'uiLocales'> {
  return {
    organization: link?.organization ?? flow?.organization,
    uiLocales: flow?.request?.uiLocales,
  };
}

/** The organization whose rules the page shows, where it may be told. */
function rulesOf({ link, flow }: Opened): OrgId | undefined {
  return link?.orgId ?? flow?.required?.id ?? flow?.application?.orgId;
}
