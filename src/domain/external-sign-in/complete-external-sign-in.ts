import { Injectable } from '@nestjs/common';
import type { PendingIdentity } from '../authorize/auth-request.js';
import type { Flow } from '../authorize/flow/find-flow.js';
import { UserIdentitiesStore } from '../identity-providers/identities/user-identities.store.js';
import type { IdentityProvider } from '../identity-providers/identity-provider.js';
import { IdentityProvidersStore } from '../identity-providers/identity-providers.store.js';
import { BeginExternalRegistration } from '../registration/begin-external-registration.js';
import { Clock } from '../shared/clock.js';
import type { RegistrationId } from '../shared/ids.js';
import { ResponseTimePadding } from '../sign-in/response-time-padding.js';
import { ProviderSessionEnded } from '../sign-in/start-session.js';
import { canonicalName } from '../users/names/canonical-name.js';
import { loginNameProblem, type LoginNameProblem } from '../users/names/login-name-problem.js';
import { nameLine, requiredNameProblem, type RequiredNameProblem } from '../users/names/typed-names.js';
import { emailProblem, type EmailProblem } from '../users/typed-email.js';
import { MakeAccount, type MadeAccount } from './make-account.js';
import { shownBefore, type ExternalProblem } from './read-provider-answer.js';
import { wasAskedAnew } from './sign-in-anew.js';

/** What a provider that sent somebody did not say of them, or said of somebody else as well. */
export interface MissingClaims {
  readonly pending: PendingIdentity;
  readonly provider: IdentityProvider;
  /** Another user name alone, or the address and what else is missing. */
  readonly asks: 'loginName' | 'email';
  /** Nobody must have one: whoever registers here is not asked for a name either. */
  readonly names: readonly ('firstName' | 'lastName')[];
}

export interface TypedClaims {
  readonly loginName?: string | undefined;
  readonly email?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
}

type MissingClaimsProblem =
  | EmailProblem
  | LoginNameProblem
  /** Of a domain that another organization has verified. */
  | 'email-not-available'
  | Exclude<RequiredNameProblem, `${string}-missing`>;

type ChosenName =
  | { readonly kind: 'entered'; readonly result: Extract<MadeAccount, { kind: 'entered' }>['result'] }
  | { readonly kind: 'again'; readonly problems: readonly MissingClaimsProblem[] }
  | { readonly kind: 'problem'; readonly problem: ExternalProblem };

interface ReadClaims {
  readonly email: string;
  readonly names: { readonly firstName?: string; readonly lastName?: string };
}

/**
 * A user came back from a provider that creates accounts and sends no address (a directory without one, a provider that hides
 * it): they type it here. It is treated like any unverified address: a code is sent to it, and its owner is notified
 * if an account has it. The last one typed counts, so that a typo can be corrected.
 *
 * Or the provider sent a user name that is taken here (`AskForUserName`): they choose another.
 */
@Injectable()
export class CompleteExternalSignIn {
  constructor(
    private readonly providers: IdentityProvidersStore,
    private readonly identities: UserIdentitiesStore,
    private readonly registrations: BeginExternalRegistration,
    private readonly makeAccount: MakeAccount,
    private readonly padding: ResponseTimePadding,
    private readonly clock: Clock,
  ) {}

  /** Undefined where nothing is asked for, or the provider makes no accounts any more. */
  async find({ pendingIdentity: pending }: Flow): Promise<MissingClaims | undefined> {
    if (pending === undefined) return undefined;
    const asks = pending.takenName === undefined ? 'email' : 'loginName';
    if (asks === 'email' && pending.mapped.email !== undefined) return undefined;
    const provider = await this.providers.findUsable(pending.orgId, pending.providerId);
    if (provider?.allowCreation !== true) return undefined;
    if (asks === 'loginName') return { pending, provider, asks, names: [] };
    const { profile } = pending.mapped;
    const names = (['firstName', 'lastName'] as const).filter((name) => profile[name] === undefined);
    return { pending, provider, asks, names };
  }

  /** What can be said of it without looking anybody up, in the order of the fields. */
  problemsOf(missing: MissingClaims, typed: TypedClaims): readonly MissingClaimsProblem[] {
    return readClaims(missing, typed).problems;
  }

  async execute(
    flow: Flow,
    missing: MissingClaims,
    typed: TypedClaims,
    { locale, source }: { readonly locale: string; readonly source: string },
  ): Promise<
    { readonly registration: RegistrationId } | { readonly problems: readonly MissingClaimsProblem[] }
  > {
    const startedAt = performance.now();
    const { problems, email, names: typedNames } = readClaims(missing, typed);
    if (problems.length > 0) return { problems };
    const { keptAt: _, registrationId: _before, ...identity } = missing.pending;
    const { orgId } = identity;
    const names = await this.registrations.find(orgId, email);
    if (names === undefined) return { problems: ['email-not-available'] };
    const account = missing.provider.allowLinking
      ? await this.identities.findByAddress(orgId, canonicalName(email))
      : undefined;
    const pending = { ...identity, userId: account?.userId ?? null, typed: { email, ...typedNames } };
    const place = { flowId: flow.id, locale, source };
    const registration = await this.registrations.begin(place, email, names, pending);
    await this.padding.settle(startedAt);
    return { registration };
  }

  /** Somebody whose address is verified has chosen a user name: the account is made, and nothing more is asked. */
  async chooseName(
    flow: Flow,
    userAgentSecret: string,
    { pending, provider: { kind } }: MissingClaims,
    { loginName = '' }: TypedClaims,
    locale: string,
  ): Promise<ChosenName> {
    const { keptAt: _, userId: _account, registrationId: _id, typed: _typed, ...kept } = pending;
    const { email = '', ...mapped } = kept.mapped;
    const newcomer = { ...kept, mapped: { ...mapped, email, userName: loginName.trim() }, email };
    // a directory's password was typed into a form of ours
    const counts = kind === 'ldap' || wasAskedAnew(kind, flow);
    const shown = shownBefore(pending.providerSession ?? {}, counts, this.clock.nowSeconds());
    try {
      const made = await this.makeAccount.execute(flow, userAgentSecret, newcomer, locale, shown);
      if (made.kind === 'entered') return made;
      if (made.kind === 'no-account') return { kind: 'problem', problem: 'idp-no-account' };
      return { kind: 'again', problems: ['login-name-not-available'] };
    } catch (error) {
      if (!(error instanceof ProviderSessionEnded)) throw error;
      return { kind: 'problem', problem: 'idp-refused' };
    }
  }
}

function readClaims(
  missing: MissingClaims,
  typed: TypedClaims,
): ReadClaims & { readonly problems: readonly MissingClaimsProblem[] } {
  if (missing.asks === 'email') return readAddress(missing, typed);
  const email = missing.pending.mapped.email ?? '';
  const problem = loginNameProblem((typed.loginName ?? '').trim(), email);
  return { email, names: {}, problems: problem === undefined ? [] : [problem] };
}

function readAddress(
  { names: asked }: MissingClaims,
  typed: TypedClaims,
): ReadClaims & { readonly problems: readonly MissingClaimsProblem[] } {
  const email = (typed.email ?? '').trim();
  const given = asked.map((name) => [name, nameLine(typed[name])] as const).filter(([, line]) => line !== '');
  const found = [
    emailProblem(email),
    ...given.map(([name, line]) =>
      requiredNameProblem(name === 'firstName' ? 'first-name' : 'last-name', line, typed[name]),
    ),
  ];
  const problems = found.filter(isProblem);
  return { email, names: Object.fromEntries(given), problems };
}

/** What was left empty is none: it is not among what was given. */
function isProblem(
  problem: EmailProblem | RequiredNameProblem | undefined,
): problem is EmailProblem | Exclude<RequiredNameProblem, `${string}-missing`> {
  return problem !== undefined && problem !== 'first-name-missing' && problem !== 'last-name-missing';
}
