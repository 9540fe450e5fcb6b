import { Column, Entity, PrimaryColumn } from 'typeorm';
import { CountedChanges } from './counted-changes.js';

/**
 * The health of a provider, shared by all workers. Without a foreign key, since providers of the configuration have no row.
 */
@Entity('notification_provider_health')
export class NotificationProviderHealthEntity extends CountedChanges {
  @PrimaryColumn('text', {
    name: 'provider_id',
    primaryKeyConstraintName: 'notification_provider_health_pkey',
  })
  providerId!: string;

  /** The version of the provider's settings; with another version, the provider counts as healthy. */
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

  /** When the rate limit allows the next message. */
  @Column('timestamptz', { name: 'next_turn_at', nullable: true })
  nextTurnAt!: Date | null;
}
