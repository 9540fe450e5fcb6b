// SQL by hand: many users are added to four tables by one statement; the columns and joins that read a user
import type { SealedPlace } from '../../../domain/secrets/sealer.js';
import type { HumanProfile, HumanUser, ServiceUser, User, UserState } from '../../../domain/users/user.js';
import type { NewHuman } from '../../../domain/users/users.store.js';
import { passwordMakerColumn } from '../passwords/passwords.store.js';
import { columns, columnsOf, detailsOf, pick } from '../table.js';
import { ServiceUserEntity, UserEntity, UserHumanEntity } from '../tables/user.entity.js';
import { loginName, primaryDomainJoin } from './login-name.js';

/** Columns of `user_humans` beside its key and the address that waits, once for reading and writing. */
export const HUMAN_COLUMNS = columnsOf(UserHumanEntity).filter(
  ({ property }) => !['userId', 'orgId', 'pendingEmail'].includes(property),
);
export const HUMAN_NAMES = HUMAN_COLUMNS.map(({ name }) => name);

const ADDRESS = {
  formatted: 'addressFormatted',
  streetAddress: 'addressStreet',
  locality: 'addressLocality',
  region: 'addressRegion',
  postalCode: 'addressPostalCode',
  country: 'addressCountry',
} as const satisfies Record<keyof NonNullable<HumanProfile['address']>, keyof UserHumanEntity>;
const ADDRESS_PARTS = Object.entries(ADDRESS) as [
  keyof typeof ADDRESS,
  (typeof ADDRESS)[keyof typeof ADDRESS],
][];

const CONTACT = ['email', 'emailVerified', 'phone', 'phoneVerified'] as const;

/** What of a profile is a column of the same name: whatever is no part of the address and no way to reach them. */
const PROFILE = HUMAN_COLUMNS.map(({ property }) => property).filter(
  (property) => ![...CONTACT, ...Object.values(ADDRESS)].some((other) => other === property),
) as readonly (keyof HumanProfile & keyof UserHumanEntity)[];

type ProfileRow = Pick<UserHumanEntity, (typeof PROFILE)[number] | (typeof ADDRESS)[keyof typeof ADDRESS]>;
type HumanRow = ProfileRow & Pick<UserHumanEntity, (typeof CONTACT)[number] | 'pendingEmail'>;
type MachineRow = Pick<ServiceUserEntity, 'description' | 'accessTokenType'> & { machineName: string };

/** A row of `USER_COLUMNS`: columns of the other type of user are null. */
export type UserRow = Pick<
  UserEntity,
  'id' | 'orgId' | 'userName' | 'sequence' | 'createdAt' | 'changedAt'
> & {
  state: UserState;
  loginName: string;
} & (({ type: 'human' } & HumanRow) | ({ type: 'machine' } & MachineRow));

type Values = Record<string, string | boolean | null>;

// by loops, here and below: an import does it for every user, and `Object.fromEntries` takes ten times as long
export function profileToRow(profile: HumanUser['profile']): ProfileRow {
  const row: Values = {};
  for (const name of PROFILE) row[name] = profile[name] ?? null;
  for (const [part, name] of ADDRESS_PARTS) row[name] = profile.address?.[part] ?? null;
  return row as ProfileRow;
}

const COLUMN = Object.fromEntries(HUMAN_COLUMNS.map(({ property, name }) => [property, name])) as Readonly<
  Record<(typeof CONTACT)[number] | keyof ProfileRow, string>
>;

/** What a human has, by the columns of `user_humans`: most of a profile is absent and not there, which reads as NULL. */
export function humanColumns({
  profile,
  email,
  phone,
}: Pick<HumanUser, 'profile' | 'email' | 'phone'>): Readonly<Values> {
  const row: Values = {
    [COLUMN.email]: email.address,
    [COLUMN.emailVerified]: email.verified,
    [COLUMN.phoneVerified]: phone?.verified ?? false,
  };
  if (phone !== undefined) row[COLUMN.phone] = phone.number;
  for (const property of PROFILE) {
    const value = profile[property];
    if (value !== undefined) row[COLUMN[property]] = value;
  }
  if (profile.address === undefined) return row;
  for (const [part, property] of ADDRESS_PARTS) {
    const value = profile.address[part];
    if (value !== undefined) row[COLUMN[property]] = value;
  }
  return row;
}

/** A new human as a member of the JSON that the multi-row statement unpacks. */
export function humanToRow(human: NewHuman, place: number): Record<string, unknown> {
  const { password } = human;
  return {
    place,
    id: human.id,
    org_id: human.orgId,
    user_name: human.userName,
    state: human.state,
    identifiers: human.identifiers,
    hash: password?.hash ?? null,
    scheme: password?.scheme ?? null,
    weak: password?.weak ?? null,
    change_required: password?.changeRequired ?? null,
    made_by: password === undefined ? null : passwordMakerColumn(password.madeBy),
    ...humanColumns(human),
  };
}

// one statement for all four tables: foreign keys are checked when it ends. Identifiers are inserted in order, so that two imports
// with the same names cannot deadlock
export const ADD_HUMANS = {
  name: 'users-add-humans',
  text: `
    WITH moment AS (SELECT app_now() AS now),
    given AS (
      SELECT * FROM jsonb_to_recordset($1::jsonb) AS given (place integer, id text, org_id text, user_name text,
        state text, identifiers jsonb, hash text, scheme text, weak boolean, change_required boolean,
        made_by text,
        ${HUMAN_COLUMNS.map(({ name, type }) => `${name} ${type}`).join(', ')})
    ), added AS (
      INSERT INTO users (id, org_id, kind, user_name, state, created_at, changed_at)
      SELECT id, org_id, 'human', user_name, state, now, now FROM given, moment ORDER BY place
      RETURNING ${columns(UserEntity, 'users', ['id', 'orgId', 'sequence', 'createdAt', 'changedAt'])}
    ), humans AS (
      INSERT INTO user_humans (user_id, org_id, ${HUMAN_COLUMNS.map(({ name }) => name).join(', ')})
      SELECT id, org_id, ${HUMAN_COLUMNS.map(({ name }) => name).join(', ')} FROM given ORDER BY place
    ), names AS (
      INSERT INTO login_identifiers (org_id, kind, canonical, user_id, proven)
      SELECT given.org_id, identifier.kind, identifier.canonical, given.id, coalesce(identifier.proven, false)
      FROM given, jsonb_to_recordset(given.identifiers) AS identifier (kind text, canonical text, proven boolean)
      ORDER BY given.org_id, identifier.kind, identifier.canonical
    ), passwords AS (
      INSERT INTO user_passwords (user_id, org_id, hash, scheme, weak, change_required, made_by)
      SELECT id, org_id, hash, scheme, weak, change_required, made_by FROM given WHERE hash IS NOT NULL ORDER BY place
    )
    SELECT added.* FROM added JOIN given ON given.id = added.id ORDER BY given.place`,
};

export function toUser(row: UserRow): User {
  const { id, orgId, userName, loginName, state } = row;
  return {
    id,
    orgId,
    userName,
    loginName,
    state,
    details: detailsOf(row),
    ...(row.type === 'human' ? toHuman(row) : toServiceUser(row)),
  };
}

function toServiceUser({ machineName: name, description, accessTokenType }: MachineRow): ServiceUser {
  return { type: 'machine', name, ...given({ description }), accessTokenType };
}

function toHuman(row: HumanRow): HumanUser {
  const { email: address, emailVerified: verified, pendingEmail: pending, phone, phoneVerified } = row;
  const parts = given(Object.fromEntries(ADDRESS_PARTS.map(([part, name]) => [part, row[name]])));
  const lives = Object.keys(parts).length === 0 ? {} : { address: parts };
  return {
    type: 'human',
    profile: { ...given(pick(row, PROFILE)), ...lives } as HumanUser['profile'],
    email: { address, verified, ...(pending !== null && { pending }) },
    ...(phone !== null && { phone: { number: phone, verified: phoneVerified } }),
  };
}

type Given<Members> = { [Name in keyof Members]?: NonNullable<Members[Name]> };

/** Leaves the members out that the database has no value for. */
function given<Members extends object>(members: Members): Given<Members> {
  const entries = Object.entries(members).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as Given<Members>;
}

/** The columns of `user_humans` under the names of their properties. */
export const HUMAN_PROPERTIES = HUMAN_COLUMNS.map(({ property, name }) => `${name} AS "${property}"`).join(
  ', ',
);

/** Everything `toUser` reads, of the aliases that `USER_JOINS` gives. */
export const USER_COLUMNS = `
      ${columns(UserEntity, 'u', ['id', 'orgId', 'type', 'userName', 'state', 'sequence', 'createdAt', 'changedAt'])},
      ${loginName()} AS "loginName",
      ${HUMAN_COLUMNS.map(({ property, name }) => `h.${name} AS "${property}"`).join(', ')},
      ${columns(UserHumanEntity, 'h', ['pendingEmail'])},
      m.name AS "machineName", ${columns(ServiceUserEntity, 'm', ['description', 'accessTokenType'])}`;

export const USER_JOINS = `
    ${primaryDomainJoin('u.org_id')}
    LEFT JOIN user_humans h ON h.user_id = u.id
    LEFT JOIN service_users m ON m.user_id = u.id`;

/** Where the secret that an authenticator app shares with us is sealed for. */
export function totpPlace(userId: string): SealedPlace {
  return { purpose: 'totp-secret', table: 'user_totp_secrets', column: 'secret_sealed', rowId: userId };
}
