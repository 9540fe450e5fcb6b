import de from '../../../locales/console/de/sign-in.json';
import en from '../../../locales/console/en/sign-in.json';
import { answered, api, inOrganization, type Answered, type Sent } from '../api/client.ts';
import { say, words } from '../app/words.ts';
import { inWords } from '../shared/durations.ts';

/** The policies of an organization: how each is had, changed and given up, and what it says in words. */

const t = words({ en, de });

/** What the organization has set, or what it inherits. */
export interface Held<Policy> {
  readonly policy: Policy;
  readonly inherited: Policy;
  readonly isDefault: boolean;
  /** Of what it names by id. */
  readonly names?: ReadonlyMap<string, string>;
  readonly details: { readonly sequence: string; readonly changeDate?: string | undefined };
}

type Fact = readonly [label: string, value: string];

export interface PolicyKind<Policy, Body> {
  readonly name: 'login' | 'password' | 'lockout' | 'factors' | 'tokens';
  /** Who decides where the organization does not. */
  readonly source: string;
  readonly find: (org: string) => Promise<Held<Policy>>;
  readonly replace: (org: string, body: Body, sequence?: string) => Promise<unknown>;
  readonly reset: (org: string, sequence: string) => Promise<unknown>;
  /** The whole of it, to read. */
  readonly facts: (policy: Policy, names?: ReadonlyMap<string, string>) => readonly Fact[];
  /** In a sentence. */
  readonly summary: (policy: Policy) => string;
}

export type LoginPolicy = Answered<'/management/v1/policies/login', 'get'>['policy'];
export type PasswordPolicy = Answered<'/management/v1/policies/password', 'get'>['policy'];
export type LockoutPolicy = Answered<'/management/v1/policies/lockout', 'get'>['policy'];
export type FactorPolicy = Answered<'/management/v1/policies/factors', 'get'>['policy'];
export type TokenPolicy = Answered<'/management/v1/policies/tokens', 'get'>['policy'];
type LoginBody = Sent<'/management/v1/policies/login', 'put'>;
export type PasswordBody = Sent<'/management/v1/policies/password', 'put'>;
type LockoutBody = Sent<'/management/v1/policies/lockout', 'put'>;
export type FactorBody = Sent<'/management/v1/policies/factors', 'put'>;
export type TokenBody = Sent<'/management/v1/policies/tokens', 'put'>;

export function policyKey(org: string, name: string) {
  return ['sign-in', org, name] as const;
}

function yesNo(is: boolean): string {
  return is ? t.yes : t.no;
}

/** They stand in place of ids, no more: where they cannot be read, the ids are shown, and the policy all the same. */
async function namesOfInstance(org: string): Promise<ReadonlyMap<string, string>> {
  try {
    const { result } = await answered(
      api.GET('/management/v1/idps/_instance', { params: inOrganization(org) }),
    );
    return new Map(result.map(({ id, name }) => [id, name]));
  } catch {
    return new Map();
  }
}

export const loginPolicy: PolicyKind<LoginPolicy, LoginBody> = {
  name: 'login',
  source: t.sources.service,
  find: async (org) => {
    const params = inOrganization(org);
    const [held, names] = await Promise.all([
      answered(api.GET('/management/v1/policies/login', { params })),
      namesOfInstance(org),
    ]);
    const { homeRealmIdpState: state, policy } = held;
    if (policy.homeRealmIdpId === undefined || state === undefined || state === 'active')
      return { ...held, names };
    const id = policy.homeRealmIdpId;
    return { ...held, names: new Map(names).set(id, say(t.login.homeRealmStates[state], { id })) };
  },
  replace: async (org, body, sequence) =>
    await answered(api.PUT('/management/v1/policies/login', { params: inOrganization(org, sequence), body })),
  reset: async (org, sequence) =>
    await answered(api.DELETE('/management/v1/policies/login', { params: inOrganization(org, sequence) })),
  facts: (policy, names) => [
    [t.login.allowRegister, yesNo(policy.allowRegister)],
    [t.login.requireLoginName, yesNo(policy.requireLoginName)],
    [t.login.allowAccountDeletion, yesNo(policy.allowAccountDeletion)],
    [t.login.allowExternalIdps, yesNo(policy.allowExternalIdps)],
    [
      t.login.instanceIdps,
      policy.instanceIdps.length === 0
        ? t.login.noneChosen
        : listed(policy.instanceIdps.map((id) => names?.get(id) ?? id)),
    ],
    [
      t.login.homeRealmIdpId,
      policy.homeRealmIdpId === undefined
        ? t.login.noneChosen
        : (names?.get(policy.homeRealmIdpId) ?? policy.homeRealmIdpId),
    ],
  ],
  summary: (policy) => (policy.allowRegister ? t.login.summaryOpen : t.login.summaryClosed),
};

export const passwordPolicy: PolicyKind<PasswordPolicy, PasswordBody> = {
  name: 'password',
  source: t.sources.service,
  find: async (org) =>
    await answered(api.GET('/management/v1/policies/password', { params: inOrganization(org) })),
  replace: async (org, body, sequence) =>
    await answered(
      api.PUT('/management/v1/policies/password', { params: inOrganization(org, sequence), body }),
    ),
  reset: async (org, sequence) =>
    await answered(api.DELETE('/management/v1/policies/password', { params: inOrganization(org, sequence) })),
  facts: (policy) => [
    [t.password.minLength, say(t.password.characters, { count: Number(policy.minLength) })],
    [t.password.hasLowercase, yesNo(policy.hasLowercase)],
    [t.password.hasUppercase, yesNo(policy.hasUppercase)],
    [t.password.hasNumber, yesNo(policy.hasNumber)],
    [t.password.hasSymbol, yesNo(policy.hasSymbol)],
  ],
  summary: (policy) => {
    const kinds = [
      policy.hasLowercase && t.password.short.lowercase,
      policy.hasUppercase && t.password.short.uppercase,
      policy.hasNumber && t.password.short.number,
      policy.hasSymbol && t.password.short.symbol,
    ].filter((kind) => kind !== false);
    const length = { count: Number(policy.minLength) };
    return kinds.length === 0
      ? say(t.password.summaryLength, length)
      : say(t.password.summary, { ...length, kinds: listed(kinds) });
  },
};

export const lockoutPolicy: PolicyKind<LockoutPolicy, LockoutBody> = {
  name: 'lockout',
  source: t.sources.service,
  find: async (org) =>
    await answered(api.GET('/management/v1/policies/lockout', { params: inOrganization(org) })),
  replace: async (org, body, sequence) =>
    await answered(
      api.PUT('/management/v1/policies/lockout', { params: inOrganization(org, sequence), body }),
    ),
  reset: async (org, sequence) =>
    await answered(api.DELETE('/management/v1/policies/lockout', { params: inOrganization(org, sequence) })),
  facts: (policy) => [
    [t.lockout.freePasswordAttempts, policy.freePasswordAttempts],
    [t.lockout.firstWait, inWords(policy.firstWait)],
    [t.lockout.maxPasswordAttempts, policy.maxPasswordAttempts],
    [t.lockout.lockDuration, inWords(policy.lockDuration)],
  ],
  summary: (policy) =>
    say(t.lockout.summary, {
      count: Number(policy.maxPasswordAttempts),
      time: inWords(policy.lockDuration),
    }),
};

/** Whom a second factor is asked of, in one choice instead of two. */
export type Required = 'off' | 'offered' | 'owners' | 'all';

export function requiredOf({
  secondFactor,
  requiredFor,
}: Pick<FactorPolicy, 'secondFactor' | 'requiredFor'>): Required {
  return secondFactor === 'required' ? requiredFor : secondFactor;
}

export function factorFacts(policy: FactorPolicy): readonly Fact[] {
  return [
    [t.factors.required, t.factors.requiredChoices[requiredOf(policy)].label],
    [t.factors.kinds, policy.kinds.map((kind) => t.factors.kindChoices[kind].label).join(', ')],
    [t.factors.trustedBrowserDays, daysInWords(policy.trustedBrowserDays)],
    [t.factors.passkeyCounter, t.factors.passkeyCounterChoices[policy.passkeyCounter].label],
    [t.factors.stepUp, t.factors.stepUpChoices[policy.stepUp].label],
    [t.factors.stepUpMaxAge, inWords(policy.stepUpMaxAge)],
  ];
}

function factorSummary(policy: FactorPolicy): string {
  return t.factors.requiredChoices[requiredOf(policy)].summary;
}

function daysInWords(days: string): string {
  return days === '0' ? t.factors.never : say(t.factors.days, { count: Number(days) });
}

export const factorPolicy: PolicyKind<FactorPolicy, FactorBody> = {
  name: 'factors',
  source: t.sources.instance,
  find: async (org) =>
    await answered(api.GET('/management/v1/policies/factors', { params: inOrganization(org) })),
  replace: async (org, body, sequence) =>
    await answered(
      api.PUT('/management/v1/policies/factors', { params: inOrganization(org, sequence), body }),
    ),
  reset: async (org, sequence) =>
    await answered(api.DELETE('/management/v1/policies/factors', { params: inOrganization(org, sequence) })),
  facts: factorFacts,
  summary: factorSummary,
};

export function tokenFacts(policy: TokenPolicy): readonly Fact[] {
  return [
    [t.tokens.accessTokenLifetime, inWords(policy.accessTokenLifetime)],
    [t.tokens.idTokenLifetime, inWords(policy.idTokenLifetime)],
    [t.tokens.refreshTokenIdleExpiration, inWords(policy.refreshTokenIdleExpiration)],
    [t.tokens.refreshTokenExpiration, inWords(policy.refreshTokenExpiration)],
  ];
}

export const tokenPolicy: PolicyKind<TokenPolicy, TokenBody> = {
  name: 'tokens',
  source: t.sources.instance,
  find: async (org) =>
    await answered(api.GET('/management/v1/policies/tokens', { params: inOrganization(org) })),
  replace: async (org, body, sequence) =>
    await answered(
      api.PUT('/management/v1/policies/tokens', { params: inOrganization(org, sequence), body }),
    ),
  reset: async (org, sequence) =>
    await answered(api.DELETE('/management/v1/policies/tokens', { params: inOrganization(org, sequence) })),
  facts: tokenFacts,
  summary: (policy) =>
    say(t.tokens.summary, {
      access: inWords(policy.accessTokenLifetime),
      refresh: inWords(policy.refreshTokenExpiration),
    }),
};

const list = new Intl.ListFormat(document.documentElement.lang, { type: 'conjunction' });

function listed(parts: readonly string[]): string {
  return list.format(parts);
}
