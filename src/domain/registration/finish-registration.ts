import { Injectable } from '@nestjs/common';
import type { PendingIdentity } from '../authorize/auth-request.js';
import { ContinueFlow, type FlowResult } from '../authorize/continue-flow.js';
import type { Flow } from '../authorize/find-flow.js';
import { EventsStore } from '../events/events.store.js';
import type { MappedIdentity } from '../identity-providers/claim-mapping.js';
import { ExternalUser, type RolesBefore } from '../identity-providers/external-user.js';
import { IdentityProvidersStore } from '../identity-providers/identity-providers.store.js';
import { inspectHash } from '../passwords/schemes/password-schemes.js';
import { ApiError } from '../shared/errors.js';
import type { Tx } from '../shared/unit-of-work.js';
import { ResponseTimePadding } from '../sign-in/response-time-padding.js';
import { ProviderSessionEnded, type AuthenticatedUser } from '../sign-in/start-session.js';
import { Counters } from '../statistics/counters.js';
import { canonicalName } from '../users/canonical-name.js';
import { domainOfUserName, partsOfName, userNameIn } from '../users/user-name.js';
import { UsersStore } from '../users/users.store.js';
import { AskForUserName } from './ask-for-user-name.js';
import { isNamedByAddress, type RegistrationProblem } from './read-registration.js';
import { RegistrationCodes } from './registration-codes.js';
import { RegistrationNames } from './registration-names.js';
import { RegistrationPolicy } from './registration-policy.js';
import { RegistrationsStore, type EndedRegistration, type RegisteredNames } from './registrations.store.js';

export interface FinishRegistrationCommand {
  readonly id: string;
  readonly code: string;
  /** The sign-in that it began in, found for this browser; the cookie's value goes with it. */
  readonly flow: Flow;
  readonly userAgentSecret: string;
}

export type FinishRegistrationResult =
  /** The user is signed in and the flow goes on. */
  | {
      readonly kind: 'entered';
      readonly result: Exclude<FlowResult, { kind: 'refused' | 'gone' }>;
    }
  /** The flow was answered or expired meanwhile. Everything is undone, and the registration still pending. */
  | { readonly kind: 'flow-over' }
  | { readonly kind: 'wrong-code' }
  /** Unknown, used, expired or tried too often. */
  | { readonly kind: 'over' }
  | { readonly kind: 'off' }
  /** Somebody here has the user name that a provider gives them: another one is asked for. */
  | { readonly kind: 'name-taken' }
  /** Somebody else was quicker. Told, because the mailbox is proven. */
  | { readonly kind: 'taken'; readonly problem: RegistrationProblem; readonly names: RegisteredNames };

/** Who somebody is at a provider, and what the mapping's projects have. */
interface ExternalRegistration {
  readonly pending: PendingIdentity;
  readonly roles: RolesBefore;
}

/** Thrown inside the transaction, so that nothing stays behind. */
class RegistrationOff extends Error {}

/**
 * Makes the user of a registration whose code came back, and signs them in where they came from. Never outside the flow
 * that it began in: whoever began it chose the password, whoever has the code has the mailbox, and only in that one
 * browser are they known to be the same. Elsewhere the owner of an address would open an account to a stranger's
 * password (account pre-hijacking).
 */
@Injectable()
export class FinishRegistration {
  constructor(
    private readonly policy: RegistrationPolicy,
    private readonly registrations: RegistrationsStore,
    private readonly codes: RegistrationCodes,
    private readonly names: RegistrationNames,
    private readonly users: UsersStore,
    private readonly events: EventsStore,
    private readonly externalUser: ExternalUser,
    private readonly askForUserName: AskForUserName,
    private readonly providers: IdentityProvidersStore,
    private readonly continueFlow: ContinueFlow,
    private readonly responseTimePadding: ResponseTimePadding,
    private readonly counters: Counters,
  ) {}

  async execute(command: FinishRegistrationCommand): Promise<FinishRegistrationResult> {
    const startedAt = performance.now();
    const { id, code } = command;
    // counting comes before comparing, so that parallel guesses win nothing
    const attempt = await this.registrations.takeAttempt(id);
    const isRight =
      attempt !== undefined && this.codes.isRight(id, attempt.names.email, attempt.codeHash, code);
    if (!isRight) {
      await this.responseTimePadding.settle(startedAt);
      return { kind: attempt === undefined ? 'over' : 'wrong-code' };
    }
    try {
      return await this.enter(command);
    } catch (error) {
      if (error instanceof RegistrationOff) return { kind: 'off' };
      if (error instanceof ProviderSessionEnded) return { kind: 'over' };
      if (!(error instanceof ApiError)) throw error;
      if (await this.asksForName(command, attempt.names.email, error)) return { kind: 'name-taken' };
      return { kind: 'taken', problem: await this.problemOf(error, attempt.names), names: attempt.names };
    }
  }

  private async enter({
    id,
    flow,
    userAgentSecret,
  }: FinishRegistrationCommand): Promise<FinishRegistrationResult> {
    // everything that is read happens before the transaction
    const external = await this.externalOf(flow);
    const result = await this.continueFlow.enter(flow, userAgentSecret, (tx) =>
      this.create(tx, id, external),
    );
    if (result.kind === 'refused') return { kind: 'over' };
    if (result.kind === 'gone') return { kind: 'flow-over' };
    return { kind: 'entered', result };
  }

  /** Undefined where the provider makes no accounts any more. */
  private async externalOf({ pendingIdentity: pending }: Flow): Promise<ExternalRegistration | undefined> {
    if (pending === undefined) return undefined;
    const provider = await this.providers.findUsable(pending.orgId, pending.providerId);
    if (provider?.allowCreation !== true) return undefined;
    return {
      pending,
      roles: await this.externalUser.rolesBefore(pending.orgId, undefined, pending.mapped),
    };
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
    if (registration.external) return await this.createExternal(tx, id, registration, external);
    if (!(await this.policy.allows(orgId, tx))) throw new RegistrationOff();
    return { orgId, userId: await this.addUser(tx, registration), proofs: ['password'] };
  }

  /** In the flow whose browser came back from the provider, and for whom nobody was known then. */
  private async createExternal(
    tx: Tx,
    id: string,
    { orgId, email, locale }: EndedRegistration,
    external: ExternalRegistration | undefined,
  ): Promise<AuthenticatedUser | undefined> {
    if (external === undefined || external.pending.userId !== null) return undefined;
    // another answer of a provider may have come to the flow since: the code proves nothing of that one
    if (external.pending.registrationId !== id || external.pending.orgId !== orgId) return undefined;
    const { providerSession, ...identity } = external.pending;
    const created = { identity, mapped: withTyped(external.pending), email, proven: true, locale };
    const userId = await this.externalUser.create(tx, created, external.roles);
    return userId && { orgId, userId, proofs: ['external'], providerSession };
  }

  /** The address is proven by now, so that no other code is asked for. */
  private async asksForName(
    { id, flow }: FinishRegistrationCommand,
    email: string,
    error: ApiError,
  ): Promise<boolean> {
    const { pendingIdentity: pending } = flow;
    if (error.kind !== 'already-exists' || pending?.registrationId !== id) return false;
    const { keptAt: _, userId: _account, registrationId: _id, typed: _typed, ...newcomer } = pending;
    const mapped = withTyped(pending);
    return await this.askForUserName.execute(flow.id, { ...newcomer, mapped, isProven: true, email });
  }

  private async addUser(tx: Tx, registration: EndedRegistration): Promise<AuthenticatedUser['userId']> {
    const { orgId, email, loginName, locale, passwordHash: hash } = registration;
    const [reserved] = await this.users.reserve([domainOfUserName(loginName)], tx);
    if (reserved === undefined) throw new Error('no id was reserved');
    const userName = userNameIn(orgId, loginName, reserved.domainOwner);
    const [created] = await this.users.addHumans(tx, [
      {
        id: reserved.id,
        orgId,
        userName,
        state: 'active',
        // nobody was asked for a name; what stands for one is what they sign in by
        profile: {
          firstName: '',
          lastName: '',
          displayName: partsOfName(loginName)?.local ?? loginName,
          preferredLanguage: locale,
        },
        email: { address: email, verified: true },
        identifiers: [
          { kind: 'user_name', canonical: canonicalName(userName) },
          // of plain addresses only (readRegistration), whose mailbox the code came from
          { kind: 'email', canonical: canonicalName(email), proven: true },
        ],
        password: { ...inspectHash(hash), hash, changeRequired: false },
      },
    ]);
    if (created === undefined) throw new Error('the registration wrote no user');
    await this.events.append(tx, {
      orgId,
      aggregateType: 'user',
      aggregateId: created.id,
      sequence: created.details.sequence,
      type: 'user.human.registered',
      actorId: created.id,
      fields: ['userName', 'email', 'password', 'displayName', 'preferredLanguage'],
    });
    this.counters.addAfterCommit(tx, orgId, 'newUsers');
    return created.id;
  }

  /** @throws the error when it is none of a name */
  private async problemOf(error: ApiError, names: RegisteredNames): Promise<RegistrationProblem> {
    if (error.kind !== 'already-exists' && error.kind !== 'invalid-argument') throw error;
    if (isNamedByAddress(names)) return 'email-not-available';
    if (error.kind === 'invalid-argument') return 'login-name-not-available';
    const found = await this.names.find(names.orgId, names);
    const isNameFree = found !== undefined && found.known.byUserName === undefined;
    return isNameFree ? 'email-not-available' : 'login-name-not-available';
  }
}

/** What the provider has said, and what they have said where it did not. */
function withTyped({ mapped, typed }: PendingIdentity): MappedIdentity {
  if (typed === undefined) return mapped;
  const { email: _, ...names } = typed;
  return { ...mapped, profile: { ...mapped.profile, ...names } };
}
