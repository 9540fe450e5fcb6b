import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { CODE_FACTOR_KINDS, type CodeFactorKind } from '../../../domain/policies/factor-policy.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import { oneOf } from '../one-of.js';
import { UserEntity } from './user.entity.js';

/** A second factor by codes to the user's e-mail address or phone; counts while that is verified. */
@Entity('user_code_factors')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'user_code_factors_user',
  onDelete: 'CASCADE',
})
@Check('user_code_factors_kind', `kind ${oneOf(CODE_FACTOR_KINDS)}`)
export class UserCodeFactorEntity {
  @PrimaryColumn('text', { name: 'user_id', primaryKeyConstraintName: 'user_code_factors_pkey' })
  userId!: UserId;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'user_code_factors_pkey' })
  kind!: CodeFactorKind;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;
}
