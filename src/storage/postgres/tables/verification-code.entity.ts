import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { UserEntity } from './user.entity.js';

/** A code sent to a user, stored as an HMAC, or checked by an SMS provider. At most one is live for each user and purpose. */
@Entity('verification_codes')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'verification_codes_user',
  onDelete: 'CASCADE',
})
@Index('verification_codes_one_live', ['userId', 'purpose'], { unique: true, where: 'ended_at IS NULL' })
@Index('verification_codes_by_user', ['userId', 'purpose', 'createdAt'])
@Index('verification_codes_expiry', ['expiresAt'])
@Check(
  'verification_codes_purpose',
  "purpose IN ('initialise', 'verify_email', 'verify_phone', 'reset_password', 'second_factor_email', 'second_factor_sms', 'register_passkey')",
)
@Check('verification_codes_maker', '(code_hash IS NULL) = (provider_id IS NOT NULL)')
@Check('verification_codes_attempts', 'attempts BETWEEN 0 AND 5')
export class VerificationCodeEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'verification_codes_pkey' })
  id!: string;

  @Column('text', { name: 'org_id' })
  orgId!: string;

  @Column('text', { name: 'user_id' })
  userId!: string;

  @Column('text')
  purpose!: string;

  @Column('text')
  target!: string;

  /** Null for a code that a provider creates and checks. */
  @Column('bytea', { name: 'code_hash', nullable: true })
  codeHash!: Buffer | null;

  @Column('integer', { default: 0 })
  attempts!: number;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt!: Date | null;

  /** The sign-in in which the code was requested, or the session for adding a second factor; it may be over. */
  @Column('text', { name: 'flow_id', nullable: true })
  flowId!: string | null;

  /** The provider that creates and checks the code; not a foreign key, since providers of the configuration have no row. */
  @Column('text', { name: 'provider_id', nullable: true })
  providerId!: string | null;

  /** False for a code handed out by the command line, which does not prove the address. */
  @Column('boolean', { name: 'proves_address', default: true })
  provesAddress!: boolean;

  /** The manager who received the link to pass it on; empty if unknown, null if it was sent to the user. */
  @Column('text', { name: 'made_by', nullable: true })
  madeBy!: string | null;

  /** A keyed digest of the source address of a request without sign-in; null if the user was signed in, or nobody requested it. */
  @Column('bytea', { nullable: true })
  source!: Buffer | null;
}
