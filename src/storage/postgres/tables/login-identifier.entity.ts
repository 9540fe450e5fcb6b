import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import { UserEntity } from './user.entity.js';

/** Names a person signs in with, in canonical form: a user name, or an e-mail address once verified. */
@Entity('login_identifiers')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'login_identifiers_user',
  onDelete: 'CASCADE',
})
@Index('login_identifiers_by_user', ['userId'])
@Check('login_identifiers_kind', "kind IN ('user_name', 'email')")
@Check('login_identifiers_proven', "kind = 'email' OR NOT proven")
export class LoginIdentifierEntity {
  // first in the key: who signs in types a name, and need not know the organization
  @PrimaryColumn('text', { primaryKeyConstraintName: 'login_identifiers_pkey' })
  canonical!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'login_identifiers_pkey' })
  kind!: 'user_name' | 'email';

  @PrimaryColumn('text', { name: 'org_id', primaryKeyConstraintName: 'login_identifiers_pkey' })
  orgId!: OrgId;

  @Column('text', { name: 'user_id' })
  userId!: UserId;

  /**
   * Verified by its owner; otherwise an import or an administrator marked the address as verified. The column keeps its older name:
   * renaming it would take two releases, and nobody outside sees it.
   */
  @Column('boolean', { default: false })
  proven!: boolean;
}
