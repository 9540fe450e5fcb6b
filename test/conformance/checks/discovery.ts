import type { Answer } from '../support/https-client.js';
import { isText, isTextList, parseObject, type Json } from './json.js';

type Kind = 'url' | 'text' | 'list' | 'flag' | 'object';

const names = (text: string) => text.trim().split(/\s+/);

/**
 * Names of the IANA registry "OAuth Authorization Server Metadata" and of the OpenID Connect documents that add to
 * it, with the type that each has. What is in none of them is a vendor's own and a WARN.
 */
const REGISTERED: Readonly<Record<Kind, readonly string[]>> = {
  url: names(`issuer authorization_endpoint token_endpoint jwks_uri registration_endpoint service_documentation
    op_policy_uri op_tos_uri revocation_endpoint introspection_endpoint userinfo_endpoint end_session_endpoint
    check_session_iframe pushed_authorization_request_endpoint backchannel_authentication_endpoint
    device_authorization_endpoint signed_jwks_uri organization_uri logo_uri federation_registration_endpoint`),
  text: names('signed_metadata organization_name'),
  list: names(`scopes_supported response_types_supported response_modes_supported grant_types_supported
    token_endpoint_auth_methods_supported token_endpoint_auth_signing_alg_values_supported ui_locales_supported
    revocation_endpoint_auth_methods_supported revocation_endpoint_auth_signing_alg_values_supported
    introspection_endpoint_auth_methods_supported introspection_endpoint_auth_signing_alg_values_supported
    code_challenge_methods_supported acr_values_supported subject_types_supported
    id_token_signing_alg_values_supported id_token_encryption_alg_values_supported
    id_token_encryption_enc_values_supported userinfo_signing_alg_values_supported
    userinfo_encryption_alg_values_supported userinfo_encryption_enc_values_supported
    request_object_signing_alg_values_supported request_object_encryption_alg_values_supported
    request_object_encryption_enc_values_supported display_values_supported claim_types_supported claims_supported
    claims_locales_supported dpop_signing_alg_values_supported authorization_details_types_supported
    backchannel_token_delivery_modes_supported backchannel_authentication_request_signing_alg_values_supported
    authorization_signing_alg_values_supported authorization_encryption_alg_values_supported
    authorization_encryption_enc_values_supported introspection_signing_alg_values_supported
    introspection_encryption_alg_values_supported introspection_encryption_enc_values_supported
    prompt_values_supported client_registration_types_supported contacts protected_resources`),
  flag: names(`claims_parameter_supported request_parameter_supported request_uri_parameter_supported
    require_request_uri_registration frontchannel_logout_supported frontchannel_logout_session_supported
    backchannel_logout_supported backchannel_logout_session_supported require_pushed_authorization_requests
    backchannel_user_code_parameter_supported tls_client_certificate_bound_access_tokens
    authorization_response_iss_parameter_supported require_signed_request_object
    client_id_metadata_document_supported`),
  object: names('mtls_endpoint_aliases jwks'),
};

const KIND_OF = new Map(
  (Object.keys(REGISTERED) as Kind[]).flatMap((kind) =>
    REGISTERED[kind].map((name) => [name, kind] as const),
  ),
);
const OIDC_RESPONSE_TYPES = new Set(
  ['code', 'id_token', 'id_token token', 'code id_token', 'code token', 'code id_token token'].map(sortWords),
);

function sortWords(text: string): string {
  return text.split(' ').toSorted().join(' ');
}

/** What every browser module asks of the document before it begins. */
export function usableDocumentFaults(document: Json | undefined, authMethod: string): string[] {
  if (document === undefined) return ['discovery: no JSON object'];
  const faults = ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint']
    .filter((name) => !URL.canParse(String(document[name])))
    .map((name) => `discovery: ${name} is no URL`);
  const methods = document['token_endpoint_auth_methods_supported'];
  const defaulted = methods === undefined && authMethod === 'client_secret_basic';
  if (!defaulted && !(isTextList(methods) && methods.includes(authMethod))) {
    faults.push(`discovery: ${authMethod} is not in token_endpoint_auth_methods_supported`);
  }
  return faults;
}

/** The module of the Config plan, but for the keys. @param url where the document was read */
export function discoveryFaults(url: string, answer: Answer): string[] {
  const document = parseObject(answer.body);
  const faults: string[] = [];
  if (answer.status !== 200) faults.push(`status is ${answer.status}`);
  if (!/^application\/json\s*(;|$)/i.test(String(answer.headers['content-type'])))
    faults.push('is not sent as JSON');
  if (document === undefined) return [...faults, 'is no JSON object'];
  return [
    ...faults,
    ...addressFaults(url, document),
    ...typeFaults(document),
    ...endpointFaults(document),
    ...offerFaults(document),
    ...scopeFaults(document),
    ...localeFaults(document),
  ];
}

function addressFaults(url: string, document: Json): string[] {
  const PATH = '/.well-known/openid-configuration';
  const issuer = String(document['issuer']);
  const faults: string[] = [];
  if (!isHttps(url) || !new URL(url).pathname.endsWith(PATH))
    faults.push('discoveryUrl is not https or ends wrongly');
  if (`${issuer.replace(/\/$/, '')}${PATH}` !== url)
    faults.push(`issuer ${issuer} does not lead to the document`);
  const parsed = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const clean =
    parsed?.protocol === 'https:' && parsed.hostname !== '' && parsed.username === '' && !/[?#]/.test(issuer);
  if (!clean) faults.push('issuer is not an https URL without query, fragment and user');
  return faults;
}

function typeFaults(document: Json): string[] {
  return Object.entries(document).flatMap(([name, value]) => {
    const kind = KIND_OF.get(name);
    if (kind === undefined) return [`${name} is in no registry`];
    return isOfKind(kind, value) ? [] : [`${name} has the wrong type`];
  });
}

function isOfKind(kind: Kind, value: unknown): boolean {
  switch (kind) {
    case 'url':
      return isText(value) && URL.canParse(value);
    case 'text':
      return typeof value === 'string';
    case 'list':
      return isTextList(value);
    case 'flag':
      return typeof value === 'boolean';
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
  }
}

function isHttps(value: unknown): boolean {
  return isText(value) && URL.canParse(value) && new URL(value).protocol === 'https:';
}

/** Every address that the document gives must be https, those of other standards too. */
export function endpointFaults(document: Json): string[] {
  const demanded = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'];
  const given = Object.keys(document).filter((name) => name.endsWith('_endpoint'));
  return [...new Set([...demanded, ...given])]
    .filter((name) => !isHttps(document[name]))
    .map((name) => `${name} is missing or not https`);
}

function offerFaults(document: Json): string[] {
  const list = (name: string): readonly string[] => {
    const value = document[name];
    return isTextList(value) ? value : [];
  };
  const faults: string[] = [];
  const types = list('response_types_supported').map(sortWords);
  if (!types.some((type) => OIDC_RESPONSE_TYPES.has(type))) {
    faults.push('response_types_supported has none of OpenID Connect');
  }
  if (!list('subject_types_supported').some((type) => ['public', 'pairwise'].includes(type))) {
    faults.push('subject_types_supported has neither public nor pairwise');
  }
  if (!list('id_token_signing_alg_values_supported').includes('RS256')) {
    faults.push('id_token_signing_alg_values_supported lacks RS256');
  }
  if ('grant_types_supported' in document && list('grant_types_supported').length === 0) {
    faults.push('grant_types_supported is empty');
  }
  const challenges = list('code_challenge_methods_supported');
  if (
    'code_challenge_methods_supported' in document &&
    !challenges.some((one) => ['S256', 'plain'].includes(one))
  ) {
    faults.push('code_challenge_methods_supported has neither S256 nor plain');
  }
  const objects = 'request_object_signing_alg_values_supported';
  if (objects in document && !list(objects).includes('RS256')) faults.push(`${objects} lacks RS256`);
  if (list('claims_supported').length === 0) faults.push('claims_supported is missing');
  return faults;
}

function scopeFaults(document: Json): string[] {
  const scopes = document['scopes_supported'];
  if (!isTextList(scopes)) return ['scopes_supported is missing'];
  const faults = scopes
    .filter((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
    .map((scope) => `scopes_supported has ${scope}`);
  return scopes.includes('openid') ? faults : [...faults, 'scopes_supported lacks openid'];
}

function localeFaults(document: Json): string[] {
  const registered = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  return ['ui_locales_supported', 'claims_locales_supported'].flatMap((name) => {
    const tags = document[name];
    return isTextList(tags) ? tags.filter((tag) => !isCanonical(tag)).map((tag) => `${name} has ${tag}`) : [];
  });

  function isCanonical(tag: string): boolean {
    try {
      return Intl.getCanonicalLocales(tag)[0] === tag && registered.of(tag) !== undefined;
    } catch {
      return false;
    }
  }
}
