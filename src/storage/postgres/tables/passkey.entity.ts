import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { OrgId, PasskeyId, UserId } from '../../../domain/shared/ids.js';
import { CountedChanges } from './counted-changes.js';
import { UserEntity } from './user.entity.js';

/** A passkey (WebAuthn credential) of a user: the public key. */
@Entity('passkeys')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'passkeys_user',
  onDelete: 'CASCADE',
})
@Unique('passkeys_credential', ['credentialId'])
@Index('passkeys_by_user', ['userId'])
@Check('passkeys_name', 'char_length(name) BETWEEN 1 AND 100')
@Check('passkeys_sign_count', 'sign_count >= 0')
export class PasskeyEntity extends CountedChanges {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'passkeys_pkey', default: () => 'new_id()' })
  id!: PasskeyId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('text', { name: 'user_id' })
  userId!: UserId;

  @Column('bytea', { name: 'credential_id' })
  credentialId!: Buffer;

  @Column('bytea', { name: 'public_key' })
  publicKey!: Buffer;

  /** Random; the same for all passkeys of a user that were added while they had one. */
  @Column('bytea', { name: 'user_handle' })
  userHandle!: Buffer;

  @Column('bigint', { name: 'sign_count', default: 0 })
  signCount!: string;

  @Column('text', { array: true, default: () => "'{}'" })
  transports!: string[];

  @Column('text')
  name!: string;

  @Column('boolean', { default: false })
  passwordless!: boolean;

  @Column('boolean', { name: 'backup_eligible', default: false })
  backupEligible!: boolean;

  @Column('boolean', { name: 'backed_up', default: false })
  backedUp!: boolean;

  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;

  /** Who handed out the link by which it was added, or imported it; empty if unknown, null if the user was signed in. */
  @Column('text', { name: 'link_made_by', nullable: true })
  linkMadeBy!: UserId | '' | null;

  /** When its signature counter first went back: the passkey may have been copied. */
  @Column('timestamptz', { name: 'counter_went_back_at', nullable: true })
  counterWentBackAt!: Date | null;

  /** When it was imported; it may be much older. */
  @Column('timestamptz', { name: 'imported_at', nullable: true })
  importedAt!: Date | null;
}

/** A WebAuthn challenge, by its hash. Deleted with the first response. */
@Entity('passkey_challenges')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'passkey_challenges_user',
  onDelete: 'CASCADE',
})
@Index('passkey_challenges_expiry', ['expiresAt'])
@Index('passkey_challenges_by_user', ['userId'], { where: 'user_id IS NOT NULL' })
@Check('passkey_challenges_purpose', "purpose IN ('register', 'sign-in', 'second-factor')")
@Check('passkey_challenges_user_known', '(user_id IS NULL) = (org_id IS NULL)')
@Check('passkey_challenges_handle', "(user_handle IS NOT NULL) = (purpose = 'register')")
export class PasskeyChallengeEntity {
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'passkey_challenges_pkey' })
  hash!: Buffer;

  @Column('text')
  purpose!: string;

  /** The sign-in in which it is used, or the session in which a passkey is added. */
  @Column('text', { name: 'bound_to' })
  boundTo!: string;

  @Column('text', { name: 'user_agent_id', nullable: true })
  userAgentId!: string | null;

  @Column('text', { name: 'org_id', nullable: true })
  orgId!: string | null;

  @Column('text', { name: 'user_id', nullable: true })
  userId!: string | null;

  @Column('bytea', { name: 'user_handle', nullable: true })
  userHandle!: Buffer | null;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
