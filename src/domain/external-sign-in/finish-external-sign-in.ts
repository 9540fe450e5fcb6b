import { Injectable } from '@nestjs/common';
import type { PendingIdentity } from '../authorize/auth-request.js';
import { AuthRequestsStore } from '../authorize/auth-requests.store.js';
import { ContinueFlow, type FlowResult } from '../authorize/continue-flow.js';
import { FindFlow, type Flow } from '../authorize/find-flow.js';
import { mapClaims, type MappedIdentity } from '../identity-providers/claim-mapping.js';
import {
  ExternalSignInsStore,
  sessionOf,
  type TakenSignIn,
} from '../identity-providers/external-sign-ins.store.js';
import { ExternalUser } from '../identity-providers/external-user.js';
import type { IdentityProvider } from '../identity-providers/identity-provider.js';
import { IdentityProvidersStore } from '../identity-providers/identity-providers.store.js';
import { rulesOf } from '../identity-providers/rules-of-kind.js';
import {
  UserIdentitiesStore,
  type IdentifiedUser,
  type NewUserIdentity,
} from '../identity-providers/user-identities.store.js';
import type { Newcomer } from '../registration/ask-for-user-name.js';
import { BeginExternalRegistration } from '../registration/begin-external-registration.js';
import { Sealer } from '../secrets/sealer.js';
import { settledSessions } from '../sessions/session.js';
import type { ProviderSession } from '../sessions/sessions.store.js';
import { UserAgents } from '../sessions/user-agents.js';
import type { AuthRequestId, OrgId, RegistrationId } from '../shared/ids.js';
import { Log } from '../shared/log.js';
import { sha256 } from '../shared/random.js';
import { ProviderSessionEnded } from '../sign-in/start-session.js';
import { Counters } from '../statistics/counters.js';
import { canonicalName } from '../users/canonical-name.js';
import { emailProblem } from '../users/typed-email.js';
import { BeginExternalSignIn } from './begin-external-sign-in.js';
import { MakeAccount } from './make-account.js';
import {
  ReadProviderAnswer,
  shownName,
  type AnsweredIdentity,
  type ExternalCallback,
  type ExternalProblem,
} from './read-provider-answer.js';
import { hintPlace } from './sign-out-at-provider.js';
import { TakeOwnIdentity, type OwnIdentityResult } from './take-own-identity.js';

export type ExternalResult =
  /** Not begun in this browser, at this provider, or not any more. */
  | { readonly kind: 'lost' }
  | OwnIdentityResult
  | {
      readonly kind: 'entered';
      readonly flow: Flow;
      readonly result: Exclude<FlowResult, { kind: 'refused' }>;
    }
  | { readonly kind: 'problem'; readonly flow: AuthRequestId; readonly problem: ExternalProblem }
  /** An account has the address: its owner signs in to it once more. */
  | { readonly kind: 'prove'; readonly flow: AuthRequestId }
  /** The provider gave no address that is any good, or a user name that somebody here has: a page asks for another. */
  | { readonly kind: 'complete'; readonly flow: AuthRequestId }
  /** The address is proven by a code first. */
  | { readonly kind: 'verify'; readonly registration: RegistrationId };

/**
 * Somebody comes back from a provider. Who they are here is decided by (provider, subject) alone. Nobody is ever signed in to an
 * account because of an address: its owner shows by the account's own means that it is theirs, and the identity is added then.
 */
@Injectable()
export class FinishExternalSignIn {
  constructor(
    private readonly begin: BeginExternalSignIn,
    private readonly agents: UserAgents,
    private readonly findFlow: FindFlow,
    private readonly continueFlow: ContinueFlow,
    private readonly authRequests: AuthRequestsStore,
    private readonly signIns: ExternalSignInsStore,
    private readonly providers: IdentityProvidersStore,
    private readonly identities: UserIdentitiesStore,
    private readonly answers: ReadProviderAnswer,
    private readonly ownIdentity: TakeOwnIdentity,
    private readonly externalUser: ExternalUser,
    private readonly makeAccount: MakeAccount,
    private readonly registrations: BeginExternalRegistration,
    private readonly counters: Counters,
    private readonly sealer: Sealer,
    private readonly log: Log,
  ) {}

  async execute(callback: ExternalCallback): Promise<ExternalResult> {
    const { providerId, parameters, userAgentSecret } = callback;
    const state = parameters.get('state') ?? '';
    const agent = await this.agents.find(userAgentSecret);
    if (agent === undefined || state === '') return { kind: 'lost' };
    const begun = await this.signIns.take(sha256(state), { providerId, userAgentId: agent.id });
    if (begun === undefined) return { kind: 'lost' };
    if (!('flowId' in begun.purpose)) {
      const session = sessionOf(begun.purpose);
      const own = settledSessions(agent).find(({ id }) => id === session);
      return own === undefined ? { kind: 'lost' } : await this.ownIdentity.take(own, callback, begun, state);
    }
    const found = await this.findFlow.find(begun.purpose.flowId, userAgentSecret);
    if (found === undefined) return { kind: 'lost' };
    const flow = { ...found, device: callback.device };
    return await this.inFlow(flow, callback, begun, state);
  }

  private async inFlow(
    flow: Flow,
    callback: ExternalCallback,
    begun: TakenSignIn,
    state: string,
  ): Promise<ExternalResult> {
    const orgId = await this.begin.organizationOf(flow);
    // switched off meanwhile: nobody gets in by it any more
    const provider = orgId && (await this.providers.findUsable(orgId, callback.providerId));
    if (orgId === undefined || provider === undefined) return problem(flow, 'idp-refused');
    try {
      return await this.answer(flow, callback, begun, state, orgId, provider);
    } catch (error) {
      if (!(error instanceof ProviderSessionEnded)) throw error;
      this.counters.add(orgId, 'signInsRefused');
      this.log.warn('a sign-in belongs to a session that its provider has ended', {
        providerId: provider.id,
      });
      return problem(flow, 'idp-refused');
    }
  }

  private async answer(
    flow: Flow,
    callback: ExternalCallback,
    begun: TakenSignIn,
    state: string,
    orgId: OrgId,
    provider: IdentityProvider,
  ): Promise<ExternalResult> {
    const asked = await this.answers.read(provider, callback, begun, state);
    if (typeof asked === 'string') return problem(flow, asked);
    const mapped = mapClaims(asked.claims, provider.mapping, rulesOf(provider).fields);
    const known = await this.identities.find(provider.id, asked.subject);
    if (known !== undefined) return await this.enter(flow, callback, provider, known, asked, mapped);
    return await this.welcome(flow, callback, provider, provider.orgId ?? orgId, asked, mapped);
  }

  private async enter(
    flow: Flow,
    { userAgentSecret = '' }: ExternalCallback,
    provider: IdentityProvider,
    known: IdentifiedUser,
    asked: AnsweredIdentity,
    mapped: MappedIdentity,
  ): Promise<ExternalResult> {
    const { orgId, userId, active } = known;
    if (!active) {
      this.counters.add(orgId, 'signInsRefused');
      return problem(flow, 'idp-no-account');
    }
    const roles = provider.updateOnSignIn
      ? await this.externalUser.rolesBefore(orgId, userId, mapped)
      : undefined;
    const result = await this.continueFlow.enter(flow, userAgentSecret, async (tx) => {
      if (roles !== undefined) await this.externalUser.update(tx, orgId, userId, mapped, roles);
      await this.identities.used(tx, known.id, shownName(mapped, asked));
      return {
        orgId,
        userId,
        proofs: ['external'],
        providerSession: this.providerSessionOf(provider, asked),
      };
    });
    if (result.kind === 'refused') return problem(flow, 'idp-no-account');
    return { kind: 'entered', flow, result };
  }

  /** Somebody whom nobody here knows by this identity. */
  private async welcome(
    flow: Flow,
    callback: ExternalCallback,
    provider: IdentityProvider,
    orgId: OrgId,
    asked: AnsweredIdentity,
    mapped: MappedIdentity,
  ): Promise<ExternalResult> {
    const { email } = mapped;
    const providerSession = this.providerSessionOf(provider, asked);
    const identity = {
      providerId: provider.id,
      subject: asked.subject,
      displayName: shownName(mapped, asked),
      orgId,
    };
    if (email === undefined || emailProblem(email) !== undefined) {
      if (!provider.allowCreation) return problem(flow, 'idp-no-account');
      await this.authRequests.keepIdentity(flow.id, addressless(identity, provider, mapped, providerSession));
      return { kind: 'complete', flow: flow.id };
    }
    const account = provider.allowLinking
      ? await this.identities.findByAddress(orgId, canonicalName(email))
      : undefined;
    const kept = {
      ...identity,
      providerName: provider.name,
      mapped,
      // what an organization's own provider says of an address counts in that organization, and nowhere else
      isProven: provider.orgId === null,
      providerSession,
    };
    const pending = { ...kept, userId: account?.userId ?? null };
    if (mapped.emailVerified && account !== undefined) return await this.prove(flow, pending, email);
    if (!provider.allowCreation) {
      // whoever may be somebody here finds that out by signing in, and nobody else does
      if (provider.allowLinking && !mapped.emailVerified) return await this.prove(flow, pending, email);
      return problem(flow, 'idp-no-account');
    }
    const names = await this.registrations.find(orgId, email);
    if (names === undefined) return problem(flow, 'idp-no-account');
    if (mapped.emailVerified) {
      return await this.make(flow, callback, { ...kept, email });
    }
    if (!(await callback.admitMail())) return problem(flow, 'too-many-attempts');
    const place = { flowId: flow.id, locale: callback.locale, source: callback.source };
    return { kind: 'verify', registration: await this.registrations.begin(place, email, names, pending) };
  }

  private async make(
    flow: Flow,
    { userAgentSecret = '', locale }: ExternalCallback,
    newcomer: Newcomer,
  ): Promise<ExternalResult> {
    const made = await this.makeAccount.execute(flow, userAgentSecret, newcomer, locale);
    if (made.kind === 'no-account') return problem(flow, 'idp-no-account');
    if (made.kind === 'name-taken') return { kind: 'complete', flow: flow.id };
    return { kind: 'entered', flow, result: made.result };
  }

  private providerSessionOf({ id: providerId }: IdentityProvider, asked: AnsweredIdentity): ProviderSession {
    const { subject, session: providerSession, name: providerName, signOutHint } = asked;
    const { authenticatedAt, askedAt } = asked;
    const session = { providerId, subject, providerSession, providerName, authenticatedAt, askedAt };
    if (signOutHint === undefined) return session;
    return { ...session, hint: this.sealer.seal(hintPlace(session), Buffer.from(signOutHint)) };
  }

  private async prove(
    flow: Flow,
    pending: Omit<PendingIdentity, 'keptAt'>,
    email: string,
  ): Promise<ExternalResult> {
    await this.authRequests.keepIdentity(flow.id, pending);
    await this.authRequests.suggestName(flow.id, email);
    return { kind: 'prove', flow: flow.id };
  }
}

/** What the provider calls an address and is none is dropped, with what it says of it. */
function addressless(
  identity: Omit<NewUserIdentity, 'userId'>,
  { name: providerName }: IdentityProvider,
  { email: _none, ...mapped }: MappedIdentity,
  providerSession: ProviderSession,
): Omit<PendingIdentity, 'keptAt'> {
  const nameless = { ...mapped, emailVerified: false };
  return { ...identity, providerName, userId: null, mapped: nameless, isProven: false, providerSession };
}

function problem({ id }: Flow, what: ExternalProblem): ExternalResult {
  return { kind: 'problem', flow: id, problem: what };
}
