import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A data key, wrapped by a master key. New secrets are sealed under the current one only. */
@Entity('data_keys')
@Index('data_keys_one_current', ['state'], { unique: true, where: "state = 'current'" })
@Check('data_keys_state', "state IN ('current', 'previous')")
export class DataKeyEntity {
  @PrimaryGeneratedColumn('identity', {
    type: 'integer',
    generatedIdentity: 'BY DEFAULT',
    primaryKeyConstraintName: 'data_keys_pkey',
  })
  id!: number;

  @Column('bytea')
  wrapped!: Buffer;

  @Column('text', { name: 'master_key_id' })
  masterKeyId!: string;

  @Column('text', { default: 'current' })
  state!: string;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;
}
