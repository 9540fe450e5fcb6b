import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { AuthRequestId, OrgId, RegistrationId } from '../../../domain/shared/ids.js';
import { OrganizationEntity } from './organization.entity.js';

/**
 * A registration whose e-mail address is not verified yet. Without a code it cannot be finished: the address belongs to an existing user,
 * which must not show. Deleted soon after it has expired.
 */
@Entity('registrations')
@ForeignKey(() => OrganizationEntity, ['orgId'], ['id'], { name: 'registrations_org', onDelete: 'CASCADE' })
@Index('registrations_by_org', ['orgId'])
@Index('registrations_by_target', ['emailCanonical', 'createdAt'])
@Index('registrations_expiry', ['expiresAt'])
@Check('registrations_attempts', 'attempts BETWEEN 0 AND 5')
@Check('registrations_resends', 'resends BETWEEN 0 AND 2')
@Check('registrations_code', '(code_id IS NULL) = (code_hash IS NULL)')
@Check('registrations_secrets', 'ended_at IS NULL OR password_hash IS NULL')
export class RegistrationEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'registrations_pkey' })
  id!: RegistrationId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  /** The sign-in that it began in, which may be over. */
  @Column('text', { name: 'flow_id', nullable: true })
  flowId!: AuthRequestId | null;

  /** Empty: only the release before asks for names. */
  @Column('text', { name: 'first_name', default: '' })
  firstName!: string;

  /** Empty: only the release before asks for names. */
  @Column('text', { name: 'last_name', default: '' })
  lastName!: string;

  @Column('text')
  email!: string;

  @Column('text', { name: 'email_canonical' })
  emailCanonical!: string;

  /** The login name as typed, or the address if none is asked for. */
  @Column('text', { name: 'login_name' })
  loginName!: string;

  @Column('text', { name: 'user_name' })
  userName!: string;

  @Column('text')
  locale!: string;

  @Column('text', { name: 'password_hash', nullable: true })
  passwordHash!: string | null;

  @Column('text', { name: 'code_id', nullable: true })
  codeId!: string | null;

  @Column('bytea', { name: 'code_hash', nullable: true })
  codeHash!: Buffer | null;

  @Column('integer', { default: 0 })
  attempts!: number;

  @Column('integer', { default: 0 })
  resends!: number;

  /** The identity of a user who registers with a provider, without a password; the hash is empty. */
  @Column('boolean', { default: false })
  external!: boolean;

  /** A keyed digest of the source address; null in rows of the previous release. */
  @Column('bytea', { nullable: true })
  source!: Buffer | null;

  /** Whether a mail was queued, which counts for the limits. */
  @Column('boolean')
  mailed!: boolean;

  @Column('timestamptz', { name: 'sent_at', default: () => 'app_now()' })
  sentAt!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt!: Date | null;
}
