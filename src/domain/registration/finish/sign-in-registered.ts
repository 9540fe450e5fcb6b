import { Injectable } from '@nestjs/common';
import { ContinueFlow, type FlowResult } from '../../authorize/flow/continue-flow.js';
import type { Flow } from '../../authorize/flow/find-flow.js';
import type { Tx } from '../../shared/unit-of-work.js';
import { ProviderSessionEnded, type AuthenticatedUser } from '../../sign-in/start-session.js';
import { RegistrationPolicy } from '../registration-policy.js';
import { RegistrationsStore } from '../registrations.store.js';
import { AddRegisteredUser } from './add-registered-user.js';
import { AddUserOfProvider, type ExternalRegistration } from './add-user-of-provider.js';

export type SignedInRegistered =
  /** The user is signed in and the flow continues. */
  | {
      readonly kind: 'entered';
      readonly result: Exclude<FlowResult, { kind: 'refused' | 'gone' }>;
    }
  /** The flow was answered or expired meanwhile. Everything is undone, and the registration still pending. */
  | { readonly kind: 'flow-over' }
  /** Ended, expired, or of somebody whose provider has ended their session. */
  | { readonly kind: 'over' }
  | { readonly kind: 'off' };

/** Thrown inside the transaction, so that nothing stays behind. */
class RegistrationOff extends Error {}

/**
 * Makes the user of a registration whose code came back, and signs them in where they came from. Never outside the flow
 * that it began in: whoever began it chose the password, whoever has the code has the mailbox, and only in that one
 * browser are they known to be the same. Elsewhere the owner of an address would open an account to a stranger's
 * password (account pre-hijacking).
 */
@Injectable()
export class SignInRegistered {
  constructor(
    private readonly continueFlow: ContinueFlow,
    private readonly registrations: RegistrationsStore,
    private readonly policy: RegistrationPolicy,
    private readonly addRegisteredUser: AddRegisteredUser,
    private readonly addUserOfProvider: AddUserOfProvider,
  ) {}

  /** @throws ApiError where somebody else has one of the names by now */
  async execute(id: string, flow: Flow, userAgentSecret: string): Promise<SignedInRegistered> {
    try {
      // everything that is read happens before the transaction
      const external = await this.addUserOfProvider.prepare(flow);
      const result = await this.continueFlow.enter(flow, userAgentSecret, (tx) =>
        this.create(tx, id, external),
      );
      if (result.kind === 'refused') return { kind: 'over' };
      if (result.kind === 'gone') return { kind: 'flow-over' };
      return { kind: 'entered', result };
    } catch (error) {
      if (error instanceof RegistrationOff) return { kind: 'off' };
      if (error instanceof ProviderSessionEnded) return { kind: 'over' };
      throw error;
    }
  }

  /** The registration's row is taken first: of two submissions at once the second waits there and finds it ended. */
  private async create(
    tx: Tx,
    id: string,
    external: ExternalRegistration | undefined,
  ): Promise<AuthenticatedUser | undefined> {
    const registration = await this.registrations.end(tx, id);
    if (registration === undefined) return undefined;
    const { orgId } = registration;
    if (registration.external) return await this.addUserOfProvider.execute(tx, id, registration, external);
    if (!(await this.policy.allows(orgId, tx))) throw new RegistrationOff();
    return { orgId, userId: await this.addRegisteredUser.execute(tx, registration), proofs: ['password'] };
  }
}
