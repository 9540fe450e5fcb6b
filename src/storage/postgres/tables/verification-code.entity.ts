import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { UserEntity } from './user.entity.js';

/** A code sent to somebody, kept as an HMAC, or known to an SMS provider alone. At most one is live for each user and purpose. */
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

  /** Null for a code that a provider makes and checks. */
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

  /** The sign-in that the code was asked for in, or the session, for one that adds a second factor; may be over by now. */
  @Column('text', { name: 'flow_id', nullable: true })
  flowId!: string | null;

  /** Who makes and checks the code, if not we; may be the configuration's, which is no row. */
  @Column('text', { name: 'provider_id', nullable: true })
  providerId!: string | null;

  /** False for a code that the command line handed out: nobody has shown that the address is theirs. */
  @Column('boolean', { name: 'proves_address', default: true })
  provesAddress!: boolean;

  /** Who got the link in order to pass it on; empty where nobody answers for it, null where it was not handed out by anybody. */
  @Column('text', { name: 'made_by', nullable: true })
  madeBy!: string | null;

  /** A keyed digest of where a stranger asked for it from; null where whoever asked had shown who they are, or nobody asked. */
  @Column('bytea', { nullable: true })
  source!: Buffer | null;
}
