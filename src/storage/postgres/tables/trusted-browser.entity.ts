import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { OrgId, UserAgentId, UserId } from '../../../domain/shared/ids.js';
import { UserAgentEntity } from './user-agent.entity.js';
import { UserEntity } from './user.entity.js';

/** A browser in which a user is not asked for the second factor, by their own choice. */
@Entity('trusted_browsers')
@ForeignKey(() => UserAgentEntity, ['userAgentId'], ['id'], {
  name: 'trusted_browsers_agent',
  onDelete: 'CASCADE',
})
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'trusted_browsers_user',
  onDelete: 'CASCADE',
})
@Index('trusted_browsers_by_user', ['userId'])
@Index('trusted_browsers_expiry', ['expiresAt'])
export class TrustedBrowserEntity {
  @PrimaryColumn('text', { name: 'user_agent_id', primaryKeyConstraintName: 'trusted_browsers_pkey' })
  userAgentId!: UserAgentId;

  @PrimaryColumn('text', { name: 'user_id', primaryKeyConstraintName: 'trusted_browsers_pkey' })
  userId!: UserId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  /** A hash of the user's password, factors and epoch at that time; if it differs now, the browser is no longer trusted. */
  @Column('bytea')
  mark!: Buffer;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
