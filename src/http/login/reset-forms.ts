import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Flow } from '../../domain/authorize/flow/find-flow.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { ResetHandles } from '../../domain/sign-in/reset-handles.js';
import type { ResetSubject } from '../../domain/sign-in/reset-password.js';
import type { VerificationLink } from '../../domain/users/verification/verification-codes.store.js';
import type { FormView } from '../../pages/form-parts.js';
import { readForm, readQuery } from '../shared/oauth-form.js';
import { Csrf } from '../shared/pages/csrf.js';
import { ErrorPages } from '../shared/pages/error-pages.js';
import { FlowForms } from './flow-forms.js';
import { MailLinks } from './mail-links.js';

const PATH = '/password/reset';
const STEP = 'reset-password-by-name';

/** Whose password is being set: known by the mail's link, or only by the name that somebody typed. */
export interface OpenedReset {
  readonly parameters: OAuthParameters;
  readonly subject: ResetSubject;
  readonly form: FormView;
  /** Present with a link: its reader may know the account. */
  readonly link?: VerificationLink;
  /** The sign-in that it began in, if it still runs in this browser; its pages look alike. */
  readonly flow?: Flow | undefined;
}

/** The steps that the page for a new password begins with, by a mail's link or by the name that somebody typed. */
@Injectable()
export class ResetForms {
  constructor(
    private readonly links: MailLinks,
    private readonly handles: ResetHandles,
    private readonly flowForms: FlowForms,
    private readonly csrf: Csrf,
    private readonly errorPages: ErrorPages,
  ) {}

  /** For GET. Undefined when the page that says why was sent already. */
  async open(request: FastifyRequest, reply: FastifyReply): Promise<OpenedReset | undefined> {
    const query = readQuery(request);
    return query.has('request')
      ? await this.openHandle(request, reply, query)
      : await this.openLink(request, reply, false);
  }

  /** For POST: the form is from our own page. */
  async submitted(request: FastifyRequest, reply: FastifyReply): Promise<OpenedReset | undefined> {
    return readForm(request).has('request')
      ? await this.submittedHandle(request, reply)
      : await this.openLink(request, reply, true);
  }

  sendOver(request: FastifyRequest, reply: FastifyReply): void {
    this.errorPages.sendLinkOver(request, reply);
  }

  private async openLink(
    request: FastifyRequest,
    reply: FastifyReply,
    isSubmitted: boolean,
  ): Promise<OpenedReset | undefined> {
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
  ): Promise<OpenedReset | undefined> {
    const handle = parameters.get('request') ?? '';
    const opened = await this.handles.open(handle);
    if (opened === undefined) {
      this.sendOver(request, reply);
      return undefined;
    }
    const flow = await this.flowForms.find(request, parameters.get('flow'));
    const form = {
      action: PATH,
      csrf: this.csrf.token(STEP, handle),
      flow: flow?.id,
      hidden: { request: handle },
    };
    return { parameters, subject: { userId: opened.userId }, form, flow };
  }

  private async submittedHandle(
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<OpenedReset | undefined> {
    const form = readForm(request);
    if (!this.csrf.holds(request, form.get('csrf'), STEP, form.get('request') ?? '')) {
      this.errorPages.send(request, reply, 'form', 403);
      return undefined;
    }
    return await this.openHandle(request, reply, form);
  }
}
