import type { HumanClaims, Subject } from '../../../domain/tokens/user-claims.js';

/**
 * A user with its claims as one JSON column, for the statements that answer token questions: having thirty columns
 * described and read for every request costs Node more than the rest of the query. Expects the aliases `u` users,
 * `h` user_humans, `m` user_machines, `d` the organization's primary domain.
 */
export const SUBJECT_COLUMN = `
  json_build_object('id', u.id, 'org_id', u.org_id, 'user_name', u.user_name, 'login_name', u.user_name || coalesce('@' || d.domain, ''),
    'changed_at', floor(extract(epoch FROM u.changed_at)), 'machine_name', m.name, 'human', h) AS subject`;

export const SUBJECT_JOINS = `
  LEFT JOIN user_humans h ON h.user_id = u.id
  LEFT JOIN user_machines m ON m.user_id = u.id
  LEFT JOIN organization_domains d ON d.org_id = u.org_id AND d.is_primary`;

export type SubjectRow = {
  readonly subject: {
    readonly id: string;
    readonly org_id: string;
    readonly user_name: string;
    readonly login_name: string;
    readonly changed_at: number;
    readonly machine_name: string | null;
    /** The row of user_humans; null for a service user. */
    readonly human: HumanRow | null;
  };
};

interface HumanRow {
  readonly display_name: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly middle_name: string | null;
  readonly nick_name: string | null;
  readonly preferred_language: string | null;
  readonly gender: string | null;
  readonly profile_url: string | null;
  readonly picture_url: string | null;
  readonly website_url: string | null;
  readonly birthdate: string | null;
  readonly zoneinfo: string | null;
  readonly email: string;
  readonly email_verified: boolean;
  readonly phone: string | null;
  readonly phone_verified: boolean;
  readonly address_formatted: string | null;
  readonly address_street: string | null;
  readonly address_locality: string | null;
  readonly address_region: string | null;
  readonly address_postal_code: string | null;
  readonly address_country: string | null;
}

export function toSubject({ subject }: SubjectRow): Subject {
  return {
    id: subject.id,
    orgId: subject.org_id,
    userName: subject.user_name,
    loginName: subject.login_name,
    changedAt: subject.changed_at,
    claims:
      subject.human === null
        ? { kind: 'machine', name: subject.machine_name ?? subject.login_name }
        : toHumanClaims(subject.human),
  };
}

function toHumanClaims(human: HumanRow): HumanClaims {
  return {
    kind: 'human',
    displayName: human.display_name,
    firstName: human.first_name,
    lastName: human.last_name,
    middleName: human.middle_name,
    nickName: human.nick_name,
    preferredLanguage: human.preferred_language,
    gender: human.gender,
    profile: human.profile_url,
    picture: human.picture_url,
    website: human.website_url,
    birthdate: human.birthdate,
    zoneinfo: human.zoneinfo,
    email: human.email,
    emailVerified: human.email_verified,
    phone: human.phone,
    phoneVerified: human.phone_verified,
    address: {
      formatted: human.address_formatted,
      streetAddress: human.address_street,
      locality: human.address_locality,
      region: human.address_region,
      postalCode: human.address_postal_code,
      country: human.address_country,
    },
  };
}
