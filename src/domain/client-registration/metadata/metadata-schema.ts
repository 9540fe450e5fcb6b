import { z } from 'zod';
import { calledUriProblem } from '../../applications/called-uri.js';
import {
  HYBRID_RESPONSE_TYPES,
  MOST_REQUEST_URIS,
  needsSecret,
  RESPONSE_TYPES,
  SUBJECT_TYPES,
  type ClientAuthMethod,
  type OidcConfig,
  type ResponseType,
} from '../../applications/oidc-config.js';
import { URI_MAX_LENGTH, URI_PLAIN } from '../../applications/redirect-uri.js';
import { OAuthError } from '../../shared/errors.js';
import { nameFault } from '../../shared/hidden-characters.js';
import type { ClientRegistrationSettings } from '../client-registration-settings.js';
import { printable, unfit } from './metadata-fault.js';

/**
 * The metadata of RFC 7591 §2 and OpenID Connect Dynamic Client Registration §2 that is understood; the rest is ignored, as
 * RFC 7591 §2 asks.
 */

const MOST_URIS = 20;
const MOST_KEYS = 10;
const MOST_CONTACTS = 10;

const line = (most: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(most, `must have at most ${most} characters`)
    .superRefine((text, context) => {
      const message = nameFault(text);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    });

/** A page of the client's, that people are shown the way to. */
const webAddress = z.string().refine(isWebAddress, {
  message: `must be an https address of at most ${URI_MAX_LENGTH} characters`,
});

/** What is fetched from here (ClientLogos). */
const picture = z
  .string()
  .refine((text) => isWebAddress(text) || (!IN_NO_URI.test(text) && isOnLoopback(text)), {
    message: `must be an https address of at most ${URI_MAX_LENGTH} characters`,
  });

/** Of a developer's machine, as an address of keys may be. */
function isOnLoopback(text: string): boolean {
  return text.startsWith('http://') && calledUriProblem(text, false) === undefined;
}

/** Characters that no URI has (RFC 3986 §2), and that would end an attribute or begin a tag. */
const IN_NO_URI = /["<>\\^`{|}]/;

function isWebAddress(text: string): boolean {
  if (IN_NO_URI.test(text)) return false;
  if (text.length > URI_MAX_LENGTH || !URI_PLAIN.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return protocol === 'https:' && username === '' && password === '';
}

const OTHER_AUTH_METHODS = ['client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt'] as const;

const uris = (most: number) => z.array(z.string()).max(most, `must have at most ${most} entries`);

const inOrder = (responseType: string): string => responseType.split(' ').toSorted().join(' ');

/** The order of the words in one has no meaning (RFC 6749 §3.1.1); it is kept as discovery has it. */
function responseTypes(served: readonly ResponseType[]) {
  const asServed = (given: unknown): unknown =>
    (typeof given === 'string' && served.find((type) => inOrder(type) === inOrder(given))) || given;
  return z
    .array(z.preprocess(asServed, z.enum(served)))
    .max(10)
    .default(['code']);
}

export const informational = {
  client_uri: webAddress.optional(),
  logo_uri: picture.optional(),
  tos_uri: webAddress.optional(),
  policy_uri: webAddress.optional(),
  contacts: z.array(line(320)).max(MOST_CONTACTS, `must have at most ${MOST_CONTACTS} entries`).optional(),
  software_id: line(200).optional(),
  software_version: line(200).optional(),
};

const metadataSchema = z.object({
  ...informational,
  client_name: line(200).optional(),
  redirect_uris: uris(MOST_URIS).optional(),
  post_logout_redirect_uris: uris(MOST_URIS).optional(),
  grant_types: z.array(z.string()).min(1, 'must not be empty').max(10).default(['authorization_code']),
  response_types: responseTypes(RESPONSE_TYPES),
  application_type: z.enum(['web', 'native']).optional(),
  scope: z.string().optional(),
  jwks: z.object({ keys: z.array(z.record(z.string(), z.unknown())).min(1).max(MOST_KEYS) }).optional(),
  jwks_uri: z.string().optional(),
  sector_identifier_uri: z.string().optional(),
  id_token_signed_response_alg: z.string().optional(),
  userinfo_signed_response_alg: z.string().optional(),
  authorization_signed_response_alg: z.string().optional(),
  backchannel_logout_uri: z.string().optional(),
  initiate_login_uri: z.string().optional(),
  request_uris: uris(MOST_REQUEST_URIS).optional(),
  frontchannel_logout_uri: z.string().optional(),
  frontchannel_logout_session_required: z.boolean().default(false),
});
export const BY_REFERENCE = ['request_uris'];
export const FRONT_CHANNEL = ['frontchannel_logout_uri', 'frontchannel_logout_session_required'];
/**
 * What makes a client safer than one that says nothing. A client made before these members were known leaves them out when it replaces
 * what it registered: that asks for nothing weaker, so they stay, and only a value that is named is another one.
 */
const strictMetadata = (kept: OidcConfig, methods: readonly ClientAuthMethod[]) => ({
  token_endpoint_auth_method: z.enum(methods).default(defaultMethod(kept)),
  subject_type: z.enum(SUBJECT_TYPES).default(kept.subjectType),
  require_pushed_authorization_requests: z.boolean().default(kept.requirePushedAuthorizationRequests),
  require_signed_request_object: z.boolean().default(kept.requireSignedRequestObject),
  dpop_bound_access_tokens: z.boolean().default(kept.dpopBoundAccessTokens),
});

/** RFC 8705 §2.1.2, §3.4. */
const certificateMetadata = (kept: OidcConfig) => ({
  tls_client_certificate_bound_access_tokens: z.boolean().default(kept.tlsClientCertificateBoundAccessTokens),
  tls_client_auth_subject_dn: z.string().optional(),
  tls_client_auth_san_dns: z.string().optional(),
  tls_client_auth_san_uri: z.string().optional(),
  tls_client_auth_san_ip: z.string().optional(),
  tls_client_auth_san_email: z.string().optional(),
});
type CertificateMetadata = z.output<z.ZodObject<ReturnType<typeof certificateMetadata>>>;

/** What the client has, where that is no shared secret; a client that signs and says nothing is not given one in its place. */
function defaultMethod({ authMethod }: OidcConfig): ClientAuthMethod {
  return authMethod === 'none' || needsSecret(authMethod) ? 'client_secret_basic' : authMethod;
}

const servedSchema = (
  kept: OidcConfig,
  methods: readonly ClientAuthMethod[],
  types: readonly ResponseType[],
) =>
  metadataSchema.extend({
    ...strictMetadata(kept, methods),
    response_types: responseTypes(types),
  });
export type Metadata = z.output<ReturnType<typeof servedSchema>> & Partial<CertificateMetadata>;

export function schemaOf({ servesHybrid, servesCertificates: certificates }: Served, kept: OidcConfig) {
  const types = servesHybrid ? [...RESPONSE_TYPES, ...HYBRID_RESPONSE_TYPES] : RESPONSE_TYPES;
  const schema = servedSchema(kept, [...OTHER_AUTH_METHODS, ...(certificates ?? [])], types);
  // who says something that is not served is not listened to, as of everything else that is not known
  return certificates === undefined ? schema : schema.extend(certificateMetadata(kept));
}

/** What the instance has decided to serve. */
export type Served = Pick<
  ClientRegistrationSettings,
  'servesHybrid' | 'servesPairwise' | 'servesFrontChannelLogout' | 'servesRequestObjects'
> &
  Partial<Pick<ClientRegistrationSettings, 'servesCertificates'>>;

/** The first thing that is wrong, by the member that it is in. */
export function faultOf({ issues: [issue] }: z.ZodError): OAuthError {
  const path = (issue?.path ?? []).map((step, index) =>
    typeof step === 'number' ? `[${step}]` : index === 0 ? String(step) : '',
  );
  const description = printable(`${path.join('')} ${issue?.message ?? 'is invalid'}`);
  return issue?.path[0] === 'redirect_uris'
    ? new OAuthError('invalid_redirect_uri', description)
    : unfit(description);
}
