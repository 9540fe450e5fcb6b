import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { AccessTokenType } from '../../../domain/authorizations/authorizations.store.js';
import type { OrgId, UserId } from '../../../domain/shared/ids.js';
import { GENDERS, USER_STATES, type Gender, type User, type UserState } from '../../../domain/users/user.js';
import { oneOf } from '../one-of.js';
import { CountedChanges } from './counted-changes.js';
import { OrganizationEntity } from './organization.entity.js';

/**
 * What humans and service users have in common. Foreign keys refer to `users_in_org`, so that their `org_id` cannot differ.
 */
@Entity('users')
@ForeignKey(() => OrganizationEntity, ['orgId'], ['id'], { name: 'users_org' })
@Index('users_listed', ['orgId', 'id'], { where: "state <> 'deleted'" })
@Index('users_by_state', ['orgId', 'state', 'id'], { where: "state <> 'active' AND state <> 'deleted'" })
// on an expression, which an entity cannot name (migrations/1764000200000)
@Index('users_search_name', { synchronize: false })
@Index('users_search_inside', { synchronize: false })
@Unique('users_in_org', ['orgId', 'id'])
@Check('users_kind', "kind IN ('human', 'machine')")
@Check('users_state', `state ${oneOf([...USER_STATES, 'deleted'])}`)
@Check('users_id', "octet_length(id) BETWEEN 1 AND 200 AND id !~ '[^!-~]'")
@Check('users_user_name', 'char_length(user_name) BETWEEN 1 AND 200')
export class UserEntity extends CountedChanges {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'users_pkey', default: () => 'new_id()' })
  id!: UserId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('text', { name: 'kind' })
  type!: User['type'];

  @Column('text', { name: 'user_name' })
  userName!: string;

  @Column('text', { default: 'active' })
  state!: UserState | 'deleted';

  @Column('integer', { name: 'token_epoch', default: 0 })
  tokenEpoch!: number;

  /** When a required second factor was first offered to the user. */
  @Column('timestamptz', { name: 'factors_offered_at', nullable: true })
  factorsOfferedAt!: Date | null;
}

/** Profile of a person: the standard claims of OpenID Connect Core 1.0, section 5.1. */
@Entity('user_humans')
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'user_humans_user',
  onDelete: 'CASCADE',
})
@Index('user_humans_search_first_name', { synchronize: false })
@Index('user_humans_search_last_name', { synchronize: false })
@Index('user_humans_search_display_name', { synchronize: false })
@Index('user_humans_search_email', { synchronize: false })
@Index('user_humans_search_inside', { synchronize: false })
@Index('user_humans_search_phone', { synchronize: false })
@Check('user_humans_pending_email', 'pending_email IS NULL OR (pending_email <> email AND email_verified)')
@Check('user_humans_gender', `gender ${oneOf(GENDERS)}`)
@Check('user_humans_birthdate', "birthdate ~ '^[0-9]{4}(-[0-9]{2}-[0-9]{2})?$'")
@Check('user_humans_phone', `phone ~ '^\\+[0-9]{3,15}$'`)
@Check('user_humans_phone_verified', 'phone IS NOT NULL OR NOT phone_verified')
export class UserHumanEntity {
  @PrimaryColumn('text', { name: 'user_id', primaryKeyConstraintName: 'user_humans_pkey' })
  userId!: UserId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('text', { name: 'first_name' })
  firstName!: string;

  @Column('text', { name: 'last_name' })
  lastName!: string;

  @Column('text', { name: 'middle_name', nullable: true })
  middleName!: string | null;

  @Column('text', { name: 'nick_name', nullable: true })
  nickName!: string | null;

  @Column('text', { name: 'display_name' })
  displayName!: string;

  @Column('text', { name: 'preferred_language', nullable: true })
  preferredLanguage!: string | null;

  @Column('text', { nullable: true })
  gender!: Gender | null;

  @Column('text', { name: 'profile_url', nullable: true })
  profile!: string | null;

  @Column('text', { name: 'picture_url', nullable: true })
  picture!: string | null;

  @Column('text', { name: 'website_url', nullable: true })
  website!: string | null;

  @Column('text', { nullable: true })
  birthdate!: string | null;

  @Column('text', { nullable: true })
  zoneinfo!: string | null;

  @Column('text')
  email!: string;

  @Column('boolean', { name: 'email_verified', default: false })
  emailVerified!: boolean;

  @Column('text', { nullable: true })
  phone!: string | null;

  @Column('boolean', { name: 'phone_verified', default: false })
  phoneVerified!: boolean;

  @Column('text', { name: 'address_formatted', nullable: true })
  addressFormatted!: string | null;

  @Column('text', { name: 'address_street', nullable: true })
  addressStreet!: string | null;

  @Column('text', { name: 'address_locality', nullable: true })
  addressLocality!: string | null;

  @Column('text', { name: 'address_region', nullable: true })
  addressRegion!: string | null;

  @Column('text', { name: 'address_postal_code', nullable: true })
  addressPostalCode!: string | null;

  @Column('text', { name: 'address_country', nullable: true })
  addressCountry!: string | null;

  /** Replaces `email` once it is verified; there is one only while `email` is a verified address. */
  @Column('text', { name: 'pending_email', nullable: true })
  pendingEmail!: string | null;
}

/** A service user, which signs in with keys and tokens and never in a browser. */
@Entity('service_users')
@Index('service_users_listed', ['orgId', 'userId'])
// on an expression, which an entity cannot name (migrations/1796800000000)
@Index('service_users_by_name', { synchronize: false })
@ForeignKey(() => UserEntity, ['orgId', 'userId'], ['orgId', 'id'], {
  name: 'service_users_user',
  onDelete: 'CASCADE',
})
@Check('service_users_access_token_type', "access_token_type IN ('opaque', 'jwt')")
export class ServiceUserEntity {
  @PrimaryColumn('text', { name: 'user_id', primaryKeyConstraintName: 'service_users_pkey' })
  userId!: UserId;

  @Column('text', { name: 'org_id' })
  orgId!: OrgId;

  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text', { name: 'access_token_type', default: 'opaque' })
  accessTokenType!: AccessTokenType;

  /** SHA-256 of the secret for client_credentials, if there is one. */
  @Column('bytea', { name: 'secret_hash', nullable: true })
  secretHash!: Buffer | null;

  /** Empty for whoever runs the service, null where nobody knows. */
  @Column('text', { name: 'secret_made_by', nullable: true })
  secretMadeBy!: UserId | '' | null;

  /** Null where nobody knows. */
  @Column('timestamptz', { name: 'secret_made_at', nullable: true })
  secretMadeAt!: Date | null;
}
