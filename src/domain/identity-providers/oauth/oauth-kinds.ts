import { z } from 'zod';
import { line } from '../../shared/text-schemas.js';
import { claim, requiredClaims, secretExpirationDate, signOutAtProvider, url } from '../settings-fields.js';

/** How we show who we are at the token endpoint. Where a preset leaves no choice the setting is absent. */
const CLIENT_AUTHENTICATIONS = ['client_secret_basic', 'client_secret_post', 'none'] as const;
export type ClientAuthentication = (typeof CLIENT_AUTHENTICATIONS)[number];

const GITLAB_COM = 'https://gitlab.com';

/** What every kind that speaks OAuth 2.0 has. @param usualScopes where none are given */
const client = (...usualScopes: readonly string[]) => ({
  /** Printable, as a parameter of OAuth is (RFC 6749 appendix A). */
  clientId: line(400).regex(/^[ -~]+$/, 'must be printable ASCII'),
  scopes: z
    .array(z.string().regex(/^[!#-[\]-~]{1,200}$/, 'must be a scope (RFC 6749 section 3.3)'))
    .max(50, 'must have at most 50 entries')
    .readonly()
    .default(usualScopes),
  /** `hd` at Google, `tid` at Microsoft. */
  requiredClaims,
  secretExpirationDate,
});
const clientAuthentication = z.enum(CLIENT_AUTHENTICATIONS).default('client_secret_basic');
/** As Apple makes them. */
const appleId = z.string().regex(/^[A-Za-z0-9]{10}$/, 'must have 10 letters and digits');

/** A request without it is one of OAuth 2.0 alone (OpenID Connect Core §3.1.2.1). */
function requireOpenId(
  { scopes }: { readonly scopes: readonly string[] },
  context: z.core.$RefinementCtx,
): void {
  if (scopes.includes('openid')) return;
  context.addIssue({ code: 'custom', path: ['scopes'], message: 'must have openid' });
}

/** Kinds that speak OAuth 2.0 or OpenID Connect, and their settings: bodies and answers of the API are made from these. */
export const OAUTH_SETTINGS = {
  /** OpenID Connect: everything else is in the discovery document of the issuer. */
  oidc: z
    .object({
      ...client('openid', 'profile', 'email'),
      issuer: url,
      clientAuthentication,
      signOutAtProvider,
    })
    .superRefine(requireOpenId),
  /** OAuth 2.0, which defines nothing about users: the settings say where to ask, and which claim identifies them. */
  oauth2: z.object({
    ...client(),
    authorizationEndpoint: url,
    tokenEndpoint: url,
    userinfoEndpoint: url,
    /** A list of addresses with `email`, `primary` and `verified`, as GitHub has it. */
    emailsEndpoint: url.optional(),
    subjectClaim: claim,
    clientAuthentication,
  }),
  google: z.object(client('openid', 'profile', 'email')).superRefine(requireOpenId),
  microsoft: z
    .object({
      ...client('openid', 'profile', 'email'),
      /** One directory, `organizations` for all of them, `common` for private accounts, too, `consumers` for these alone. */
      tenant: z
        .string()
        // the issuer that Entra names has the id of the directory, whichever of its domains it was asked by
        .regex(
          /^([\dA-Fa-f]{8}(-[\dA-Fa-f]{4}){3}-[\dA-Fa-f]{12}|common|organizations|consumers)$/,
          'must be the id of a directory, common, organizations or consumers',
        ),
      signOutAtProvider,
    })
    .superRefine(requireOpenId),
  /** Its client secret is a token that we sign; the secret on file is the key for that. */
  apple: z
    .object({ ...client('openid', 'name', 'email'), teamId: appleId, keyId: appleId })
    .superRefine(requireOpenId),
  github: z.object(client('read:user', 'user:email')),
  /** At gitlab.com, or at one's own. */
  gitlab: z
    .object({ ...client('openid', 'profile', 'email'), issuer: url.default(GITLAB_COM) })
    .superRefine(requireOpenId),
  linkedin: z.object(client('openid', 'profile', 'email')).superRefine(requireOpenId),
};
type OAuthKind = keyof typeof OAUTH_SETTINGS;

export type AppleSettings = z.output<typeof OAUTH_SETTINGS.apple>;

export type OAuthDestination = {
  [Kind in OAuthKind]: {
    readonly kind: Kind;
    readonly settings: Readonly<z.output<(typeof OAUTH_SETTINGS)[Kind]>>;
  };
}[OAuthKind];
