import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../../config/config.js';
import type { BrowserApplication } from '../../../domain/applications/application.js';
import { signedBy } from '../../../domain/applications/security-profile.js';
import { partsOfMode, type AnswerChannel } from '../../../domain/authorize/auth-request.js';
import type { OAuthError } from '../../../domain/shared/errors.js';
import { SignAnswer } from '../../../domain/tokens/jwt/sign-answer.js';
import { renderFormPostPage } from '../../../pages/form-post-page.js';
import { Pages, type PageOptions } from './pages.js';
import { redirectTo, withFragment, withParameters } from './redirect.js';

/** An `AuthorizationAnswer`, or a refusal of a request of which no more is known than where its answer goes. */
type SentAnswer = { readonly request: AnswerChannel } & (
  { readonly parameters: Readonly<Record<string, string>> } | { readonly refusal: OAuthError }
);

/** Whom a JWT is for and who signs it. */
type AnsweredApplication = Pick<
  BrowserApplication,
  'name' | 'clientId' | 'authorizationAlgorithm' | 'securityProfile'
>;

/**
 * The one place where anything leaves for a redirect URI: answers and errors alike travel in the response mode of the
 * request, with its state and with our issuer (RFC 9207 §2). In the modes of JARM the redirect URI gets one parameter,
 * `response`, and an answer that cannot be signed does not leave at all.
 */
@Injectable()
export class AuthorizationResponses {
  constructor(
    private readonly config: Config,
    private readonly pages: Pages,
    private readonly signAnswer: SignAnswer,
  ) {}

  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    answer: SentAnswer,
    application: AnsweredApplication,
    page: Pick<PageOptions, 'organization' | 'uiLocales'>,
  ): Promise<void> {
    const { redirectUri, responseMode, state } = answer.request;
    const outcome =
      'refusal' in answer
        ? { error: answer.refusal.code, error_description: plainAscii(answer.refusal.description) }
        : answer.parameters;
    const plain = { ...outcome, state, iss: this.config.app.issuer.url };
    const { way, asJwt } = partsOfMode(responseMode);
    const { name: applicationName, clientId } = application;
    const by = signedBy(application, application.authorizationAlgorithm);
    const parameters = asJwt
      ? { response: await this.signAnswer.ofAuthorization(plain, clientId, by) }
      : plain;
    // 303 after a POST, so that no browser sends the password on (RFC 9700 §4.12)
    const status = request.method === 'POST' ? 303 : 302;
    switch (way) {
      case 'query':
        return void redirectTo(reply, withParameters(redirectUri, parameters), status);
      case 'fragment':
        return void redirectTo(reply, withFragment(redirectUri, parameters), status);
      case 'form_post':
        return void this.pages.send(
          request,
          reply,
          (shown) => renderFormPostPage({ ...shown, redirectUri, parameters, applicationName }),
          { ...page, formTarget: redirectUri },
        );
    }
  }
}

/** RFC 6749 §4.1.2.1: printable ASCII without quote and backslash, whatever a description was made from. */
function plainAscii(description: string): string {
  return description.replaceAll(/[^ !#-[\]-~]/g, ' ');
}
