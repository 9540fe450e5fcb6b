import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { UserEntity } from './user.entity.js';

/**
 * Attempts at a user's password, numbered as they come. Those after number `forgiven` count as failures; of `wrong` ones
 * among them that is certain, the others are being evaluated. A refused attempt leaves no trace.
 */
@Entity('password_attempts')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'password_attempts_user',
  onDelete: 'CASCADE',
})
@Check(
  'password_attempts_count',
  'forgiven BETWEEN 0 AND attempts AND wrong BETWEEN 0 AND attempts - forgiven',
)
export class PasswordAttemptsEntity {
  @PrimaryColumn('text', { name: 'user_id', primaryKeyConstraintName: 'password_attempts_pkey' })
  userId!: string;

  @Column('text', { name: 'org_id' })
  orgId!: string;

  @Column('integer')
  attempts!: number;

  @Column('integer', { default: 0 })
  forgiven!: number;

  @Column('integer', { default: 0 })
  wrong!: number;

  @Column('timestamptz', { name: 'last_at' })
  lastAt!: Date;
}
