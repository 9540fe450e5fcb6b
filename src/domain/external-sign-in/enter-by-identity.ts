import { Injectable } from '@nestjs/common';
import { ContinueFlow } from '../authorize/flow/continue-flow.js';
import type { Flow } from '../authorize/flow/find-flow.js';
import { ExternalUser } from '../identity-providers/external-user.js';
import {
  UserIdentitiesStore,
  type IdentifiedUser,
} from '../identity-providers/identities/user-identities.store.js';
import type { IdentityProvider } from '../identity-providers/identity-provider.js';
import { MappedRoles } from '../identity-providers/mapped-roles.js';
import { Counters } from '../statistics/counters.js';
import { problem, type ExternalFlowResult } from './external-flow-result.js';
import type { ExternalCallback, ProvidedIdentity, ShownByProvider } from './read-provider-answer.js';

/** Signs in the user whose identity it is, and brings up to date what the provider says of them. */
@Injectable()
export class EnterByIdentity {
  constructor(
    private readonly continueFlow: ContinueFlow,
    private readonly externalUser: ExternalUser,
    private readonly mappedRoles: MappedRoles,
    private readonly identities: UserIdentitiesStore,
    private readonly counters: Counters,
  ) {}

  /** @throws ProviderSessionEnded */
  async execute(
    flow: Flow,
    { userAgentSecret = '' }: ExternalCallback,
    { updateOnSignIn }: IdentityProvider,
    known: IdentifiedUser,
    { displayName, mapped, providerSession }: ProvidedIdentity,
    shown: ShownByProvider,
  ): Promise<ExternalFlowResult> {
    const { orgId, userId, active } = known;
    if (!active) {
      this.counters.add(orgId, 'signInsRefused');
      return problem(flow, 'idp-no-account');
    }
    const roles = updateOnSignIn ? await this.mappedRoles.before(orgId, userId, mapped) : undefined;
    const result = await this.continueFlow.enter(flow, userAgentSecret, async (tx) => {
      if (roles !== undefined) await this.externalUser.update(tx, orgId, userId, mapped, roles);
      await this.identities.used(tx, known.id, displayName);
      return { orgId, userId, ...shown, providerSession };
    });
    if (result.kind === 'refused') return problem(flow, 'idp-no-account');
    return { kind: 'entered', flow, result };
  }
}
