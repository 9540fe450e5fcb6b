import { Injectable } from '@nestjs/common';
import type { PendingIdentity } from '../authorize/auth-request.js';
import { AuthRequestsStore } from '../authorize/auth-requests.store.js';
import type { Flow } from '../authorize/flow/find-flow.js';
import { UserIdentitiesStore } from '../identity-providers/identities/user-identities.store.js';
import type { Newcomer } from '../registration/ask-for-user-name.js';
import { BeginExternalRegistration } from '../registration/begin-external-registration.js';
import { canonicalName } from '../users/names/canonical-name.js';
import { emailProblem } from '../users/typed-email.js';
import { problem, type ExternalFlowResult } from './external-flow-result.js';
import { MakeAccount } from './make-account.js';
import type { ProviderInFlow } from './providers-of-flow.js';
import type { ExternalCallback, ProvidedIdentity, ShownByProvider } from './read-provider-answer.js';

/**
 * Somebody whom nobody here knows by their identity: they get an account where the provider makes them, or show that they have
 * the one that it may be added to.
 */
@Injectable()
export class WelcomeNewcomer {
  constructor(
    private readonly identities: UserIdentitiesStore,
    private readonly authRequests: AuthRequestsStore,
    private readonly registrations: BeginExternalRegistration,
    private readonly makeAccount: MakeAccount,
  ) {}

  /**
   * @param orgId whose user they would be
   * @throws ProviderSessionEnded
   */
  async execute(
    flow: Flow,
    callback: ExternalCallback,
    { orgId, provider }: ProviderInFlow,
    { mapped, ...provided }: ProvidedIdentity,
    shown: ShownByProvider,
  ): Promise<ExternalFlowResult> {
    const { email } = mapped;
    const identity = { ...provided, providerId: provider.id, providerName: provider.name, orgId };
    if (email === undefined || emailProblem(email) !== undefined) {
      if (!provider.allowCreation) return problem(flow, 'idp-no-account');
      await this.authRequests.keepIdentity(flow.id, addressless({ ...identity, mapped }));
      return { kind: 'complete', flow: flow.id };
    }
    const account = provider.allowLinking
      ? await this.identities.findByAddress(orgId, canonicalName(email))
      : undefined;
    // what an organization's own provider says of an address counts in that organization, and nowhere else
    const kept = { ...identity, mapped, isOwnerVerified: provider.orgId === null };
    const pending = { ...kept, userId: account?.userId ?? null };
    if (mapped.emailVerified && account !== undefined) return await this.authenticate(flow, pending, email);
    if (!provider.allowCreation) {
      // whoever may be somebody here finds that out by signing in, and nobody else does
      if (provider.allowLinking && !mapped.emailVerified)
        return await this.authenticate(flow, pending, email);
      return problem(flow, 'idp-no-account');
    }
    const names = await this.registrations.find(orgId, email);
    if (names === undefined) return problem(flow, 'idp-no-account');
    if (mapped.emailVerified) return await this.make(flow, callback, { ...kept, email }, shown);
    if (!(await callback.admitMail())) return problem(flow, 'too-many-attempts');
    const place = { flowId: flow.id, locale: callback.locale, source: callback.source };
    return { kind: 'verify', registration: await this.registrations.begin(place, email, names, pending) };
  }

  private async make(
    flow: Flow,
    { userAgentSecret = '', locale }: ExternalCallback,
    newcomer: Newcomer,
    shown: ShownByProvider,
  ): Promise<ExternalFlowResult> {
    const made = await this.makeAccount.execute(flow, userAgentSecret, newcomer, locale, shown);
    if (made.kind === 'no-account') return problem(flow, 'idp-no-account');
    if (made.kind === 'name-taken') return { kind: 'complete', flow: flow.id };
    return { kind: 'entered', flow, result: made.result };
  }

  private async authenticate(
    flow: Flow,
    pending: Omit<PendingIdentity, 'keptAt'>,
    email: string,
  ): Promise<ExternalFlowResult> {
    await this.authRequests.keepIdentity(flow.id, pending);
    await this.authRequests.suggestName(flow.id, email);
    return { kind: 'authenticate', flow: flow.id };
  }
}

/** What the provider calls an address and is none is dropped, with what it says of it. */
function addressless({
  mapped: { email: _none, ...mapped },
  ...identity
}: Omit<PendingIdentity, 'keptAt' | 'userId' | 'isOwnerVerified'>): Omit<PendingIdentity, 'keptAt'> {
  return { ...identity, userId: null, mapped: { ...mapped, emailVerified: false }, isOwnerVerified: false };
}
