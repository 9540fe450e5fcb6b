import { Injectable } from '@nestjs/common';
import { oneSpelling } from '../identity-providers/ldap/ldap-rules.js';
import { HashingBill } from '../passwords/hashing/hashing-bill.js';
import { isTooLong } from '../passwords/password-policy.js';
import { PasswordsStore } from '../passwords/passwords.store.js';
import { Sealer } from '../secrets/sealer.js';
import { ApiError } from '../shared/errors.js';
import type { OrgId, UserId } from '../shared/ids.js';
import { domainOfUserName } from '../users/names/user-name.js';
import { NewPasswords } from '../users/new-passwords/new-passwords.js';
import { ActiveMigrations, type MigrationPlace } from './active-migrations.js';
import { AskOldSystem, type Agreed } from './ask-old-system.js';
import type { MigrationCandidate } from './count-migration-tries.js';
import { CreateMigratedUser, UserPreviouslyMigrated } from './create-migrated-user.js';
import { ConcurrentMigration, type NativePassword } from './set-migrated-password.js';
import type { ActiveMigration } from './user-migration.js';
import { UserMigrationsStore } from './user-migrations.store.js';

/** What was typed, and whom it means here. */
interface FirstSignIn {
  /** In canonical form. */
  readonly name: string;
  readonly password: string;
  /** Where the request came from. */
  readonly source: string;
  /** `several`: the name means more than one user, hence nobody. */
  readonly meant: { readonly orgId: OrgId; readonly userId: UserId } | 'nobody' | 'several';
}

type MigrationResult =
  | { readonly kind: 'migrated'; readonly orgId: OrgId; readonly userId: UserId; readonly setAt: string }
  /** The user is there by now: what was typed is to be held against what is on file. */
  | { readonly kind: 'there' }
  | { readonly kind: 'refused' };

const REFUSED: MigrationResult = { kind: 'refused' };

/** Brings somebody over whose sign-in would be refused, where the organization's migration is on. */
@Injectable()
export class MigrateUser {
  constructor(
    private readonly active: ActiveMigrations,
    private readonly migrations: UserMigrationsStore,
    private readonly askOldSystem: AskOldSystem,
    private readonly createMigratedUser: CreateMigratedUser,
    private readonly newPasswords: NewPasswords,
    private readonly passwords: PasswordsStore,
    private readonly sealer: Sealer,
  ) {}

  /** The migration that a sign-in would ask, by what was typed and where alone. */
  async migrationAt(canonicalName: string, place: MigrationPlace): Promise<ActiveMigration | undefined> {
    return await this.active.at(canonicalName, place);
  }

  /** @throws HashingOverloaded */
  async execute(migration: ActiveMigration, signIn: FirstSignIn): Promise<MigrationResult> {
    const { name, password } = signIn;
    const newcomer = this.newcomerOf(migration, signIn);
    if (newcomer === undefined || password === '' || isTooLong(password)) return REFUSED;
    // the name is free but was used before: to migrate its user again, add them here without a password
    if ('name' in newcomer && (await this.migrations.wereHere(migration.orgId, [name]))) return REFUSED;
    const agreed = await this.askOldSystem.ask(migration, newcomer, { loginName: name, password });
    if (agreed === undefined) return REFUSED;
    try {
      return await this.bring(migration, newcomer, agreed, signIn);
    } catch (error) {
      if (error instanceof ConcurrentMigration) {
        await agreed.giveBack();
        return { kind: 'there' };
      }
      // by another of their names; the try counts as a wrong one
      if (error instanceof UserPreviouslyMigrated) return REFUSED;
      if (error instanceof ApiError && error.kind === 'invalid-argument') {
        await agreed.failed(`the user cannot be made: ${error.text}`);
        return REFUSED;
      }
      await agreed.giveBack();
      throw error;
    }
  }

  private newcomerOf(
    { orgId }: ActiveMigration,
    { name, meant }: FirstSignIn,
  ): MigrationCandidate | undefined {
    if (meant === 'several') return undefined;
    const domain = domainOfUserName(name);
    // an old system must not learn of users of other organizations
    if (meant !== 'nobody') return meant.orgId === orgId ? { userId: meant.userId, domain } : undefined;
    const hash = this.sealer.mac('attempted-name', `user-migration ${orgId} ${oneSpelling(name)}`);
    return { name: { place: `user-migration ${orgId}`, hash }, domain };
  }

  private async bring(
    migration: ActiveMigration,
    newcomer: MigrationCandidate,
    { human, entryHash, names }: Agreed,
    { name, password, source }: FirstSignIn,
  ): Promise<MigrationResult> {
    const { orgId } = migration;
    const native = await this.encode(orgId, human.password, password, source);
    const userId =
      'name' in newcomer
        ? await this.createMigratedUser.create(migration, name, { human, entryHash, names }, native, source)
        : await this.createMigratedUser.setPassword(
            migration,
            newcomer.userId,
            name,
            { human, entryHash, names },
            native,
          );
    const stored = await this.passwords.findByUser(userId);
    // changed by somebody in that moment
    if (stored?.hash !== native.hash) return { kind: 'there' };
    return { kind: 'migrated', orgId, userId, setAt: stored.setAt };
  }

  /** A password that was valid there stays valid; one that is too weak for the policy here must be changed at once. */
  private async encode(
    orgId: OrgId,
    recorded: { readonly changeRequired?: boolean } | undefined,
    password: string,
    source: string,
  ): Promise<NativePassword> {
    const isWeak = (await this.newPasswords.refusal(orgId, password)) !== undefined;
    const encoded = await this.newPasswords.encode(password, HashingBill.page(orgId, source));
    return { ...encoded, changeRequired: isWeak || recorded?.changeRequired === true };
  }
}
