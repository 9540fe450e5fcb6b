import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Attempts with a login name whose password an old system or a directory checks. The name is hashed: it may be a password typed by mistake. */
@Entity('name_attempts')
@Index('name_attempts_age', ['lastAt'])
@Check('name_attempts_count', 'attempts >= 0')
export class NameAttemptsEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'name_attempts_pkey' })
  place!: string;

  @PrimaryColumn('bytea', { name: 'name_hash', primaryKeyConstraintName: 'name_attempts_pkey' })
  nameHash!: Buffer;

  @Column('integer')
  attempts!: number;

  @Column('timestamptz', { name: 'last_at' })
  lastAt!: Date;
}
