import type { ClientId, OrgId, UserId } from '../shared/ids.js';

/** Secrets that somebody still holds from an earlier bootstrap; each is checked before it is believed. */
export interface EarlierSecrets {
  readonly adminPassword?: string;
  readonly serviceUserPat?: string;
  readonly adminServiceUserPat?: string;
  readonly clientSecret?: string;
}

/**
 * What bootstrap created or found, with every secret that it knows in clear: for one file that only its owner can read.
 * A secret that somebody changed, or that only a lost file knew, is left out.
 */
export interface BootstrapCredentials {
  readonly orgId: OrgId;
  readonly primaryDomain: string;
  readonly admin: {
    /** Undefined when there is no such user any more. */
    readonly userId: UserId | undefined;
    readonly loginName: string;
    readonly password: string | undefined;
  };
  readonly serviceUser: ServiceUserCredentials;
  readonly adminServiceUser: ServiceUserCredentials;
  readonly webApplication: {
    readonly clientId: ClientId;
    readonly clientSecret: string | undefined;
    readonly redirectUri: string;
    readonly postLogoutRedirectUri: string;
  };
  readonly pkceApplication: { readonly clientId: ClientId; readonly redirectUri: string };
}

interface ServiceUserCredentials {
  readonly userId: UserId;
  readonly userName: string;
  readonly pat: string | undefined;
}

/**
 * Where the secrets are kept. Both are called inside the transaction and under its lock, so that of two bootstraps
 * at once the second finds what the first has kept.
 */
export interface CredentialsKeeper {
  read(): Promise<EarlierSecrets>;
  write(credentials: BootstrapCredentials): Promise<void>;
}

/** The file of one personal access token, which is written once and never replaced. Called as `CredentialsKeeper` is. */
export interface TokenKeeper {
  /**
   * `ours`: nobody else can have written it, so that a token in it may become true. `other`: something is there that is
   * no token.
   */
  read(): Promise<
    | { readonly kind: 'absent' | 'other' }
    | { readonly kind: 'token'; readonly token: string; readonly ours: boolean }
  >;
  write(token: string): Promise<void>;
}

/** Takes the administrator's link, for somebody who does not read standard output. Called as `CredentialsKeeper` is. */
export interface LinkKeeper {
  write(link: string): Promise<void>;
}
