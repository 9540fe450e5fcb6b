import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import { BeginAuthorization } from '../../domain/authorize/begin-authorization.js';
import type { ProvenClient } from '../../domain/authorize/validate-request.js';
import { OAuthError } from '../../domain/shared/errors.js';
import { Log } from '../../domain/shared/log.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { FlowReplies } from '../login/flow-replies.js';
import { AddressLimits } from '../shared/address-limits.js';
import { AgentCookie } from '../shared/cookies.js';
import { toOAuthError } from '../shared/oauth-errors.js';
import { readForm, readQuery } from '../shared/oauth-form.js';
import { redirectTo, repeatAsGet, withParameters } from '../shared/redirect.js';
import { ErrorPages } from '../shared/error-pages.js';

const PATH = '/oauth/v2/authorize';

/** The authorization endpoint (RFC 6749 §3.1, OpenID Connect Core §3.1.2), by GET and by POST. */
@Controller()
export class AuthorizeController {
  constructor(
    private readonly beginAuthorization: BeginAuthorization,
    private readonly agentCookie: AgentCookie,
    private readonly errorPages: ErrorPages,
    private readonly replies: FlowReplies,
    private readonly limits: AddressLimits,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  @Get(PATH)
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.authorize(request, reply, readQuery(request));
  }

  @Post(PATH)
  async post(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const parameters = readForm(request);
    if (this.agentCookie.read(request) === undefined) return void repeatAsGet(request, reply, PATH);
    await this.authorize(request, reply, parameters);
  }

  /** Phase one: until client and redirect URI are proven, nothing leaves for the redirect URI. */
  private async authorize(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: OAuthParameters,
  ): Promise<void> {
    let client: ProvenClient;
    try {
      client = await this.beginAuthorization.prove(parameters);
    } catch (error) {
      return void this.errorPages.sendOAuth(request, reply, toOAuthError(error, request.id, this.log));
    }
    if (this.agentCookie.read(request) === undefined) {
      const wait = await this.limits.countNewFlow(request);
      if (wait !== undefined)
        return void this.errorPages.send(request, reply, 'too-many-requests', 429, wait);
    }
    await this.answer(request, reply, parameters, client);
  }

  /** Phase two: whatever happens now travels on the redirect, with state and issuer (RFC 9207). */
  private async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: OAuthParameters,
    client: ProvenClient,
  ): Promise<void> {
    const issuer = this.config.app.issuer.url;
    const status = request.method === 'POST' ? 303 : 302;
    try {
      const outcome = await this.beginAuthorization.begin(parameters, client, this.agentCookie.read(request));
      this.replies.sendBegun(request, reply, outcome);
    } catch (error) {
      const { code, description, reason } = toOAuthError(error, request.id, this.log);
      this.log.info('authorization refused', { requestId: request.id, code, description, reason });
      const state = statefulErrors(error, parameters);
      const answer = { error: code, error_description: description, state, iss: issuer };
      void redirectTo(reply, withParameters(client.redirectUri, answer), status);
    }
  }
}

/** state goes back with every error, unless it is the state itself that could not be read as one value. */
function statefulErrors(error: unknown, parameters: OAuthParameters): string | undefined {
  const state = parameters.get('state');
  const unusable = error instanceof OAuthError && error.description.startsWith('state ');
  return unusable ? undefined : state;
}
