import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import { CountedChanges } from './counted-changes.js';

/** How often keys change, and how long each is published before it is used. */
@Entity('key_schedule')
@Check('key_schedule_one_row', 'id')
@Check('key_schedule_rotation', 'rotation_seconds >= 0')
@Check('key_schedule_lead', 'lead_seconds > 0')
export class KeyScheduleEntity extends CountedChanges {
  @PrimaryColumn('boolean', { primaryKeyConstraintName: 'key_schedule_pkey', default: true })
  id!: boolean;

  /** 0: only on request. */
  @Column('integer', { name: 'rotation_seconds', default: 7_776_000 })
  rotationSeconds!: number;

  @Column('integer', { name: 'lead_seconds', default: 86_400 })
  leadSeconds!: number;
}
