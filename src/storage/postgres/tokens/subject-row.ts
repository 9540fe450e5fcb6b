// SQL by hand: a column and joins of the statements that check tokens
import type { HumanClaims, Subject } from '../../../domain/tokens/claims/user-claims.js';
import type { UserHumanEntity } from '../tables/user.entity.js';
import { loginName, primaryDomainJoin } from '../users/login-name.js';
import { HUMAN_PROPERTIES } from '../users/user-rows.js';

/**
 * A user with all claims as one JSON column, for the statements that check tokens: reading thirty columns for every request would cost
 * Node more than the rest of the query. Needs the aliases `u` users, `h` user_humans, `m` service_users, `d` the primary domain.
 */
export const SUBJECT_COLUMN = `
  json_build_object('id', u.id, 'org_id', u.org_id, 'user_name', u.user_name, 'login_name', ${loginName()},
    'changed_at', floor(extract(epoch FROM u.changed_at)), 'machine_name', m.name, 'human', h) AS subject`;

export const SUBJECT_JOINS = `
  LEFT JOIN (SELECT user_id, ${HUMAN_PROPERTIES} FROM user_humans) h ON h.user_id = u.id
  LEFT JOIN service_users m ON m.user_id = u.id
  ${primaryDomainJoin('u.org_id')}`;

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

type HumanRow = Omit<HumanClaims, 'kind' | 'address'> &
  Pick<
    UserHumanEntity,
    | 'addressFormatted'
    | 'addressStreet'
    | 'addressLocality'
    | 'addressRegion'
    | 'addressPostalCode'
    | 'addressCountry'
  >;

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

/** Adds two members to the row instead of copying it, since this runs for every token check. */
function toHumanClaims(human: HumanRow): HumanClaims {
  return Object.assign(human, {
    kind: 'human' as const,
    address: {
      formatted: human.addressFormatted,
      streetAddress: human.addressStreet,
      locality: human.addressLocality,
      region: human.addressRegion,
      postalCode: human.addressPostalCode,
      country: human.addressCountry,
    },
  });
}
