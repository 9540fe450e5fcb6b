import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../../domain/shared/errors.js';
import type { OrgId } from '../../domain/shared/ids.js';

const NAMES = ['x-zitadel-orgid', 'x-org-id'] as const;

/**
 * The organization a call acts in: the one its header names, else the caller's own. Decided here once, for the
 * permission and for the write, so that the two can never differ.
 *
 * @throws ApiError invalid-argument when the header's two names disagree
 */
export function actingOrganization(headers: IncomingHttpHeaders, own: OrgId): OrgId {
  const [asked, ...others] = new Set(
    NAMES.map((name) => headers[name]).filter((value) => value !== undefined && value !== ''),
  );
  if (others.length > 0) {
    throw new ApiError('invalid-argument', `${NAMES.join(' and ')} name different organizations`);
  }
  return asked === undefined ? own : (String(asked) as OrgId);
}
