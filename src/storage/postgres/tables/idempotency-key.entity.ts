import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { DataKeyEntity } from './data-key.entity.js';

/** The sealed answer to a request that carried an Idempotency-Key, for when the caller asks again. */
@Entity('idempotency_keys')
@ForeignKey(() => DataKeyEntity, ['dataKeyId'], ['id'], { name: 'idempotency_keys_data_key' })
@Index('idempotency_keys_expiry', ['expiresAt'])
@Check('idempotency_keys_key', 'char_length(key) BETWEEN 1 AND 255')
export class IdempotencyKeyEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'idempotency_keys_pkey' })
  caller!: string;

  @PrimaryColumn('text', { name: 'org_id', primaryKeyConstraintName: 'idempotency_keys_pkey' })
  orgId!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'idempotency_keys_pkey' })
  route!: string;

  @PrimaryColumn('text', { primaryKeyConstraintName: 'idempotency_keys_pkey' })
  key!: string;

  @Column('bytea')
  fingerprint!: Buffer;

  @Column('integer')
  status!: number;

  @Column('bytea', { name: 'body_sealed' })
  bodySealed!: Buffer;

  @Column('integer', { name: 'data_key_id' })
  dataKeyId!: number;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  @Column('timestamptz', { name: 'created_at', default: () => 'app_now()' })
  createdAt!: Date;
}
