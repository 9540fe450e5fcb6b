import de from '../../../locales/console/de/identity-providers.json';
import en from '../../../locales/console/en/identity-providers.json';
import { answered, api, ifMatch, inOrganization, type Answered, type Sent } from '../api/client.ts';
import { words } from '../app/words.ts';
import {
  directoryBody,
  directoryValues,
  expiryIn,
  type DirectoryValues,
} from '../directories/directories.ts';
import type { OptionalNumber } from '../shared/fields.tsx';
import { parsed } from '../shared/parsed.ts';
import type { Tone } from '../shared/state.tsx';

const t = words({ en, de });

export type IdentityProvider = Answered<'/management/v1/idps/{id}', 'get'>['idp'];
type IdentityProviderBody = Sent<'/management/v1/idps/{id}', 'put'>;
export type Kind = IdentityProvider['kind'];

export const KINDS: Readonly<Record<Kind, string>> = t.kinds;
export const STATES: Readonly<
  Record<IdentityProvider['state'], { readonly label: string; readonly tone: Tone }>
> = {
  STATE_ACTIVE: { label: t.states.active, tone: 'good' },
  STATE_INACTIVE: { label: t.states.inactive, tone: 'quiet' },
};

interface ProvidersList {
  readonly providers: readonly IdentityProvider[];
  /** None of the owners has a password or a passkey. */
  readonly ownersRely: boolean;
}

/** The providers of an organization, or of the instance: the same calls at two addresses. */
export interface ProvidersScope {
  readonly key: readonly string[];
  /** Where their pages are. */
  readonly path: string;
  readonly permission: 'org.idp.write' | 'iam.idp.write';
  readonly ofOrganization: boolean;
  list(): Promise<ProvidersList>;
  read(id: string): Promise<IdentityProvider>;
  add(body: IdentityProviderBody): Promise<{ readonly id: string }>;
  replace(id: string, body: IdentityProviderBody, sequence: string | undefined): Promise<unknown>;
  setState(id: string, act: '_activate' | '_deactivate'): Promise<unknown>;
  /** Reads the metadata of one that speaks SAML again. */
  refresh(id: string): Promise<unknown>;
  remove(id: string): Promise<unknown>;
}

/** The page of a provider, or of a new one. */
export function pathIn({ path }: ProvidersScope, id: string): string {
  return `${path}/${id}`;
}

function listOf({
  result = [],
  ownersRelyOnProviders,
}: Answered<'/management/v1/idps/_search', 'post'>): ProvidersList {
  return { providers: result, ownersRely: ownersRelyOnProviders };
}

const ALL = { query: { limit: 1000, asc: true } };

export function providersOfOrganization(org: string): ProvidersScope {
  const { header } = inOrganization(org);
  const at = (id: string) => ({ header, path: { id } });
  return {
    key: ['identity-providers', org],
    path: `/orgs/${org}/sign-in/providers`,
    permission: 'org.idp.write',
    ofOrganization: true,
    list: async () =>
      listOf(await answered(api.POST('/management/v1/idps/_search', { params: { header }, body: ALL }))),
    read: async (id) => (await answered(api.GET('/management/v1/idps/{id}', { params: at(id) }))).idp,
    add: async (body) => await answered(api.POST('/management/v1/idps', { params: { header }, body })),
    replace: async (id, body, sequence) =>
      await answered(
        api.PUT('/management/v1/idps/{id}', {
          params: { path: { id }, header: { ...header, ...(sequence !== undefined && ifMatch(sequence)) } },
          body,
        }),
      ),
    setState: async (id, act) =>
      act === '_activate'
        ? await answered(api.POST('/management/v1/idps/{id}/_activate', { params: at(id) }))
        : await answered(api.POST('/management/v1/idps/{id}/_deactivate', { params: at(id) })),
    refresh: async (id) => await answered(api.POST('/management/v1/idps/{id}/_refresh', { params: at(id) })),
    remove: async (id) => await answered(api.DELETE('/management/v1/idps/{id}', { params: at(id) })),
  };
}

export const providersOfInstance: ProvidersScope = {
  key: ['identity-providers', 'instance'],
  path: '/instance/settings/identity-providers',
  permission: 'iam.idp.write',
  ofOrganization: false,
  list: async () => listOf(await answered(api.POST('/admin/v1/idps/_search', { body: ALL }))),
  read: async (id) => (await answered(api.GET('/admin/v1/idps/{id}', { params: { path: { id } } }))).idp,
  add: async (body) => await answered(api.POST('/admin/v1/idps', { body })),
  replace: async (id, body, sequence) =>
    await answered(
      api.PUT('/admin/v1/idps/{id}', {
        params: { path: { id }, ...(sequence !== undefined && { header: ifMatch(sequence) }) },
        body,
      }),
    ),
  setState: async (id, act) =>
    act === '_activate'
      ? await answered(api.POST('/admin/v1/idps/{id}/_activate', { params: { path: { id } } }))
      : await answered(api.POST('/admin/v1/idps/{id}/_deactivate', { params: { path: { id } } })),
  refresh: async (id) =>
    await answered(api.POST('/admin/v1/idps/{id}/_refresh', { params: { path: { id } } })),
  remove: async (id) => await answered(api.DELETE('/admin/v1/idps/{id}', { params: { path: { id } } })),
};

/** What the form of a new one holds, and of one that there is where the API shows nothing: secrets are never read back. */
const NEW = {
  kind: 'oidc' as Kind,
  name: '',
  clientId: '',
  clientSecret: '',
  scopes: '',
  issuer: '',
  tenant: '',
  teamId: '',
  keyId: '',
  authorizationEndpoint: '',
  tokenEndpoint: '',
  userinfoEndpoint: '',
  emailsEndpoint: '',
  subjectClaim: '',
  clientAuthentication: 'client_secret_basic' as NonNullable<IdentityProvider['clientAuthentication']>,
  metadataUrl: '',
  /** XML that is read once, and then stands in the fields after it. */
  metadata: '',
  entityId: '',
  ssoUrl: '',
  sloUrl: '',
  /** One after the other, in PEM. */
  certificates: '',
  nameIdFormat: 'persistent' as NonNullable<IdentityProvider['nameIdFormat']>,
  signRequests: true,
  wantAssertionsSigned: true,
  wantAssertionsEncrypted: false,
  timeoutMs: '' as OptionalNumber,
  /** JSON, as the API takes them. */
  mapping: '',
  requiredClaims: '',
  allowCreation: false,
  allowLinking: true,
  updateOnSignIn: false,
  homeRealm: false,
  signOutAtProvider: false,
};
export type ProviderValues = DirectoryValues & Readonly<typeof NEW>;

export function valuesOf(provider?: IdentityProvider): ProviderValues {
  if (provider === undefined) return { ...NEW, ...directoryValues() };
  const { scopes = [], certificates = [], timeoutMs, mapping, requiredClaims } = provider;
  const shown = Object.entries(provider).filter(([name]) => Object.hasOwn(NEW, name));
  const written = (value: object, isEmpty: boolean) => (isEmpty ? '' : JSON.stringify(value, null, 2));
  return {
    ...NEW,
    ...(Object.fromEntries(shown) as Partial<ProviderValues>),
    ...directoryValues(provider),
    scopes: scopes.join(' '),
    certificates: certificates.join('\n'),
    timeoutMs: timeoutMs === undefined ? '' : Number(timeoutMs),
    mapping: written(
      mapping,
      Object.values(mapping).every((one) => Object.keys(one as object).length === 0),
    ),
    requiredClaims: written(requiredClaims, Object.keys(requiredClaims).length === 0),
  };
}

/** Fields of one line that one kind has and others have not, in the order of the form. */
const OWN_TEXTS = {
  oidc: ['issuer'],
  oauth2: ['authorizationEndpoint', 'tokenEndpoint', 'userinfoEndpoint', 'emailsEndpoint', 'subjectClaim'],
  google: [],
  microsoft: ['tenant'],
  apple: ['teamId', 'keyId'],
  github: [],
  gitlab: ['issuer'],
  linkedin: [],
  saml: ['subjectAttribute'],
  ldap: [],
} as const satisfies Readonly<Record<Kind, readonly (keyof ProviderValues)[]>>;

export function ownTextsOf(kind: Kind): readonly (typeof OWN_TEXTS)[Kind][number][] {
  return OWN_TEXTS[kind];
}

/** Whether it knows us by a client id, as all do that speak OAuth. */
export function hasClient(kind: Kind): boolean {
  return kind !== 'saml' && kind !== 'ldap';
}

/** Whether it may have an address where people sign out. */
export function signsOut(kind: Kind): boolean {
  return kind === 'oidc' || kind === 'microsoft' || kind === 'saml';
}

export function choosesAuthentication(kind: Kind): boolean {
  return kind === 'oidc' || kind === 'oauth2';
}

/**
 * Fields that were left empty are left out. Text that is no JSON is sent as it is, and refused with the field's name.
 * @param stored what the form was made from; undefined for a new one
 */
export function bodyOf(values: ProviderValues, stored?: IdentityProvider): IdentityProviderBody {
  const { kind, clientSecret, scopes, timeoutMs, allowCreation, allowLinking, updateOnSignIn, homeRealm } =
    values;
  const switches = { allowCreation, allowLinking, updateOnSignIn, homeRealm };
  const common = {
    kind,
    name: values.name.trim(),
    ...(values.mapping.trim() !== '' && { mapping: parsed(values.mapping) }),
    ...(values.requiredClaims.trim() !== '' && { requiredClaims: parsed(values.requiredClaims) }),
    ...switches,
  };
  if (kind === 'ldap') {
    const directory = directoryBody(values, stored);
    const time = timeoutMs === '' ? {} : { timeoutMs };
    return { ...common, ...directory, ...time } as IdentityProviderBody;
  }
  const own = ownTextsOf(kind).flatMap((field) => {
    const text = values[field].trim();
    return text === '' ? [] : [[field, text] as const];
  });
  const body = {
    ...common,
    ...(hasClient(kind) && {
      clientId: values.clientId.trim(),
      ...(clientSecret !== '' && { clientSecret }),
      ...expiryIn(values, stored),
      ...(scopes.trim() !== '' && { scopes: scopes.trim().split(/\s+/) }),
    }),
    ...(kind === 'saml' && samlOf(values, valuesOf(stored))),
    ...Object.fromEntries(own),
    ...(choosesAuthentication(kind) && { clientAuthentication: values.clientAuthentication }),
    ...(signsOut(kind) && { signOutAtProvider: values.signOutAtProvider }),
  };
  return body as IdentityProviderBody;
}

const OF_METADATA = ['entityId', 'ssoUrl', 'sloUrl', 'certificates'] as const;

/**
 * Metadata that is pasted says it all: what was read from earlier metadata would stand beside it. So does metadata at another
 * address, but for what was typed along with that: with the rest sent along, the service would read nothing there.
 */
function samlOf(values: ProviderValues, stored: ProviderValues) {
  const { nameIdFormat, signRequests, wantAssertionsSigned, wantAssertionsEncrypted, trustEmail } = values;
  const text = (value: string) => (value.trim() === '' ? undefined : value.trim());
  const metadata = text(values.metadata);
  const metadataUrl = text(values.metadataUrl);
  const isElsewhere =
    stored.metadataUrl !== '' && metadataUrl !== undefined && metadataUrl !== stored.metadataUrl;
  const [entityId, ssoUrl, sloUrl, pem] = OF_METADATA.map((field) =>
    isElsewhere && values[field] === stored[field] ? undefined : text(values[field]),
  );
  const certificates = pem?.match(/-----BEGIN[^-]*-----[^-]*-----END[^-]*-----/g);
  return {
    metadataUrl,
    ...(metadata === undefined
      ? { entityId, ssoUrl, sloUrl, certificates: certificates ?? (pem === undefined ? [] : [pem]) }
      : { metadata }),
    nameIdFormat,
    signRequests,
    wantAssertionsSigned,
    wantAssertionsEncrypted,
    trustEmail,
  };
}
