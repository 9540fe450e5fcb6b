import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../../config/config.js';
import { FinishExternalSignIn } from '../../domain/external-sign-in/finish-external-sign-in.js';
import type { ExternalIdentity } from '../../domain/identity-providers/provider-client.js';
import { describeBrowser } from '../../domain/sessions/describe-browser.js';
import type { IdentityProviderId } from '../../domain/shared/ids.js';
import { callbackPath } from '../shared/pages/external-callback.js';
import { flowPath, FlowReplies } from '../shared/pages/flow-replies.js';
import { PageLanguage } from '../shared/pages/page-language.js';
import { redirectTo } from '../shared/pages/redirect.js';
import { SsoCookie } from '../shared/pages/sso-cookie.js';
import { AddressLimits } from '../shared/server/address-limits.js';
import { inFlow } from './flow-pages.js';

/** The page where a user whose provider sent no address enters one. */
export const COMPLETE_PATH = '/register/external';

/** Redirects a user who came back from a provider, or was found in a directory, to the next step. */
@Injectable()
export class ExternalReturn {
  constructor(
    private readonly externalSignIn: FinishExternalSignIn,
    private readonly replies: FlowReplies,
    private readonly ssoCookie: SsoCookie,
    private readonly limits: AddressLimits,
    private readonly language: PageLanguage,
    private readonly config: Config,
  ) {}

  /** @param identity of a directory, which sends no answer */
  async finish(
    request: FastifyRequest,
    reply: FastifyReply,
    id: IdentityProviderId,
    parameters: URLSearchParams,
    identity?: ExternalIdentity,
  ): Promise<void> {
    const result = await this.externalSignIn.execute({
      providerId: id,
      parameters,
      userAgentSecret: this.ssoCookie.read(request),
      callbackUrl: `${this.config.app.issuer.url}${callbackPath(id)}`,
      device: describeBrowser(request.headers['user-agent']),
      locale: this.language.choose(request, [], undefined),
      source: request.ip,
      admitMail: async () => (await this.limits.countMailRequest(request)) === undefined,
      ...(identity && { identity }),
    });
    const status = request.method === 'POST' ? 303 : 302;
    switch (result.kind) {
      case 'lost':
        return this.replies.sendExpired(request, reply, undefined);
      case 'entered':
        return await this.replies.send(request, reply, result.result, result.flow);
      case 'problem':
        return void redirectTo(reply, backTo(result.flow, result.problem), status);
      case 'authenticate':
        return void redirectTo(reply, flowPath('sign-in', result.flow), status);
      case 'complete':
        return void redirectTo(reply, inFlow(COMPLETE_PATH, { id: result.flow }), status);
      case 'verify':
        return void redirectTo(reply, `/register/verify?id=${result.registration}`, status);
      case 'confirmed':
        this.ssoCookie.write(reply, result.agent.secret);
        // which leads on to the page that asked for the proof
        return void redirectTo(reply, '/account/confirm/done', status);
      case 'unconfirmed':
        return void redirectTo(reply, '/account/confirm?problem=idp-refused', status);
      case 'linked': {
        const done = result.added ? 'identityAdded' : 'identityNotAdded';
        return void redirectTo(reply, `/account/security/identities?done=${done}`, status);
      }
    }
  }
}

/** The sign-in page, which says what went wrong and has the other ways in. */
export function backTo(flow: string, problem: string): string {
  return `${flowPath('sign-in', flow)}&idp=${problem}`;
}
