import { answered, api, inOrganization, type Answered, type Sent } from '../api/client.ts';
import { directoryBody, directoryValues, type DirectoryValues } from '../directories/directories.ts';
import type { OptionalNumber } from '../shared/fields.tsx';
import { localTimeOf } from '../shared/local-time.ts';
import { parsed } from '../shared/parsed.ts';

/** The old system that people come over from at their first sign-in: how it is had, changed and given up. */

export type UserMigration = Answered<'/management/v1/user_migration', 'get'>['userMigration'];
type MigrationBody = Sent<'/management/v1/user_migration', 'put'>;

export function migrationKey(org: string) {
  return ['sign-in', org, 'user-migration'] as const;
}

export async function findMigration(org: string): Promise<UserMigration> {
  const params = inOrganization(org);
  return (await answered(api.GET('/management/v1/user_migration', { params }))).userMigration;
}

export async function replaceMigration(org: string, body: MigrationBody, sequence?: string) {
  const params = inOrganization(org, sequence);
  return await answered(api.PUT('/management/v1/user_migration', { params, body }));
}

export async function rotateMigrationSecret(org: string) {
  const params = inOrganization(org);
  return await answered(api.POST('/management/v1/user_migration/_rotate_secret', { params }));
}

export async function removeMigration(org: string, sequence: string) {
  return await answered(
    api.DELETE('/management/v1/user_migration', { params: inOrganization(org, sequence) }),
  );
}

export interface MigrationValues extends Record<string, unknown>, DirectoryValues {
  readonly kind: NonNullable<UserMigration['kind']>;
  readonly isActive: boolean;
  readonly url: string;
  /** JSON, as the API takes it. */
  readonly mapping: string;
  /** As a field of the kind `datetime-local` has it, in the browser's own time zone. */
  readonly endsAt: string;
  readonly expectedUsers: OptionalNumber;
  readonly requestsPerMinute: OptionalNumber;
  readonly deadlineMs: OptionalNumber;
}

/** What a migration usually takes. */
const USUAL_DAYS = 90;

function optional(text: string | undefined): OptionalNumber {
  return text === undefined ? '' : Number(text);
}

export function migrationValues(migration: UserMigration): MigrationValues {
  const { kind = 'webhook', isActive, url = '', mapping } = migration;
  const { endsAt, expectedUsers, requestsPerMinute, deadlineMs } = migration;
  const ends = endsAt === undefined ? new Date(Date.now() + USUAL_DAYS * 86_400_000) : new Date(endsAt);
  return {
    kind,
    isActive,
    url,
    ...directoryValues(migration),
    mapping: Object.keys(mapping?.fields ?? {}).length === 0 ? '' : JSON.stringify(mapping, null, 2),
    endsAt: localTimeOf(ends),
    expectedUsers: optional(expectedUsers),
    requestsPerMinute: optional(requestsPerMinute),
    deadlineMs: optional(deadlineMs),
  };
}

/** @param stored what the form was made from */
export function migrationBody(values: MigrationValues, stored: UserMigration): MigrationBody {
  const { kind, isActive, url, mapping, endsAt, expectedUsers, requestsPerMinute, deadlineMs } = values;
  return {
    kind,
    isActive,
    ...(kind === 'webhook'
      ? { url: url.trim() }
      : { ...directoryBody(values, stored), ...(mapping.trim() !== '' && { mapping: parsed(mapping) }) }),
    endsAt: new Date(endsAt).toISOString(),
    ...(expectedUsers !== '' && { expectedUsers }),
    ...(requestsPerMinute !== '' && { requestsPerMinute }),
    ...(deadlineMs !== '' && { deadlineMs }),
  } as MigrationBody;
}
