import type { Subject } from '../../domain/tokens/user-claims.js';

/**
 * A user with its claims as one row, for the statements that answer token questions. Expects the aliases
 * `u` users, `h` user_humans, `m` user_machines, `d` the organization's primary domain.
 */
export const SUBJECT_COLUMNS = `
  u.id, u.org_id, u.user_name || coalesce('@' || d.domain, '') AS login_name,
  extract(epoch FROM u.changed_at)::int AS changed_at,
  m.name AS machine_name, h.display_name, h.first_name, h.last_name, h.middle_name, h.nick_name,
  h.preferred_language, h.gender, h.profile_url, h.picture_url, h.website_url, h.birthdate, h.zoneinfo,
  h.email, h.email_verified, h.phone, h.phone_verified, h.address_formatted, h.address_street,
  h.address_locality, h.address_region, h.address_postal_code, h.address_country`;

export const SUBJECT_JOINS = `
  LEFT JOIN user_humans h ON h.user_id = u.id
  LEFT JOIN user_machines m ON m.user_id = u.id
  LEFT JOIN organization_domains d ON d.org_id = u.org_id AND d.is_primary`;

export type SubjectRow = {
  id: string;
  org_id: string;
  login_name: string;
  changed_at: number;
  machine_name: string | null;
  display_name: string | null;
  first_name: string;
  last_name: string;
  middle_name: string | null;
  nick_name: string | null;
  preferred_language: string | null;
  gender: string | null;
  profile_url: string | null;
  picture_url: string | null;
  website_url: string | null;
  birthdate: string | null;
  zoneinfo: string | null;
  email: string;
  email_verified: boolean;
  phone: string | null;
  phone_verified: boolean;
  address_formatted: string | null;
  address_street: string | null;
  address_locality: string | null;
  address_region: string | null;
  address_postal_code: string | null;
  address_country: string | null;
};

export function toSubject(row: SubjectRow): Subject {
  const shared = {
    id: row.id,
    orgId: row.org_id,
    loginName: row.login_name,
    changedAt: row.changed_at,
  };
  if (row.display_name === null) {
    return { ...shared, claims: { kind: 'machine', name: row.machine_name ?? row.login_name } };
  }
  return {
    ...shared,
    claims: {
      kind: 'human',
      displayName: row.display_name,
      firstName: row.first_name,
      lastName: row.last_name,
      middleName: row.middle_name,
      nickName: row.nick_name,
      preferredLanguage: row.preferred_language,
      gender: row.gender,
      profileUrl: row.profile_url,
      pictureUrl: row.picture_url,
      websiteUrl: row.website_url,
      birthdate: row.birthdate,
      zoneinfo: row.zoneinfo,
      email: row.email,
      emailVerified: row.email_verified,
      phone: row.phone,
      phoneVerified: row.phone_verified,
      address: {
        formatted: row.address_formatted,
        street: row.address_street,
        locality: row.address_locality,
        region: row.address_region,
        postalCode: row.address_postal_code,
        country: row.address_country,
      },
    },
  };
}
