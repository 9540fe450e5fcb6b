import { Injectable } from '@nestjs/common';
import { mapClaims } from '../identity-providers/claim-mapping.js';
import { LdapDirectory } from '../identity-providers/ldap/ldap-directory.js';
import { LDAP_FIELDS, TRUSTED_EMAIL } from '../identity-providers/ldap/ldap-kind.js';
import { attributesOf, directorySubject } from '../identity-providers/ldap/ldap-rules.js';
import {
  ProviderRefused,
  ProviderUnavailable,
  type ExternalIdentity,
} from '../identity-providers/provider-client.js';
import { canonicalName } from '../users/names/canonical-name.js';
import { OldSystemFailed, type OldCredentials } from './old-system.js';
import type { ActiveMigration, DirectorySettings } from './user-migration.js';
import { UserMigrationsStore } from './user-migrations.store.js';

type DirectoryMigration = Extract<ActiveMigration, { kind: 'ldap' }>;

interface FoundEntry {
  /** Still to be read, as `OldSystem.ask` answers it. */
  readonly human: unknown;
  /** By which the directory knows it for good, whatever name it was found by. */
  readonly entry: string;
}

/** An old system that is a directory: whoever can bind there is right, and their entry is what it says of them. */
@Injectable()
export class AskOldDirectory {
  constructor(
    private readonly directory: LdapDirectory,
    private readonly migrations: UserMigrationsStore,
  ) {}

  /**
   * @param admit counts the try by the entry that the name means, before the password is tried
   * @throws OldSystemFailed
   */
  async ask(
    migration: DirectoryMigration,
    { loginName, password }: OldCredentials,
    admit: (entry: string) => Promise<boolean>,
  ): Promise<FoundEntry | undefined> {
    const { orgId, settings, deadlineMs } = migration;
    const bindPassword = await this.migrations.openSecret(migration);
    if (bindPassword === undefined) throw new OldSystemFailed('it was changed a moment ago');
    const access = {
      key: `user-migration ${orgId} ${migration.version}`,
      settings: { ...settings, timeoutMs: deadlineMs },
      bindPassword,
      attributes: attributesOf(settings, settings.mapping),
      deadline: AbortSignal.timeout(deadlineMs),
    };
    try {
      const entryOf = (subject: string): string => nameOfEntry(settings, subject);
      const admitSubject = (subject: string): Promise<boolean> => admit(entryOf(subject));
      const answer = await this.directory.signIn(access, { loginName, password }, admitSubject);
      if (answer.kind === 'no') return undefined;
      const { identity } = answer;
      return { human: humanOf(identity, settings, loginName), entry: entryOf(identity.subject) };
    } catch (error) {
      if (error instanceof ProviderUnavailable || error instanceof ProviderRefused) {
        throw new OldSystemFailed(error.message);
      }
      throw error;
    }
  }
}

/** Of an entry, in one form for all its spellings; another directory has others. */
function nameOfEntry(settings: DirectorySettings, subject: string): string {
  const { baseDn, subjectAttribute } = settings;
  return JSON.stringify([
    canonicalName(baseDn),
    subjectAttribute.toLowerCase(),
    directorySubject(settings, subject),
  ]);
}

/** The body of an import that an entry stands for. Who has no user name by the mapping is called as they signed in. */
function humanOf(
  { claims }: ExternalIdentity,
  { mapping, trustEmail }: DirectorySettings,
  loginName: string,
) {
  const vouched = trustEmail ? { ...claims, [TRUSTED_EMAIL]: true } : claims;
  const { userName = loginName, email, emailVerified, profile } = mapClaims(vouched, mapping, LDAP_FIELDS);
  const { firstName, lastName, displayName = userName, ...more } = profile;
  return {
    userName,
    // not every entry has a given name
    profile: { ...more, displayName, firstName: firstName ?? displayName, lastName: lastName ?? displayName },
    email: { email, isEmailVerified: emailVerified },
  };
}
