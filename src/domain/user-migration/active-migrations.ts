import { Injectable } from '@nestjs/common';
import { Clock } from '../shared/clock.js';
import type { OrgId } from '../shared/ids.js';
import { domainInAscii, partsOfName } from '../users/names/user-name.js';
import type { ActiveMigration } from './user-migration.js';
import { UserMigrationsStore } from './user-migrations.store.js';

/** Replicas notice a migration that was switched on within this time. One that was switched off ends at once: the store checks. */
const FRESH_MS = 5_000;

/** Where somebody wants to sign in. */
export interface MigrationPlace {
  readonly named?: OrgId | undefined;
  readonly application?: OrgId | undefined;
  readonly ownPages?: boolean;
}

/**
 * The migrations that are on, as this process read them a moment ago: only sign-ins that would be refused ask, and most find that
 * there is none without a statement.
 */
@Injectable()
export class ActiveMigrations {
  private known: Promise<readonly ActiveMigration[]> | undefined;
  private knownAt = 0;

  constructor(
    private readonly migrations: UserMigrationsStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Which old system is queried about a name: that of the organization whose domain it ends with, else of the one that the sign-in is
   * for. Decided by the typed name and the sign-in alone, never by the user it resolves to, or response times would reveal that.
   */
  async at(canonicalName: string, place: MigrationPlace): Promise<ActiveMigration | undefined> {
    const now = this.clock.nowMs();
    const active = (await this.read()).filter(({ endsAt }) => endsAt.getTime() > now);
    if (active.length === 0) return undefined;
    const parts = partsOfName(canonicalName);
    const domain = parts && domainInAscii(parts.domain);
    const ofDomain = active.find(({ domains }) => domain !== undefined && domains.includes(domain));
    if (ofDomain !== undefined) return ofDomain;
    const { named, application, ownPages = false } = place;
    const asked = named ?? application;
    return active.find(({ orgId, isDefault }) =>
      asked === undefined ? ownPages && isDefault : orgId === asked,
    );
  }

  /** Somebody has changed one in this process. */
  forget(): void {
    this.known = undefined;
  }

  private async read(): Promise<readonly ActiveMigration[]> {
    const now = performance.now();
    if (this.known !== undefined && now < this.knownAt + FRESH_MS) return await this.known;
    const reading = this.migrations.listActive();
    this.known = reading;
    this.knownAt = now;
    reading.catch(() => {
      if (this.known === reading) this.known = undefined;
    });
    return await reading;
  }
}
