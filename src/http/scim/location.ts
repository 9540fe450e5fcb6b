import type { OrgId } from '../../domain/shared/ids.js';

/**
 * Where resources are. An id is one segment of a path whatever characters it has (RFC 3986 §3.3): an imported one may have a
 * slash, a percent sign or a number sign in it.
 */
export function scimBase({ url }: { readonly url: string }, orgId: OrgId): string {
  return `${url}/scim/v2/${encodeURIComponent(orgId)}`;
}

/** @param base of `scimBase` */
export function locationOf(base: string, type: 'Users' | 'Groups', id: string): string {
  return `${base}/${type}/${encodeURIComponent(id)}`;
}

/** The id in the last segment of a path; undefined where its percent-encoding is malformed. */
export function idAt(path: string): string | undefined {
  try {
    return decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
  } catch {
    return undefined;
  }
}
