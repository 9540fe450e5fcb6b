import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BeginAuthorization } from '../../domain/authorize/begin-authorization.js';
import { channelOfErrors } from '../../domain/authorize/checks/require-response-mode.js';
import { ServedResponses } from '../../domain/authorize/checks/served-responses.js';
import { PushedRequestOver } from '../../domain/authorize/read-request.js';
import type { VerifiedClient } from '../../domain/authorize/validate-request.js';
import { ResolveClientDocument } from '../../domain/client-registration/documents/resolve-client-document.js';
import { Log } from '../../domain/shared/log.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { AddressLimits, TooManyRequests } from '../shared/address-limits.js';
import { AuthorizationResponses } from '../shared/authorization-responses.js';
import { ErrorPages } from '../shared/error-pages.js';
import { FlowReplies } from '../shared/flow-replies.js';
import { toOAuthError } from '../shared/oauth-errors.js';
import { readForm, readQuery } from '../shared/oauth-form.js';
import { repeatAsGet } from '../shared/redirect.js';
import { SsoCookie } from '../shared/sso-cookie.js';
import { StateCookie } from '../shared/state-cookie.js';

const PATH = '/oauth/v2/authorize';

/** The authorization endpoint (RFC 6749 §3.1, OpenID Connect Core §3.1.2), by GET and by POST. */
@Controller()
export class AuthorizeController {
  constructor(
    private readonly documents: ResolveClientDocument,
    private readonly beginAuthorization: BeginAuthorization,
    private readonly responses: AuthorizationResponses,
    private readonly ssoCookie: SsoCookie,
    private readonly stateCookie: StateCookie,
    private readonly errorPages: ErrorPages,
    private readonly replies: FlowReplies,
    private readonly limits: AddressLimits,
    private readonly served: ServedResponses,
    private readonly log: Log,
  ) {}

  @Get(PATH)
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    // it asks for no answer, yet a pushed request would be used up
    if (request.method === 'HEAD') return void reply.header('allow', 'GET, POST').code(405).send();
    await this.authorize(request, reply, readQuery(request));
  }

  @Post(PATH)
  async post(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const parameters = readForm(request);
    if (this.ssoCookie.read(request) === undefined) return void repeatAsGet(request, reply, PATH);
    await this.authorize(request, reply, parameters);
  }

  /** Phase one: until client and redirect URI are verified, nothing leaves for the redirect URI. */
  private async authorize(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: OAuthParameters,
  ): Promise<void> {
    let client: VerifiedClient;
    try {
      await this.documents.execute(parameters.get('client_id'), request.ip);
      client = await this.beginAuthorization.verifyClient(parameters);
    } catch (error) {
      if (error instanceof PushedRequestOver) {
        const again = await this.beginAuthorization.resume(parameters, this.ssoCookie.read(request));
        if (again !== undefined) return await this.replies.sendBegun(request, reply, again);
        return this.replies.sendExpired(request, reply, undefined);
      }
      return void this.errorPages.sendOAuth(request, reply, toOAuthError(error, request.id, this.log));
    }
    await this.answer(request, reply, parameters, client);
  }

  /** Phase two: whatever happens now travels to the redirect URI. */
  private async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: OAuthParameters,
    client: VerifiedClient,
  ): Promise<void> {
    const { application } = client;
    try {
      const secret = this.ssoCookie.read(request);
      const admit = (): Promise<void> => this.limits.admitFlow(request);
      const outcome = await this.beginAuthorization.begin(parameters, client, secret, admit);
      await this.replies.sendBegun(request, reply, outcome);
    } catch (error) {
      // whoever floods us hears it here; the application could not help it
      if (error instanceof TooManyRequests) throw error;
      const refusal = toOAuthError(error, request.id, this.log);
      const { code, description, reason } = refusal;
      this.log.info('authorization refused', { requestId: request.id, code, description, reason });
      const asked = client.parameters ?? parameters;
      // an application that looked because its session has ended elsewhere has the others look as well
      await this.stateCookie.refresh(reply, this.ssoCookie.read(request));
      const channel =
        client.pushed?.request ?? channelOfErrors(asked, client.redirectUri, this.served, client.application);
      await this.responses.send(request, reply, { request: channel, refusal }, application, {
        organization: application.organization,
      });
    }
  }
}
