import { Column, Entity, PrimaryColumn } from 'typeorm';
import { CountedChanges } from './counted-changes.js';

/**
 * How a provider is doing, shared by all workers. No foreign key: providers that the configuration names have no row
 * of their own.
 */
@Entity('notification_provider_health')
export class NotificationProviderHealthEntity extends CountedChanges {
  @PrimaryColumn('text', {
    name: 'provider_id',
    primaryKeyConstraintName: 'notification_provider_health_pkey',
  })
  providerId!: string;

  /** Of the settings that this is about; with others it counts as healthy. */
  @Column('text')
  version!: string;

  @Column('integer', { default: 0 })
  failures!: number;

  @Column('integer', { default: 0 })
  openings!: number;

  @Column('timestamptz', { name: 'open_until', nullable: true })
  openUntil!: Date | null;

  @Column('boolean', { default: false })
  paused!: boolean;

  @Column('text', { nullable: true })
  reason!: string | null;

  @Column('timestamptz', { name: 'probe_until', nullable: true })
  probeUntil!: Date | null;

  @Column('timestamptz', { name: 'urgent_probe_until', nullable: true })
  urgentProbeUntil!: Date | null;

  /** When the rate allows the next message. */
  @Column('timestamptz', { name: 'next_turn_at', nullable: true })
  nextTurnAt!: Date | null;
}
