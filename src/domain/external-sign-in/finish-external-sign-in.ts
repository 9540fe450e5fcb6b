import { Injectable } from '@nestjs/common';
import type { Flow } from '../authorize/flow/find-flow.js';
import type { Session } from '../sessions/session.js';
import type { IdentityProviderId, OrgId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { ProviderSessionEnded } from '../sign-in/start-session.js';
import { Counters } from '../statistics/counters.js';
import { problem, type ExternalFlowResult } from './external-flow-result.js';
import { FindBegunSignIn } from './find-begun-sign-in.js';
import type { TakenSignIn } from './provider-requests.store.js';
import { ProvidersOfFlow, type ProviderInFlow } from './providers-of-flow.js';
import type { ExternalCallback } from './read-provider-answer.js';
import { SignInByIdentity } from './sign-in-by-identity.js';
import { TakeOwnIdentity, type OwnIdentityResult } from './take-own-identity.js';

type ExternalResult =
  /** Not begun in this browser, at this provider, or not any more. */
  { readonly kind: 'lost' } | OwnIdentityResult | ExternalFlowResult;

/** Somebody comes back from a provider, to the flow or the session that they went there from. */
@Injectable()
export class FinishExternalSignIn {
  constructor(
    private readonly findBegun: FindBegunSignIn,
    private readonly providers: ProvidersOfFlow,
    private readonly ownIdentity: TakeOwnIdentity,
    private readonly signInByIdentity: SignInByIdentity,
    private readonly counters: Counters,
    private readonly log: Log,
  ) {}

  async execute(callback: ExternalCallback): Promise<ExternalResult> {
    const { providerId, parameters, userAgentSecret, device } = callback;
    const state = parameters.get('state') ?? '';
    const taken = await this.findBegun.take({ providerId, state, userAgentSecret });
    if (taken === undefined) return { kind: 'lost' };
    const { begun, in: place } = taken;
    if ('own' in place) return await this.own(place.own, callback, begun, state);
    const flow = { ...place.flow, device };
    const found = await this.providers.find(flow, providerId, place.realmOrgId);
    // switched off meanwhile: nobody gets in by it any more
    if (found === undefined) return problem(flow, 'idp-refused');
    return await this.inFlow(flow, callback, begun, state, found);
  }

  private async own(
    session: Session,
    callback: ExternalCallback,
    begun: TakenSignIn,
    state: string,
  ): Promise<OwnIdentityResult> {
    try {
      return await this.ownIdentity.take(session, callback, begun, state);
    } catch (error) {
      this.refuseEnded(error, session.orgId, callback.providerId);
      return 'confirmSessionId' in begun.purpose ? { kind: 'unconfirmed' } : { kind: 'linked', added: false };
    }
  }

  private async inFlow(
    flow: Flow,
    callback: ExternalCallback,
    begun: TakenSignIn,
    state: string,
    found: ProviderInFlow,
  ): Promise<ExternalFlowResult> {
    try {
      return await this.signInByIdentity.execute(flow, callback, begun, state, found);
    } catch (error) {
      this.refuseEnded(error, found.orgId, found.provider.id);
      return problem(flow, 'idp-refused');
    }
  }

  /** @throws any other error again */
  private refuseEnded(error: unknown, orgId: OrgId, providerId: IdentityProviderId): void {
    if (!(error instanceof ProviderSessionEnded)) throw error;
    this.counters.add(orgId, 'signInsRefused');
    this.log.warn('a sign-in belongs to a session that its provider has ended', { providerId });
  }
}
