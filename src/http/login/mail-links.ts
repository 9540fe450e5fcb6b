import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { FindVerification } from '../../domain/users/verification/find-verification.js';
import type {
  FactorCodePurpose,
  VerificationPurpose,
} from '../../domain/users/verification/verification-code.js';
import type { VerificationLink } from '../../domain/users/verification/verification-codes.store.js';
import type { LinkOrigin } from '../../pages/error-pages.js';
import type { FormView } from '../../pages/form-parts.js';
import { readForm, readQuery } from '../shared/oauth-form.js';
import { Csrf } from '../shared/pages/csrf.js';
import { ErrorPages } from '../shared/pages/error-pages.js';
import { AddressLimits, type Attempted } from '../shared/server/address-limits.js';
import { linkId } from './link-id.js';

/** A mail's link that is still good, and the page's parameters. */
export interface OpenedLink {
  readonly id: string;
  readonly link: VerificationLink;
  readonly parameters: OAuthParameters;
}

/** Of codes that have a page of their own. */
type LinkedPurpose = Exclude<VerificationPurpose, FactorCodePurpose>;

/** What a form of such a page is for, in its CSRF token. */
const STEPS: Readonly<Record<LinkedPurpose, string>> = {
  initialise: 'initial-password',
  verify_email: 'verify-email',
  verify_phone: 'verify-phone',
  reset_password: 'reset-password',
  register_passkey: 'register-passkey',
};

/** What the page about a link that is over must know; a mail where nothing is said. */
const CAME_BY: Readonly<Partial<Record<LinkedPurpose, LinkOrigin>>> = {
  verify_phone: 'sms',
  register_passkey: 'hand',
};

/**
 * The steps that every page behind a mail's link begins with, in the order in which they must come. Opening such a page
 * changes nothing, because mail scanners open links; the code counts when the form comes back. The code proves the
 * person, so no session is needed.
 */
@Injectable()
export class MailLinks {
  constructor(
    private readonly findVerification: FindVerification,
    private readonly csrf: Csrf,
    private readonly errorPages: ErrorPages,
    private readonly limits: AddressLimits,
  ) {}

  /** For GET. Undefined when the page that says why was sent already. */
  async open(
    request: FastifyRequest,
    reply: FastifyReply,
    purpose: LinkedPurpose,
  ): Promise<OpenedLink | undefined> {
    return await this.find(request, reply, purpose, readQuery(request));
  }

  /** For POST: the form is from our own page, and the link good. */
  async submitted(
    request: FastifyRequest,
    reply: FastifyReply,
    purpose: LinkedPurpose,
  ): Promise<OpenedLink | undefined> {
    const form = readForm(request);
    if (!this.csrf.holds(request, form.get('csrf'), STEPS[purpose], linkId(form))) {
      this.errorPages.send(request, reply, 'form', 403);
      return undefined;
    }
    return await this.find(request, reply, purpose, form);
  }

  /**
   * Tries the code of a submitted form within the limit of its address. Undefined when the page that says to wait was sent.
   *
   * @param attempt its result, and whether the code was wrong
   */
  async tryCode<T extends object>(
    request: FastifyRequest,
    reply: FastifyReply,
    attempt: () => Promise<Attempted<T>>,
  ): Promise<T | undefined> {
    const tried = await this.limits.tryProof(request, attempt);
    if ('result' in tried) return tried.result;
    this.errorPages.send(request, reply, 'too-many-requests', 429, tried.wait);
    return undefined;
  }

  /** The page for a link that is good no more. */
  sendOver(request: FastifyRequest, reply: FastifyReply, purpose: LinkedPurpose): void {
    this.errorPages.sendLinkOver(request, reply, CAME_BY[purpose]);
  }

  /** What the page's form carries. */
  form(purpose: LinkedPurpose, action: string, id: string): FormView {
    return { action, csrf: this.csrf.token(STEPS[purpose], id), hidden: { id } };
  }

  private async find(
    request: FastifyRequest,
    reply: FastifyReply,
    purpose: LinkedPurpose,
    parameters: OAuthParameters,
  ): Promise<OpenedLink | undefined> {
    const id = linkId(parameters);
    const link = await this.findVerification.find(id, purpose);
    if (link?.state === 'live') return { id, link, parameters };
    this.sendOver(request, reply, purpose);
    return undefined;
  }
}

/** The code of the link, to be filled in; no code is longer. */
export function codeOfLink(parameters: OAuthParameters): string | undefined {
  return parameters.get('code')?.slice(0, 20);
}
