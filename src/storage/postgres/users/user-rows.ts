import type { SealedPlace } from '../../../domain/secrets/sealer.js';
import type { UserId } from '../../../domain/shared/ids.js';
import type {
  Gender,
  HumanProfile,
  HumanUser,
  ServiceUser,
  User,
  UserState,
} from '../../../domain/users/user.js';
import type { NewHuman } from '../../../domain/users/users.store.js';
import { detailsOf, type ResourceRow } from '../resource-row.js';

const PROFILE_COLUMNS = [
  { name: 'first_name', type: 'text' },
  { name: 'last_name', type: 'text' },
  { name: 'middle_name', type: 'text' },
  { name: 'nick_name', type: 'text' },
  { name: 'display_name', type: 'text' },
  { name: 'preferred_language', type: 'text' },
  { name: 'gender', type: 'text' },
  { name: 'profile_url', type: 'text' },
  { name: 'picture_url', type: 'text' },
  { name: 'website_url', type: 'text' },
  { name: 'birthdate', type: 'text' },
  { name: 'zoneinfo', type: 'text' },
  { name: 'address_formatted', type: 'text' },
  { name: 'address_street', type: 'text' },
  { name: 'address_locality', type: 'text' },
  { name: 'address_region', type: 'text' },
  { name: 'address_postal_code', type: 'text' },
  { name: 'address_country', type: 'text' },
] as const;
export const PROFILE_NAMES = PROFILE_COLUMNS.map(({ name }) => name);

/** Columns of `user_humans` beside its key, once for reading and writing. */
export const HUMAN_COLUMNS = [
  ...PROFILE_COLUMNS,
  { name: 'email', type: 'text' },
  { name: 'email_verified', type: 'boolean' },
  { name: 'phone', type: 'text' },
  { name: 'phone_verified', type: 'boolean' },
] as const;
export const HUMAN_NAMES = HUMAN_COLUMNS.map(({ name }) => name);

type HumanRow = {
  [Column in (typeof HUMAN_COLUMNS)[number] as Column['name']]: Column['type'] extends 'boolean'
    ? boolean
    : string | null;
};

export type UserRow = ResourceRow & {
  id: UserId;
  kind: 'human' | 'machine';
  user_name: string;
  state: UserState;
  login_name: string;
  machine_name: string | null;
  description: string | null;
  access_token_type: 'opaque' | 'jwt' | null;
  pending_email: string | null;
} & HumanRow;

type ProfileRow = Pick<HumanRow, (typeof PROFILE_NAMES)[number]>;

export function profileToRow(profile: HumanUser['profile']): ProfileRow {
  return {
    first_name: profile.firstName,
    last_name: profile.lastName,
    middle_name: profile.middleName ?? null,
    nick_name: profile.nickName ?? null,
    display_name: profile.displayName,
    preferred_language: profile.preferredLanguage ?? null,
    gender: profile.gender ?? null,
    profile_url: profile.profile ?? null,
    picture_url: profile.picture ?? null,
    website_url: profile.website ?? null,
    birthdate: profile.birthdate ?? null,
    zoneinfo: profile.zoneinfo ?? null,
    address_formatted: profile.address?.formatted ?? null,
    address_street: profile.address?.streetAddress ?? null,
    address_locality: profile.address?.locality ?? null,
    address_region: profile.address?.region ?? null,
    address_postal_code: profile.address?.postalCode ?? null,
    address_country: profile.address?.country ?? null,
  };
}

/** A human as the columns of `user_humans`. */
export function humanColumns({
  profile,
  email,
  phone,
}: Pick<HumanUser, 'profile' | 'email' | 'phone'>): HumanRow {
  return {
    ...profileToRow(profile),
    email: email.address,
    email_verified: email.verified,
    phone: phone?.number ?? null,
    phone_verified: phone?.verified ?? false,
  };
}

/** A new human as a member of the JSON that the multi-row statement unpacks. */
export function humanToRow(human: NewHuman, place: number): Record<string, unknown> {
  const { password } = human;
  return {
    ...humanColumns(human),
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
  };
}

export function toUser(row: UserRow): User {
  return {
    id: row.id,
    orgId: row.org_id,
    userName: row.user_name,
    loginName: row.login_name,
    state: row.state,
    details: detailsOf(row),
    ...(row.kind === 'human' ? toHuman(row) : toServiceUser(row)),
  };
}

function toServiceUser(row: UserRow): ServiceUser {
  return {
    type: 'machine',
    name: row.machine_name ?? '',
    ...given({ description: row.description }),
    accessTokenType: row.access_token_type ?? 'opaque',
  };
}

function toHuman(row: UserRow): HumanUser {
  const address = given({
    formatted: row.address_formatted,
    streetAddress: row.address_street,
    locality: row.address_locality,
    region: row.address_region,
    postalCode: row.address_postal_code,
    country: row.address_country,
  });
  const profile: HumanProfile & { displayName: string } = {
    firstName: row.first_name ?? '',
    lastName: row.last_name ?? '',
    displayName: row.display_name ?? '',
    ...given({
      middleName: row.middle_name,
      nickName: row.nick_name,
      preferredLanguage: row.preferred_language,
      gender: row.gender as Gender | null,
      profile: row.profile_url,
      picture: row.picture_url,
      website: row.website_url,
      birthdate: row.birthdate,
      zoneinfo: row.zoneinfo,
      address: Object.keys(address).length === 0 ? null : address,
    }),
  };
  return {
    type: 'human',
    profile,
    email: {
      address: row.email ?? '',
      verified: row.email_verified,
      ...(row.pending_email !== null && { pending: row.pending_email }),
    },
    ...(row.phone !== null && { phone: { number: row.phone, verified: row.phone_verified } }),
  };
}

type Given<Members> = { [Name in keyof Members]?: NonNullable<Members[Name]> };

/** Leaves the members out that the database has no value for. */
function given<Members extends object>(members: Members): Given<Members> {
  const entries = Object.entries(members).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as Given<Members>;
}

/** Everything `toUser` reads, of the aliases that `USER_JOINS` gives. */
export const USER_COLUMNS = `u.id, u.org_id, u.kind, u.user_name, u.state, u.sequence, u.created_at, u.changed_at,
      u.user_name || coalesce('@' || d.domain, '') AS login_name,
      ${HUMAN_COLUMNS.map(({ name }) => `h.${name}`).join(', ')}, h.pending_email,
      m.name AS machine_name, m.description, m.access_token_type`;

export const USER_JOINS = `
    LEFT JOIN organization_domains d ON d.org_id = u.org_id AND d.is_primary
    LEFT JOIN user_humans h ON h.user_id = u.id
    LEFT JOIN user_machines m ON m.user_id = u.id`;

/** Where the secret that an authenticator app shares with us is sealed for. */
export function totpPlace(userId: string): SealedPlace {
  return { purpose: 'totp-secret', table: 'user_totp_secrets', column: 'secret_sealed', rowId: userId };
}
