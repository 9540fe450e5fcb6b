import { Injectable } from '@nestjs/common';
import type { UserAgent } from '../sessions/session.js';
import { UserAgents } from '../sessions/user-agents.js';
import type { OAuthParameters } from '../shared/oauth-parameters.js';
import type { AdmitFlow } from './flow/begin-flow.js';
import { DecideRequest, type BeginOutcome } from './flow/decide-request.js';
import { PushedFlows } from './flow/pushed-flows.js';
import { ReadRequest } from './request/read-request.js';
import type { VerifiedClient } from './request/validate-request.js';
import { VerifyClient } from './request/verify-client.js';

/** Who asks, and in whose browser. */
export interface AskingClient {
  readonly client: VerifiedClient;
  /** Undefined for a browser that is not known. */
  readonly agent: UserAgent | undefined;
}

/**
 * The authorization endpoint (OpenID Connect Core §3.1.2) after parsing: verify the client, validate, answer or ask.
 */
@Injectable()
export class BeginAuthorization {
  constructor(
    private readonly verify: VerifyClient,
    private readonly readRequest: ReadRequest,
    private readonly agents: UserAgents,
    private readonly pushedFlows: PushedFlows,
    private readonly decideRequest: DecideRequest,
  ) {}

  /**
   * Phase one. Client and browser are looked up at once, so that both questions leave for the database together.
   *
   * @throws OAuthError to be shown on our own page
   */
  async verifyClient(
    parameters: OAuthParameters,
    userAgentSecret: string | undefined,
  ): Promise<AskingClient> {
    const [client, agent] = await Promise.all([
      this.verify.execute(parameters),
      this.agents.find(userAgentSecret),
    ]);
    return { client, agent };
  }

  /** Phase two. @throws OAuthError to be sent to the client */
  async begin(
    parameters: OAuthParameters,
    { client, agent }: AskingClient,
    admit: AdmitFlow,
  ): Promise<BeginOutcome> {
    const request = await this.readRequest.ofBrowser(parameters, client);
    const admitOrGiveBack = async () => {
      try {
        await admit();
      } catch (error) {
        // a rate-limited client retries later, so its pushed request must not be consumed here
        await this.verify.giveBack(client);
        throw error;
      }
    };
    const requestUri = client.pushed === undefined ? undefined : parameters.get('request_uri');
    const flow = requestUri === undefined ? undefined : this.pushedFlows.idOf(requestUri);
    return await this.decideRequest.execute(request, client.application, agent, admitOrGiveBack, flow);
  }

  /** A pushed request whose sign-in this browser has begun and not finished; undefined for any other. */
  async resume(
    parameters: OAuthParameters,
    userAgentSecret: string | undefined,
  ): Promise<BeginOutcome | undefined> {
    const flow = await this.pushedFlows.resume(parameters, userAgentSecret);
    return flow && { kind: 'interact', ...flow };
  }
}
