import type { JWK } from 'jose';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { OrgId, ServiceUserKeyId, UserId } from '../../../domain/shared/ids.js';
import { CountedChanges } from './counted-changes.js';
import { UserEntity } from './user.entity.js';

/** A public key that a service user signs its assertions for. The private half never gets here. */
@Entity('service_user_keys')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'service_user_keys_user',
  onDelete: 'CASCADE',
})
@Index('service_user_keys_by_user', ['orgId', 'userId'])
@Check('service_user_keys_public', "NOT jsonb_exists_any(public_jwk, '{d,p,q,dp,dq,qi,oth,k}'::text[])")
export class ServiceUserKeyEntity extends CountedChanges {
  /** The key's `kid` in assertions. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'service_user_keys_pkey', default: () => 'new_id()' })
  id!: ServiceUserKeyId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('text', { name: 'user_id' })
  userId!: UserId;

  @Column('jsonb', { name: 'public_jwk' })
  publicJwk!: JWK;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  /** Empty for whoever runs the service, null where nobody knows. */
  @Column('text', { name: 'made_by', nullable: true })
  madeBy!: UserId | '' | null;
}
