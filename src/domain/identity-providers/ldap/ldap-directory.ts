import type { ExternalIdentity } from '../provider-client.js';
import type { LdapSettings } from './ldap-kind.js';

/** A directory as it is asked. */
export interface DirectoryAccess {
  /** Names it and its settings: connections are kept for one, and failures counted. */
  readonly key: string;
  readonly settings: LdapSettings;
  /** Of `bindDn`. */
  readonly bindPassword: string;
  /** To read of whoever signs in. */
  readonly attributes: readonly string[];
  /** When whoever asks gives up. */
  readonly deadline: AbortSignal;
}

export interface DirectoryCredentials {
  readonly loginName: string;
  readonly password: string;
}

export type DirectoryAnswer =
  | { readonly kind: 'identity'; readonly identity: ExternalIdentity }
  /** For the log alone; outside all of them look alike. */
  | {
      readonly kind: 'no';
      readonly reason: 'nobody' | 'several' | 'disabled' | 'wrong password' | 'blocked';
    };

/** Looks somebody up in a directory and tries their password there. Everything that goes out is judged by its address. */
export abstract class LdapDirectory {
  /**
   * @param admit counts the attempt at whom the name means, before their password is tried. False: it is not tried
   * @throws ProviderUnavailable, ProviderRefused
   */
  abstract signIn(
    access: DirectoryAccess,
    credentials: DirectoryCredentials,
    admit: (subject: string) => Promise<boolean>,
  ): Promise<DirectoryAnswer>;
}
