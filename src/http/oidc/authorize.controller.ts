import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BeginAuthorization, type AskingClient } from '../../domain/authorize/begin-authorization.js';
import { PushedRequestOver } from '../../domain/authorize/request/verify-client.js';
import { ResolveClientDocument } from '../../domain/client-registration/documents/resolve-client-document.js';
import type { OAuthParameters } from '../../domain/shared/oauth-parameters.js';
import { readForm, readQuery } from '../shared/oauth-form.js';
import { FlowReplies } from '../shared/pages/flow-replies.js';
import { repeatAsGet } from '../shared/pages/redirect.js';
import { SsoCookie } from '../shared/pages/sso-cookie.js';
import { AddressLimits, TooManyRequests } from '../shared/server/address-limits.js';
import { AuthorizationRefusals } from './authorization-refusals.js';

const PATH = '/oauth/v2/authorize';

/** The authorization endpoint (RFC 6749 §3.1, OpenID Connect Core §3.1.2), by GET and by POST. */
@Controller()
export class AuthorizeController {
  constructor(
    private readonly documents: ResolveClientDocument,
    private readonly beginAuthorization: BeginAuthorization,
    private readonly refusals: AuthorizationRefusals,
    private readonly ssoCookie: SsoCookie,
    private readonly replies: FlowReplies,
    private readonly limits: AddressLimits,
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
    let asking: AskingClient;
    try {
      await this.documents.execute(parameters.get('client_id'), request.ip);
      asking = await this.beginAuthorization.verifyClient(parameters, this.ssoCookie.read(request));
    } catch (error) {
      if (error instanceof PushedRequestOver) {
        const again = await this.beginAuthorization.resume(parameters, this.ssoCookie.read(request));
        if (again !== undefined) return await this.replies.sendBegun(request, reply, again);
        return this.replies.sendExpired(request, reply, undefined);
      }
      return this.refusals.show(request, reply, error);
    }
    await this.answer(request, reply, parameters, asking);
  }

  /** Phase two: whatever happens now travels to the redirect URI. */
  private async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    parameters: OAuthParameters,
    asking: AskingClient,
  ): Promise<void> {
    try {
      const admit = (): Promise<void> => this.limits.admitFlow(request);
      const outcome = await this.beginAuthorization.begin(parameters, asking, admit);
      await this.replies.sendBegun(request, reply, outcome);
    } catch (error) {
      // rate limits are answered here, not on the redirect: the application cannot help
      if (error instanceof TooManyRequests) throw error;
      await this.refusals.redirect(request, reply, parameters, asking.client, error);
    }
  }
}
