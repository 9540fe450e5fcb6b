import { z } from 'zod';
import { END_ORGANIZATION_SESSIONS } from '../domain/organizations/end-organization-sessions.js';
import { ERASE_ORGANIZATION } from '../domain/organizations/erase-organization.js';
import {
  HOURS_OF_TRIES,
  KEEP_FINISHED,
  outboxId,
  RETRY_WITH_CEILING,
  subjectId,
  type JobContract,
} from './job-contract.js';

/** What the service does to itself. Each of these may run twice, be lost or be killed: the next one makes up for it. */
const upkeepOptions = { ...KEEP_FINISHED, attempts: 3, backoff: RETRY_WITH_CEILING } as const;
const nothing = z.object({});

export const removeExpiredRowsJob: JobContract<object> = {
  queue: 'maintenance',
  name: 'remove-expired-rows',
  version: 1,
  payload: nothing,
  options: upkeepOptions,
};

export const ensureEventPartitionsJob: JobContract<object> = {
  queue: 'maintenance',
  name: 'ensure-event-partitions',
  version: 1,
  payload: nothing,
  options: upkeepOptions,
};

/** Removes lapsed sessions, and grants that can no longer be used. */
export const removeUnusedRowsJob: JobContract<object> = {
  queue: 'maintenance',
  name: 'remove-unused-rows',
  version: 1,
  payload: nothing,
  options: upkeepOptions,
};

/** Months of the audit log that are over by policy. */
export const removeOldEventsJob: JobContract<object> = {
  queue: 'maintenance',
  name: 'remove-old-events',
  version: 1,
  payload: nothing,
  options: upkeepOptions,
};

/** Work that has fallen out of the outbox. */
export const sweepStuckRowsJob: JobContract<object> = {
  queue: 'maintenance',
  name: 'sweep-stuck-rows',
  version: 1,
  payload: nothing,
  options: upkeepOptions,
};

/** Refreshes metadata of identity providers, and records events about expiring secrets and certificates of them and of old systems. */
export const lookAfterProvidersJob: JobContract<object> = {
  queue: 'maintenance',
  name: 'look-after-providers',
  version: 1,
  payload: nothing,
  options: upkeepOptions,
};

const organizationPayload = z.object({
  orgId: subjectId,
  outboxId,
});

/** Clears away what a removed organization was made of, a part each time; it is the same job until nothing is left. */
export const eraseOrganizationJob: JobContract<{ orgId: string; outboxId: string }> = {
  queue: 'maintenance',
  name: ERASE_ORGANIZATION,
  version: 1,
  payload: organizationPayload,
  options: HOURS_OF_TRIES,
};

/** Ends the rows of sessions of an organization that was switched off, in the same way. */
export const endOrganizationSessionsJob: JobContract<{ orgId: string; outboxId: string }> = {
  queue: 'maintenance',
  name: END_ORGANIZATION_SESSIONS,
  version: 1,
  payload: organizationPayload,
  options: HOURS_OF_TRIES,
};
