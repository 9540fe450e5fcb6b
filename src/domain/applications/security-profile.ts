import type { SignedBy } from '../signing-keys/key-ring.js';
import { servedAlgorithms, type KeySettings } from '../signing-keys/key-settings.js';
import type { SigningAlgorithm } from '../signing-keys/signing-key.js';
import { calledUriProblem } from './called-uri.js';
import {
  TLS_AUTH_METHODS,
  type ClientAuthMethod,
  type OidcConfig,
  type SecurityProfile,
} from './oidc-config.js';

/**
 * The FAPI 2.0 Security Profile (final, §5.3.2) as one switch of an application, and with it or not FAPI 2.0 Message Signing (final,
 * §5.3 to §5.5), which has it as its base. What it demands of a setting that could be
 * otherwise is in `DEMANDS`: the stored value stays and does not count while the profile is on. What no setting decides
 * (PKCE, algorithms and audience of client assertions, the life of codes, rotation) is held where it happens, by `isFapi`.
 */
export interface Profiled {
  /** Left out where there is no application, or none that is held to anything. */
  readonly securityProfile?: SecurityProfile;
}

export function isFapi({ securityProfile }: Profiled): boolean {
  return securityProfile !== undefined && securityProfile !== 'none';
}

/** Requests, authorization responses and introspection responses are signed, so that each can be shown later. */
export function signsMessages({ securityProfile }: Profiled): boolean {
  return securityProfile === 'fapi2_message_signing';
}

/** Whether a code is worth nothing without PKCE: §5.3.2.2, and of a client that shows no secret (RFC 9700 §2.1.1). */
export function needsPkce(client: Profiled & Pick<OidcConfig, 'authMethod'>): boolean {
  return client.authMethod === 'none' || isFapi(client);
}

/** §5.3.2.1: no shared secret, and no client without one. */
export const FAPI_AUTH_METHODS: readonly ClientAuthMethod[] = ['private_key_jwt', ...TLS_AUTH_METHODS];
/** §5.4.1. `Ed25519` is what RFC 9864 calls EdDSA with that curve. */
export const FAPI_ALGORITHMS: readonly string[] = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];
/** §5.3.2.1. */
export const MOST_FAPI_CODE_SECONDS = 60;

type Change = (settings: Partial<OidcConfig>) => Partial<OidcConfig>;

function demand<Field extends keyof OidcConfig>(
  field: Field,
  held: (value: OidcConfig[Field], settings: Partial<OidcConfig>) => OidcConfig[Field],
): Change {
  return (settings) => {
    if (!(field in settings)) return {};
    const given = settings[field] as OidcConfig[Field];
    const wanted = held(given, settings);
    const isSame = Array.isArray(given)
      ? given.length === (wanted as readonly string[]).length
      : given === wanted;
    return isSame ? {} : { [field]: wanted };
  };
}

const DEMANDS: readonly Change[] = [
  // §5.3.2.2: the code flow alone, and of other grants none that begins without a pushed request
  demand('responseTypes', (types) => types.filter((type) => type === 'code')),
  demand('grantTypes', (types) =>
    types.filter((type) => type === 'authorization_code' || type === 'refresh_token'),
  ),
  demand('requirePushedAuthorizationRequests', () => true),
  // §5.3.2.1: bound to a key, where they are not bound to a certificate
  demand(
    'dpopBoundAccessTokens',
    (bound, { tlsClientCertificateBoundAccessTokens: byCertificate }) => bound || byCertificate !== true,
  ),
  // §5.3.2.1
  demand('assertionIssuerOnly', () => true),
  // §5.3.2.2: without loopback addresses no port may differ either
  demand('redirectUris', (uris) => uris.filter(isHttps)),
  demand('devMode', () => false),
  // §5.4.1: `signedBy` says what signs instead
  demand('idTokenAlgorithm', (algorithm) => (algorithm === 'RS256' ? null : algorithm)),
  demand('authorizationAlgorithm', (algorithm) => (algorithm === 'RS256' ? null : algorithm)),
  demand('userinfoAlgorithm', (algorithm) => (algorithm === 'RS256' ? null : algorithm)),
];
/** Message Signing §5.3.1. That responses are signed no setting decides. */
const MESSAGE_DEMANDS: readonly Change[] = [demand('requireSignedRequestObject', () => true)];

/** Addresses that this service calls, which development mode would have in clear (§5.2.1). */
const CALLED = ['jwksUri', 'backChannelLogoutUri'] as const;

function isCalledInClear(uri: string | null): boolean {
  return uri !== null && calledUriProblem(uri, false) !== undefined;
}

/** Whether an application's keys are those that stand at the address: whoever is on the way could have put others there. */
export function mayPublishAt(jwksUri: string, client: Profiled): boolean {
  return !isFapi(client) || !isCalledInClear(jwksUri);
}

function isHttps(uri: string): boolean {
  return uri.startsWith('https://');
}

/** The settings that the profile has otherwise than they are stored, with what counts in their place. */
export function overruled(settings: Profiled & Partial<OidcConfig>): Partial<OidcConfig> {
  if (!isFapi(settings)) return {};
  const demands = signsMessages(settings) ? [...DEMANDS, ...MESSAGE_DEMANDS] : DEMANDS;
  return Object.assign({}, ...demands.map((change) => change(settings))) as Partial<OidcConfig>;
}

/** The same object, with what the profile demands in place of what is stored. */
export function underProfile<Settings extends Profiled & Partial<OidcConfig>>(settings: Settings): Settings {
  return isFapi(settings) ? Object.assign(settings, overruled(settings)) : settings;
}

/** By what algorithm a JWT for the application is signed, of whatever kind: §5.4.1 has none by RS256. */
export function signedBy(client: Profiled, asked?: SigningAlgorithm | null): SignedBy {
  if (isFapi(client)) return { within: FAPI_ALGORITHMS };
  return asked == null ? {} : { asked };
}

/** The algorithm that signs, as shown, if the application has asked for none. */
export function ownAlgorithm(client: Profiled, settings: Pick<KeySettings, 'algorithm'>): SigningAlgorithm {
  if (!isFapi(client)) return settings.algorithm;
  return (
    servedAlgorithms(settings).find((algorithm) => FAPI_ALGORITHMS.includes(algorithm)) ?? settings.algorithm
  );
}

/** What no value of ours could stand in for, after the name of the field; undefined where the profile can be kept. */
export function profileProblem(config: OidcConfig):
  | {
      readonly field: 'authMethod' | 'jwksUri' | 'backChannelLogoutUri' | `redirectUris[${number}]`;
      readonly problem: string;
    }
  | undefined {
  if (!isFapi(config)) return undefined;
  if (!FAPI_AUTH_METHODS.includes(config.authMethod)) {
    return {
      field: 'authMethod',
      problem: `must be ${FAPI_AUTH_METHODS.join(' or ')} with the security profile FAPI 2.0`,
    };
  }
  // its requests are signed by the keys that it authenticates with
  if (signsMessages(config) && config.authMethod !== 'private_key_jwt') {
    return { field: 'authMethod', problem: 'must be private_key_jwt with FAPI 2.0 Message Signing' };
  }
  const problem = 'must use https with the security profile FAPI 2.0';
  const inClear = CALLED.find((field) => isCalledInClear(config[field]));
  if (inClear !== undefined) return { field: inClear, problem };
  const index = config.redirectUris.findIndex((uri) => !isHttps(uri));
  return index < 0 ? undefined : { field: `redirectUris[${index}]`, problem };
}
