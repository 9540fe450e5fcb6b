import { DEVICE_CODE_GRANT } from '../device-authorizations/device-authorization.js';
import type { MissedSetting } from './application.js';
import { grantTypesFor, HYBRID_RESPONSE_TYPES, type OidcConfig } from './oidc-config.js';

export interface ComplianceProblem {
  readonly key: string;
  readonly localizedMessage: string;
}

interface ComplianceRule {
  readonly key: string;
  readonly message: string;
  readonly broken: (application: OidcConfig, missed: readonly MissedSetting[]) => boolean;
}

/** Its users type a code at `/device`, and no answer goes to an address. */
function isForDevicesAlone({ grantTypes }: OidcConfig): boolean {
  return (
    grantTypes.includes(DEVICE_CODE_GRANT) &&
    !grantTypes.includes('authorization_code') &&
    !grantTypes.includes('implicit')
  );
}

/** Whether it has a response type, of those or of all others, without what that needs. */
function lacksGrantType({ responseTypes, grantTypes }: OidcConfig, hybrid: boolean): boolean {
  return responseTypes
    .filter((type) => (HYBRID_RESPONSE_TYPES as readonly string[]).includes(type) === hybrid)
    .some((type) => grantTypesFor(type).some((needed) => !grantTypes.includes(needed)));
}

/** Settings that are allowed but unwise, or incomplete: reported as warnings, never refused. */
const RULES: readonly ComplianceRule[] = [
  {
    key: 'Application.OIDC.V1.NoRedirectUris',
    message: 'At least one redirect URI must be registered before anybody can sign in.',
    broken: (application) => application.redirectUris.length === 0 && !isForDevicesAlone(application),
  },
  {
    key: 'Application.OIDC.V1.NotAllCombinationsAreAllowed',
    message:
      'The response type code needs the authorization code grant, the others the implicit grant: without it they are refused.',
    broken: (application) => !isForDevicesAlone(application) && lacksGrantType(application, false),
  },
  {
    key: 'Application.OIDC.V1.HybridNeedsBothGrants',
    message:
      'A response type with a code and a token needs the authorization code grant and the implicit grant: without both it is refused.',
    broken: (application) => !isForDevicesAlone(application) && lacksGrantType(application, true),
  },
  {
    key: 'Application.OIDC.V1.GrantType.Refresh.NoAuthCode',
    message:
      'The refresh token grant has no effect without the authorization code grant or the device code grant.',
    broken: ({ grantTypes }) =>
      grantTypes.includes('refresh_token') &&
      !grantTypes.includes('authorization_code') &&
      !grantTypes.includes(DEVICE_CODE_GRANT),
  },
  {
    key: 'Application.OIDC.V1.UserAgent.AuthMethodType.NotNone',
    message: 'An application that runs in a browser cannot keep a secret: use PKCE without one.',
    broken: ({ appType, authMethod }) => appType === 'user_agent' && authMethod !== 'none',
  },
  {
    key: 'Application.OIDC.V1.Native.AuthMethodType.NotNone',
    message: 'An application that is installed cannot keep a secret: use PKCE without one.',
    broken: ({ appType, authMethod }) => appType === 'native' && authMethod !== 'none',
  },
  {
    key: 'Application.OIDC.V1.DevMode.HttpRedirectUris',
    message: 'Development mode is on and a redirect URI uses http: codes travel in clear.',
    broken: ({ devMode, redirectUris }) => devMode && redirectUris.some((uri) => uri.startsWith('http:')),
  },
  {
    key: 'Application.OIDC.V1.GrantType.Refresh.Missed',
    message:
      'A request asked for offline_access, which gives no refresh token without OIDC_GRANT_TYPE_REFRESH_TOKEN in grantTypes.',
    broken: ({ grantTypes }, missed) =>
      missed.includes('refresh_token') && !grantTypes.includes('refresh_token'),
  },
  {
    key: 'Application.OIDC.V1.DevMode.Missed',
    message: 'A request was refused because its redirect URI can be registered only with devMode.',
    broken: ({ devMode }, missed) => missed.includes('devMode') && !devMode,
  },
];

/** @param missed what requests asked of it; of an application that is new there were none */
export function complianceProblems(
  application: OidcConfig,
  missed: readonly MissedSetting[] = [],
): readonly ComplianceProblem[] {
  return RULES.filter((rule) => rule.broken(application, missed)).map(({ key, message }) => ({
    key,
    localizedMessage: message,
  }));
}
