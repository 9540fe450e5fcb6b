import { Check, Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { DataKeyEntity } from './data-key.entity.js';
import { RotatedKey } from './rotated-key.js';

/** A key that seals opaque tokens. Only the current one seals; older ones still open. */
@Entity('token_keys')
@ForeignKey(() => DataKeyEntity, ['dataKeyId'], ['id'], { name: 'token_keys_data_key' })
@Index('token_keys_one_current', ['state'], { unique: true, where: "state = 'current'" })
@Index('token_keys_one_next', ['state'], { unique: true, where: "state = 'next'" })
@Check('token_keys_state', "state IN ('next', 'current', 'previous', 'gone')")
export class TokenKeyEntity extends RotatedKey {
  @PrimaryGeneratedColumn('identity', {
    type: 'integer',
    generatedIdentity: 'BY DEFAULT',
    primaryKeyConstraintName: 'token_keys_pkey',
  })
  id!: number;

  @Column('bytea')
  sealed!: Buffer;

  @Column('integer', { name: 'data_key_id' })
  dataKeyId!: number;
}
