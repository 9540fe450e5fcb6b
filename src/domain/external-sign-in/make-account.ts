import { Injectable } from '@nestjs/common';
import { ContinueFlow, type FlowResult } from '../authorize/flow/continue-flow.js';
import type { Flow } from '../authorize/flow/find-flow.js';
import { ExternalUser } from '../identity-providers/external-user.js';
import { MappedRoles } from '../identity-providers/mapped-roles.js';
import { AskForUserName, type Newcomer } from '../registration/ask-for-user-name.js';
import { ApiError } from '../shared/errors.js';
import type { Tx } from '../shared/unit-of-work.js';
import type { AuthenticatedUser } from '../sign-in/start-session.js';
import type { ShownByProvider } from './read-provider-answer.js';

export type MadeAccount =
  | { readonly kind: 'entered'; readonly result: Exclude<FlowResult, { kind: 'refused' }> }
  /** Somebody here has the user name: another one is asked for. */
  | { readonly kind: 'name-taken' }
  | { readonly kind: 'no-account' };

/** Makes the account of somebody whose address is verified, and signs them in to it in the flow that they came back to. */
@Injectable()
export class MakeAccount {
  constructor(
    private readonly continueFlow: ContinueFlow,
    private readonly externalUser: ExternalUser,
    private readonly mappedRoles: MappedRoles,
    private readonly askForUserName: AskForUserName,
  ) {}

  /**
   * @param locale BCP 47 tag of the page
   * @param shown what the answer of the provider shows
   * @throws ProviderSessionEnded
   */
  async execute(
    flow: Flow,
    userAgentSecret: string,
    newcomer: Newcomer,
    locale: string,
    shown: ShownByProvider,
  ): Promise<MadeAccount> {
    const { email, mapped, isOwnerVerified, providerSession, ...identity } = newcomer;
    const { orgId } = identity;
    const roles = await this.mappedRoles.before(orgId, undefined, mapped);
    const user = { identity, mapped, email, isOwnerVerified, locale };
    const create = async (tx: Tx): Promise<AuthenticatedUser | undefined> => {
      const userId = await this.externalUser.create(tx, user, roles);
      return userId && { orgId, userId, ...shown, providerSession };
    };
    try {
      const result = await this.continueFlow.enter(flow, userAgentSecret, create);
      return result.kind === 'refused' ? { kind: 'no-account' } : { kind: 'entered', result };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.kind !== 'already-exists' && error.kind !== 'invalid-argument') throw error;
      // the name is somebody's who has not got the address, or was taken a moment ago
      const isAsked = await this.askForUserName.execute(flow.id, newcomer);
      return { kind: isAsked ? 'name-taken' : 'no-account' };
    }
  }
}
