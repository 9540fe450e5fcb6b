import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take far longer than their rings' others, the longest first; a minute and more on two cores. */
export const LONGEST = [
  'unit/passwords/every-scheme',
  'unit/passwords/truncated-secret',
  'storage/bootstrap/bootstrap',
  'storage/signing-keys/rotate-keys',
  'storage/schema/adoption',
  'http/openapi/every-operation',
  'http/identity-providers/saml',
  'workers/key-rotation',
  'workers/webhooks',
  'workers/imports',
  'workers/command-line-imports',
  'workers/redis-evicts',
  'workers/import-progress',
  'workers/npm-start',
  'workers/logout-delivery',
  'workers/sms-delivery',
  'workers/stuck-process',
  'browser/page-gallery',
  'browser/console-users',
  'browser/console-roles',
  'browser/console',
  'browser/console-applications',
  'browser/console-identities',
  'browser/queue-dashboard',
].map((name) => `/test/${name}.spec.ts`);

/**
 * A fresh clone knows no times, and vitest begins with the largest files then: of the longest, some are small and would begin
 * last, alone, with one of two cores.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((file) => moduleId.endsWith(file));
  return place === -1 ? LONGEST.length : place;
}
