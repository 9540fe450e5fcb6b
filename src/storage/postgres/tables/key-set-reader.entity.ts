import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A keyed hash of an address that reads the key set; a limited number of them. */
@Entity('key_set_readers')
@Index('key_set_readers_by_time', ['lastReadAt'])
export class KeySetReaderEntity {
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'key_set_readers_pkey' })
  reader!: Buffer;

  @Column('bigint')
  reads!: string;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'last_read_at', default: () => 'app_now()' })
  lastReadAt!: Date;
}
