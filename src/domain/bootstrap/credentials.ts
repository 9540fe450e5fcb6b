import type { ClientId, OrgId, UserId } from '../shared/ids.js';

/** Secrets that somebody still holds from an earlier bootstrap; each is checked before it is believed. */
export interface HeldSecrets {
  readonly adminPassword?: string;
  readonly serviceUserPat?: string;
  readonly adminServiceUserPat?: string;
  readonly clientSecret?: string;
}

/** What bootstrap made or found, with every secret in clear: for one file that only its owner can read. */
export interface BootstrapCredentials {
  readonly orgId: OrgId;
  readonly primaryDomain: string;
  readonly admin: { readonly userId: UserId; readonly loginName: string; readonly password: string };
  readonly serviceUser: ServiceUserCredentials;
  readonly adminServiceUser: ServiceUserCredentials;
  readonly webApplication: {
    readonly clientId: ClientId;
    readonly clientSecret: string;
    readonly redirectUri: string;
    readonly postLogoutRedirectUri: string;
  };
  readonly pkceApplication: { readonly clientId: ClientId; readonly redirectUri: string };
}

export interface ServiceUserCredentials {
  readonly userId: UserId;
  readonly userName: string;
  readonly pat: string;
}

/**
 * Where the secrets are kept. Both are called inside the transaction and under its lock, so that of two bootstraps
 * at once the second finds what the first has kept.
 */
export interface CredentialsKeeper {
  read(): Promise<HeldSecrets>;
  write(credentials: BootstrapCredentials): Promise<void>;
}
