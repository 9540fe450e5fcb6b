import de from '../../../locales/console/de/applications.json';
import en from '../../../locales/console/en/applications.json';
import { answered, api, inOrganization, type Answered, type Sent } from '../api/client.ts';
import { dayOf, say, words } from '../app/words.ts';
import { chosen, named, orderOf, pageOf, type ListSearch } from '../shared/search-body.ts';
import type { Orders } from '../shared/sorting.tsx';
import type { Tone } from '../shared/state.tsx';

const t = words({ en, de });

type Search = Answered<'/management/v1/projects/{projectId}/apps/_search', 'post'>;
export type Application = NonNullable<Search['result']>[number];
export type OidcConfig = NonNullable<Application['oidcConfig']>;
export type OidcBody = Sent<'/management/v1/projects/{projectId}/apps/{appId}/oidc_config', 'put'>;
export type NewOidcBody = Sent<'/management/v1/projects/{projectId}/apps/oidc', 'post'>;

export type OidcKind = 'spa' | 'web' | 'native';
export type Kind = OidcKind | 'api';

/** How a certificate may name the application; one of them is filled in. */
export const CERTIFICATE_NAMES = [
  'tlsClientAuthSubjectDn',
  'tlsClientAuthSanDns',
  'tlsClientAuthSanUri',
  'tlsClientAuthSanIp',
  'tlsClientAuthSanEmail',
] as const;

/** An application, by the organization and the project that it is in. */
export interface Where {
  readonly org: string;
  readonly project: string;
  readonly app: string;
}

export function applicationParams({ org, project, app }: Where, sequence?: string) {
  return { ...inOrganization(org, sequence), path: { projectId: project, appId: app } } as const;
}

interface ApplicationSearch extends ListSearch {
  readonly state?: string | undefined;
  readonly type?: string | undefined;
}

/** What applications can be put in order by. */
export const APPLICATION_ORDERS = {
  name: 'APP_FIELD_NAME_NAME',
  created: 'APP_FIELD_NAME_CREATION_DATE',
} as const satisfies Orders;
type ApplicationOrder = (typeof APPLICATION_ORDERS)[keyof typeof APPLICATION_ORDERS];

/** Kinds that a list is filtered by, as the API calls them. */
export const APPLICATION_TYPES = {
  APP_TYPE_WEB: 'web',
  APP_TYPE_USER_AGENT: 'spa',
  APP_TYPE_NATIVE: 'native',
  APP_TYPE_API: 'api',
} as const satisfies Readonly<Record<string, Kind>>;

export async function findApplications(org: string, project: string, search: ApplicationSearch) {
  const params = { ...inOrganization(org), path: { projectId: project } };
  const state = chosen(search.state, APPLICATION_STATES);
  const type = chosen(search.type, APPLICATION_TYPES);
  const queries = [
    ...named(search.search),
    ...(state === undefined ? [] : [{ stateQuery: { state } }]),
    ...(type === undefined ? [] : [{ typeQuery: { type } }]),
  ];
  const body = { query: pageOf(search), queries, ...orderOf<ApplicationOrder>(search) };
  return await answered(api.POST('/management/v1/projects/{projectId}/apps/_search', { params, body }));
}

export async function findApplication(where: Where): Promise<Application> {
  const params = applicationParams(where);
  return (await answered(api.GET('/management/v1/projects/{projectId}/apps/{appId}', { params }))).app;
}

const KINDS: Readonly<Record<string, OidcKind>> = {
  OIDC_APP_TYPE_USER_AGENT: 'spa',
  OIDC_APP_TYPE_WEB: 'web',
  OIDC_APP_TYPE_NATIVE: 'native',
};

export function kindOf({ oidcConfig }: Application): Kind {
  return oidcConfig === undefined ? 'api' : (KINDS[oidcConfig.appType] ?? 'web');
}

export function clientIdOf({ oidcConfig, apiConfig }: Application): string {
  return oidcConfig?.clientId ?? apiConfig?.clientId ?? '';
}

/** Whether it has a secret to send. */
export function hasSecret({ oidcConfig, apiConfig }: Application): boolean {
  const method = oidcConfig?.authMethodType ?? apiConfig?.authMethodType ?? '';
  return /_(BASIC|POST)$/.test(method);
}

/** Whether the keys that it proves itself by are kept here; where it publishes them at an address, none are. */
export function hasKeys({ oidcConfig, apiConfig }: Application): boolean {
  const { authMethodType = '', jwksUri = '' } = oidcConfig ?? apiConfig ?? {};
  return /_(PRIVATE_KEY_JWT|SELF_SIGNED_TLS_CLIENT_AUTH)$/.test(authMethodType) && jwksUri === '';
}

/** Its configuration as the API takes it, which replaces the whole. `managementAccess` stays as it is where it is left out. */
export function bodyOf(config: OidcConfig): OidcBody {
  const {
    clientId: _clientId,
    allowedOrigins: _allowedOrigins,
    noneCompliant: _noneCompliant,
    complianceProblems: _complianceProblems,
    overruledSettings: _overruledSettings,
    registration: _registration,
    registrationExpirationDate: _registrationExpirationDate,
    allowedScopes: _allowedScopes,
    managementAccess: _managementAccess,
    ...same
  } = config;
  return same as OidcBody;
}

/** Of one that registered itself: that it did, and when it goes if nobody signs in with it before; undefined for others. */
export function registrationOf({ oidcConfig }: Application): string | undefined {
  const { registration, registrationExpirationDate: at } = oidcConfig ?? {};
  if (registration === undefined) return undefined;
  const mark = t.registered[registration === 'document' ? 'document' : 'itself'];
  return at === undefined ? mark : `${mark}, ${say(t.registered.goes, { day: dayOf(at) })}`;
}

export const APPLICATION_STATES: Readonly<
  Record<Application['state'], { readonly label: string; readonly tone: Tone }>
> = {
  APP_STATE_ACTIVE: { label: t.states.active, tone: 'good' },
  APP_STATE_INACTIVE: { label: t.states.inactive, tone: 'quiet' },
};
