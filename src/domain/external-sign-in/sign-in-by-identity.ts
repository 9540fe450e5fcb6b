import { Injectable } from '@nestjs/common';
import type { Flow } from '../authorize/flow/find-flow.js';
import { mapClaims } from '../identity-providers/claim-mapping.js';
import { UserIdentitiesStore } from '../identity-providers/identities/user-identities.store.js';
import { rulesOf } from '../identity-providers/rules-of-kind.js';
import { Clock } from '../shared/clock.js';
import { EnterByIdentity } from './enter-by-identity.js';
import { problem, type ExternalFlowResult } from './external-flow-result.js';
import type { TakenSignIn } from './provider-requests.store.js';
import type { ProviderInFlow } from './providers-of-flow.js';
import { ReadProviderAnswer, shownBy, shownName, type ExternalCallback } from './read-provider-answer.js';
import { isAnewFor, wasAskedAnew } from './sign-in-anew.js';
import { SignOutHints } from './sign-out/sign-out-hints.js';
import { WelcomeNewcomer } from './welcome-newcomer.js';

/**
 * Who somebody is here is decided by (provider, subject) alone. Nobody is ever signed in to an account because of an address: its
 * owner shows by the account's own means that it is theirs, and the identity is added then.
 */
@Injectable()
export class SignInByIdentity {
  constructor(
    private readonly answers: ReadProviderAnswer,
    private readonly identities: UserIdentitiesStore,
    private readonly hints: SignOutHints,
    private readonly enterByIdentity: EnterByIdentity,
    private readonly welcome: WelcomeNewcomer,
    private readonly clock: Clock,
  ) {}

  /** @throws ProviderSessionEnded */
  async execute(
    flow: Flow,
    callback: ExternalCallback,
    begun: TakenSignIn,
    state: string,
    { orgId, provider }: ProviderInFlow,
  ): Promise<ExternalFlowResult> {
    const asked = await this.answers.read(provider, callback, begun, state);
    if (typeof asked === 'string') return problem(flow, asked);
    const { subject } = asked;
    const mapped = mapClaims(asked.claims, provider.mapping, rulesOf(provider).fields);
    const known = await this.identities.find(provider.id, subject);
    const providerSession = this.hints.sessionOf(provider, asked);
    const identity = { subject, displayName: shownName(mapped, asked), mapped, providerSession };
    const shown = shownBy(asked, wasAskedAnew(provider.kind, flow), this.clock.nowSeconds());
    if (!isAnewFor(provider.kind, flow, shown)) return problem(flow, 'idp-refused');
    if (known !== undefined)
      return await this.enterByIdentity.execute(flow, callback, provider, known, identity, shown);
    const place = { orgId: provider.orgId ?? orgId, provider };
    return await this.welcome.execute(flow, callback, place, identity, shown);
  }
}
