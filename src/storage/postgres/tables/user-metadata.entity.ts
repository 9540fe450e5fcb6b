import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import { CountedChanges } from './counted-changes.js';
import { UserEntity } from './user.entity.js';

/** Metadata of a user: a key with bytes. */
@Entity('user_metadata')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'user_metadata_user',
  onDelete: 'CASCADE',
})
@Check('user_metadata_key', 'char_length(key) BETWEEN 1 AND 200')
@Check('user_metadata_value', 'octet_length(value) BETWEEN 1 AND 500000')
export class UserMetadataEntity extends CountedChanges {
  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @PrimaryColumn('text', { name: 'user_id', primaryKeyConstraintName: 'user_metadata_pkey' })
  userId!: UserId;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'user_metadata_pkey' })
  key!: string;

  @Column('bytea')
  value!: Buffer;
}
