import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { UserId } from '../../../domain/shared/ids.js';
import { UserEntity } from './user.entity.js';

/**
 * The password of a person; no row means none was ever set. `weak` marks a hash to replace at the next sign-
 * in; `rehash_withheld_at` one that a sign-in matched and did not replace, since it opens for more than one password.
 */
@Entity('user_passwords')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'user_passwords_user',
  onDelete: 'CASCADE',
})
export class UserPasswordEntity {
  @PrimaryColumn('text', { name: 'user_id', primaryKeyConstraintName: 'user_passwords_pkey' })
  userId!: string;

  @Column('text', { name: 'org_id' })
  orgId!: string;

  @Column('text')
  hash!: string;

  @Column('text')
  scheme!: string;

  @Column('boolean', { default: false })
  weak!: boolean;

  @Column('boolean', { name: 'change_required', default: false })
  changeRequired!: boolean;

  @Column('timestamptz', { name: 'changed_at', default: () => 'app_now()' })
  changedAt!: Date;

  @Column('timestamptz', { name: 'rehash_withheld_at', nullable: true })
  rehashWithheldAt!: Date | null;

  /**
   * Who answers for it with their rank: null for the user who chose it, empty for nobody, `@organization` (no id has such a sign)
   * for the old system of its organization. The release before writes it of no password: of a new one nobody answers then, and of one that
   * replaces another the events tell (`LIST_CREDENTIALS`).
   */
  @Column('text', { name: 'made_by', nullable: true, default: '' })
  madeBy!: UserId | '' | '@organization' | null;

  /** When it was set by a code sent by e-mail; null if it was set in another way. */
  @Column('timestamptz', { name: 'reset_by_email_at', nullable: true })
  resetByEmailAt!: Date | null;
}
