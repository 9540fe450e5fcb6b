import type { IdentityProviderPlan } from '../../../domain/identity-providers/identity-provider.js';
import type { LdapSettings } from '../../../domain/identity-providers/ldap/ldap-kind.js';
import { GITLAB_COM, USUAL_SCOPES } from '../../../domain/identity-providers/oauth/presets.js';
import type { GivenProvider } from '../../../domain/identity-providers/prepare-provider.js';
import type { SamlSettings } from '../../../domain/identity-providers/saml/saml-kind.js';
import { ApiError } from '../../../domain/shared/errors.js';
import { directorySettings, required, secretExpiry } from './directory.schemas.js';
import { OF_A_KIND, type ProviderFields } from './identity-provider-fields.js';

const OF_SOME_KINDS: ReadonlySet<string> = new Set(Object.values(OF_A_KIND).flat());
const USUAL_TIMEOUT_MS = 5_000;

/**
 * What a provider is to be, from the fields of its kind.
 *
 * @throws ApiError invalid-argument
 */
export function planOf(body: ProviderFields): GivenProvider {
  const own: readonly string[] = OF_A_KIND[body.kind];
  for (const [field, value] of Object.entries(body)) {
    if (value !== undefined && OF_SOME_KINDS.has(field) && !own.includes(field)) {
      refuse(`${field} is not a field of ${body.kind}`);
    }
  }
  const { name, mapping, allowCreation, allowLinking, updateOnSignIn, homeRealm } = body;
  const common = { name, mapping, allowCreation, allowLinking, updateOnSignIn, homeRealm };
  const { kind, requiredClaims, clientAuthentication = 'client_secret_basic' } = body;
  if (kind === 'saml') {
    const plan = { ...common, kind, settings: samlSettings(body) };
    return { plan, secret: undefined, metadata: body.metadata };
  }
  if (kind === 'ldap') {
    return { plan: { ...common, kind, settings: ldapSettings(body) }, secret: body.bindPassword };
  }
  const scopes = body.scopes ?? USUAL_SCOPES[kind];
  const client = {
    clientId: required('clientId', body.clientId),
    scopes,
    requiredClaims,
    ...secretExpiry(body),
  };
  const signsOut = body.signOutAtProvider === true ? { signOutAtProvider: true as const } : {};
  const plan = ((): IdentityProviderPlan => {
    switch (kind) {
      case 'oidc': {
        const issuer = required('issuer', body.issuer);
        return {
          ...common,
          kind: 'oidc',
          settings: { ...client, issuer, clientAuthentication, ...signsOut },
        };
      }
      case 'oauth2': {
        const { emailsEndpoint } = body;
        const settings = {
          ...client,
          authorizationEndpoint: required('authorizationEndpoint', body.authorizationEndpoint),
          tokenEndpoint: required('tokenEndpoint', body.tokenEndpoint),
          userinfoEndpoint: required('userinfoEndpoint', body.userinfoEndpoint),
          subjectClaim: required('subjectClaim', body.subjectClaim),
          ...(emailsEndpoint !== undefined && { emailsEndpoint }),
          clientAuthentication,
        };
        return { ...common, kind: 'oauth2', settings };
      }
      case 'microsoft': {
        const tenant = required('tenant', body.tenant);
        return { ...common, kind: 'microsoft', settings: { ...client, tenant, ...signsOut } };
      }
      case 'apple': {
        const [teamId, keyId] = [required('teamId', body.teamId), required('keyId', body.keyId)];
        return { ...common, kind: 'apple', settings: { ...client, teamId, keyId } };
      }
      case 'gitlab':
        return { ...common, kind: 'gitlab', settings: { ...client, issuer: body.issuer ?? GITLAB_COM } };
      case 'google':
      case 'github':
      case 'linkedin':
        return { ...common, kind, settings: client };
    }
  })();
  if (!['oauth2', 'github'].includes(kind) && !scopes.includes('openid')) {
    refuse('scopes must have openid');
  }
  return { plan, secret: body.clientSecret };
}

function samlSettings(body: ProviderFields): SamlSettings {
  const {
    entityId,
    ssoUrl,
    sloUrl,
    certificates = [],
    metadataUrl,
    nameIdFormat = 'persistent',
    subjectAttribute,
  } = body;
  if (nameIdFormat === 'transient' && subjectAttribute === undefined) {
    refuse('nameIdFormat transient needs a subjectAttribute: such names are of one sign-in');
  }
  return {
    entityId,
    ssoUrl,
    sloUrl,
    certificates,
    metadataUrl,
    nameIdFormat,
    subjectAttribute,
    signRequests: body.signRequests ?? true,
    ...(body.signOutAtProvider === true && { signOutAtProvider: true as const }),
    wantAssertionsSigned: body.wantAssertionsSigned ?? true,
    wantAssertionsEncrypted: body.wantAssertionsEncrypted ?? false,
    trustEmail: body.trustEmail ?? false,
    requiredClaims: body.requiredClaims,
  };
}

function ldapSettings(body: ProviderFields): LdapSettings {
  const { timeoutMs = USUAL_TIMEOUT_MS, requiredClaims } = body;
  return { ...directorySettings(body), timeoutMs, requiredClaims };
}

function refuse(sentence: string): never {
  throw new ApiError('invalid-argument', sentence);
}
